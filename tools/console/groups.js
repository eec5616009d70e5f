/** Counts the stalled and failed leads by error and upstream. A click selects a group, and a second click clears it. */
import { h, keyed, set, write } from './dom.js';
import { narrowed } from './filter.js';
import { badge, troubleWords } from './words.js';

/** @typedef {{ state: string, code?: string, upstream?: string, count: number }} Group */

/** @param {(query: URLSearchParams) => string} addressOf */
export function createGroups(addressOf) {
  const list = h('ul', { class: 'chips groups', 'aria-label': 'Leads by error and upstream', hidden: true });

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

  /** @param {URLSearchParams} query @param {HTMLElement} item @param {Group} group */
  function fill(query, item, group) {
    const [link] = item.getElementsByTagName('a');
    const [number] = item.getElementsByTagName('b');
    if (link) set(link, 'href', addressFor(query, group));
    if (link) set(link, 'aria-current', isChosen(query, group) ? 'true' : undefined);
    if (number) write(number, group.count.toLocaleString());
  }

  return {
    list,
    /** @param {URLSearchParams} query @param {readonly Group[]} all */
    show(query, all) {
      const state = query.get('state');
      const groups = all.filter((group) => !state || group.state === state);
      list.hidden = groups.length === 0;
      keyed(
        list,
        groups,
        (group) => [group.state, group.code, group.upstream].join(' '),
        (group) => {
          const item = h('li', {}, h('a', {}, badge(group.state), ' ', troubleWords(group), ' ', h('b')));
          fill(query, item, group);
          return item;
        },
        (item, group) => fill(query, item, group),
      );
    },
  };
}
