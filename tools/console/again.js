/** Says that a lead that was sent again has failed again. */
import { h } from './dom.js';
import { time } from './time.js';

/** @type {Readonly<Record<string, string>>} */
const again = { UPSTREAM_REJECTED: 'refused again', OUTCOME_UNKNOWN: 'its outcome is unknown again' };
const resends = new Set(['resend', 'redrive']);

/** @param {import('./story.js').Story} story @param {{ code: string, message: string } | undefined} error of the step that was sent again */
export function againLine({ decisions }, error) {
  const last = decisions.findLast(({ verb }) => resends.has(verb));
  if (!last || !error) return [];
  return [h('p', { class: 'why' }, 'Sent again at ', time(last.at), `; ${again[error.code] ?? 'failed again'}: ${error.message}`)];
}
