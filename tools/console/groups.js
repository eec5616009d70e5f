/** Counts the stalled and failed leads by error and upstream. A click selects a group, and a second click clears it. */
import { createChips } from './chips.js';
import { narrowed } from './filter.js';
import { badge, troubleWords } from './words.js';

/** @typedef {{ state: string, code?: string, upstream?: string, count: number }} Group */

/** @param {(query: URLSearchParams) => string} addressOf */
export function createGroups(addressOf) {
  const { list, show } = createChips('Leads by error and upstream', 'groups');
  list.hidden = true;

  /** @param {URLSearchParams} query @param {Group} group */
  const isChosen = (query, { state, code, upstream }) =>
    Boolean(code) && query.get('state') === state && query.get('code') === code && query.get('upstream') === (upstream ?? null);

  /** @param {URLSearchParams} query @param {Group} group */
  function addressFor(query, group) {
    const asked = narrowed(query);
    for (const [name, value] of [
      ['code', group.code],
      ['upstream', group.upstream],
    ])
      if (name && value && !isChosen(query, group)) asked.set(name, value);
      else if (name) asked.delete(name);
    asked.set('state', group.state);
    return addressOf(asked);
  }

  return {
    list,
    /** @param {URLSearchParams} query @param {readonly Group[]} all */
    show(query, all) {
      const state = query.get('state');
      const groups = all.filter((group) => !state || group.state === state);
      list.hidden = groups.length === 0;
      show(
        groups.map((group) => ({
          key: [group.state, group.code, group.upstream].join(' '),
          said: [badge(group.state), ' ', troubleWords(group)],
          href: addressFor(query, group),
          isChosen: isChosen(query, group),
          count: group.count,
        })),
      );
    },
  };
}
