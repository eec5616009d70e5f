/** Shows that runs are stuck, with a link to their list in the Temporal UI. */
import { h, message, outside } from './dom.js';

/** @typedef {{ count: number, temporalUrl?: string }} StuckRuns */

export function createStuckRuns() {
  const place = h('div', {});
  let seen = '';

  return {
    place,
    /** @param {StuckRuns | undefined} stuck */
    show(stuck) {
      const said = JSON.stringify(stuck ?? {});
      if (said !== seen) place.replaceChildren(...(stuck ? [messageOf(stuck)] : []));
      seen = said;
    },
  };
}

/** @param {StuckRuns} stuck */
function messageOf({ count, temporalUrl }) {
  const words = count === 1 ? '1 run is stuck: its' : `${count.toLocaleString()} runs are stuck: their`;
  const where = temporalUrl ? outside(temporalUrl, 'List them in Temporal') : 'The Temporal UI lists them.';
  return message('bad', `${words} workflow tasks keep failing or timing out. `, where);
}
