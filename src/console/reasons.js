/** Finds in words why a lead stands still. The list does not contain that, so it is asked for once for each lead, a few at a time. */
import { get, leadPath } from './api.js';

const mostAtOnce = 4;
const mostKept = 2_000;

/** @typedef {{ leadId: string, state: string, updatedAt: string }} Listed */

export function createReasons() {
  /** @type {Map<string, string>} */
  const known = new Map();
  /** @type {(() => Promise<void>)[]} */
  const queue = [];
  let busy = 0;

  function next() {
    const work = busy < mostAtOnce ? queue.shift() : undefined;
    if (!work) return;
    busy++;
    void work().finally(() => {
      busy--;
      next();
    });
    next();
  }

  return {
    /** Tells the reason, at once if it is known. @param {Listed} lead @param {(words: string) => void} tell */
    tell({ leadId, state, updatedAt }, tell) {
      const key = `${leadId} ${state} ${updatedAt}`;
      const there = known.get(key);
      if (there !== undefined) return tell(there);
      tell('');
      if (known.size > mostKept) known.clear();
      queue.push(async () => {
        const words = known.get(key) ?? reasonOf(await get(leadPath(leadId)).catch(() => undefined));
        if (words === undefined) return;
        known.set(key, words);
        tell(words);
      });
      next();
    },
    forget: () => void queue.splice(0),
  };
}

/** @param {{ state: string, steps: { error?: { message: string } }[] } | undefined} lead */
export function reasonOf(lead) {
  if (!lead) return undefined;
  const said = lead.steps.findLast(({ error }) => error)?.error?.message;
  if (said) return said;
  return lead.state === 'waiting' ? 'Another lead of the same person is under way: this one waits for its turn.' : '';
}
