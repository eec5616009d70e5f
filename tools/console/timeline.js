/** Shows the timeline of a lead's steps, exchanges and decisions in chronological order. */
import { counted, h, keyed, outside } from './dom.js';
import { span, time } from './time.js';
import { asksUpstream, badge, callName, noAnswerOf, outcomeOf, rawAnswerWords, stepName } from './words.js';

/**
 * @typedef {import('./story.js').Story} Story
 * @typedef {import('./story.js').Step} Step
 * @typedef {import('./story.js').Exchange} Exchange
 * @typedef {import('./story.js').Decision} Decision
 * @typedef {{ key: string, step: Step, exchanges: Exchange[], decisions: Decision[] }} Item
 */

/** @param {Element} list @param {Story} story */
export const showTimeline = (list, story) =>
  keyed(
    list,
    itemsOf(story),
    ({ key }) => key,
    timelineItem,
    (element, item) => replaceChanged(element, timelineItem(item)),
  );

/** More than this in one step is folded, except for the newest. */
const mostShown = 5;
const newestShown = 2;

/** Replaces a changed item, and keeps open details and the focus. @param {HTMLElement} element @param {HTMLElement} next */
function replaceChanged(element, next) {
  if (element.getAttribute('data-said') === next.getAttribute('data-said')) return element;
  const open = new Map([...element.querySelectorAll('details')].map((details) => [details.getAttribute('data-key'), details.open]));
  const focused = document.activeElement?.tagName === 'SUMMARY' && element.contains(document.activeElement) && document.activeElement;
  const focusedKey = focused && focused.parentElement?.getAttribute('data-key');
  const all = [...next.querySelectorAll('details')];
  for (const details of all) details.open = open.get(details.getAttribute('data-key')) ?? details.open;
  element.replaceWith(next);
  const refocused = focusedKey ? all.find((details) => details.getAttribute('data-key') === focusedKey) : undefined;
  refocused?.querySelector('summary')?.focus();
  return next;
}

/** @param {Story} story @returns {Item[]} */
function itemsOf({ attempt, steps, exchanges, decisions }) {
  return steps.map((step, at) => {
    const own = exchanges.filter((exchange) => exchange.step === step.name);
    const upTo = steps[at + 1]?.startedAt ?? '9';
    const from = at === 0 ? '' : (step.startedAt ?? '9');
    return { key: `${attempt} ${step.name}`, step, exchanges: own, decisions: decisions.filter((one) => one.at >= from && one.at < upTo) };
  });
}

/** @param {Item} item */
function timelineItem(item) {
  const { step, exchanges, decisions } = item;
  const isTrouble = ['failed', 'parked'].includes(step.state);
  const last = exchanges.findLast(({ error }) => error);
  const happened = [
    // At the same time, the decision comes first, because it started the exchange.
    ...decisions.map((decision) => ({ at: decision.at, isCall: false, shown: decisionOf(decision) })),
    ...exchanges.map((exchange) => ({
      at: exchange.startedAt ?? exchange.endedAt ?? '',
      isCall: true,
      shown: exchangeOf(exchange, isTrouble && exchange === last, step.error?.message),
    })),
  ].toSorted((one, other) => one.at.localeCompare(other.at));
  return h(
    'li',
    { 'data-said': JSON.stringify(item), class: step.state },
    h('div', { class: 'title' }, h('h3', {}, stepName(step.name)), badge(step.state)),
    h(
      'p',
      { class: 'soft' },
      ...timesOf(step, exchanges.filter(({ call, status, error }) => asksUpstream(call) && (status || error)).length),
    ),
    step.error && h('p', { class: 'why' }, step.error.message),
    ...folded(happened),
  );
}

/**
 * Folds all but the newest into one line that opens on demand, so that many tries stay short.
 * @param {readonly { at: string, isCall: boolean, shown: HTMLElement }[]} happened
 */
function folded(happened) {
  if (happened.length <= mostShown) return happened.map(({ shown }) => shown);
  const earlier = happened.slice(0, -newestShown);
  const [first, last] = [earlier.at(0)?.at ?? '', earlier.at(-1)?.at ?? ''];
  const calls = earlier.filter(({ isCall }) => isCall).length;
  const decided = earlier.length - calls;
  const counts = [`${calls.toLocaleString()} earlier calls`, decided > 0 && counted(decided, 'decision')];
  return [
    h(
      'details',
      { class: 'exchange tries', 'data-key': 'earlier' },
      h(
        'summary',
        {},
        h('b', {}, counts.filter(Boolean).join(', ')),
        ' ',
        h('span', { class: 'soft' }, 'first ', time(first), ' · last ', time(last)),
      ),
      ...earlier.map(({ shown }) => shown),
    ),
    ...happened.slice(-newestShown).map(({ shown }) => shown),
  ];
}

/** @param {Step} step @param {number} requests that went to an upstream */
function timesOf({ startedAt, endedAt }, requests) {
  if (!startedAt) return ['Not started'];
  const took = endedAt ? [` · took ${span(Date.parse(endedAt) - Date.parse(startedAt))}`] : [];
  return [time(startedAt), ...took, requests > 1 ? ` · ${requests} calls` : ''];
}

/** @param {Exchange} exchange @param {boolean} isOpen @param {string} [said] a message that the step already shows */
function exchangeOf(exchange, isOpen, said = '') {
  const { call, temporalUrl, startedAt, endedAt, request, answer, rawAnswer, error, fields = [] } = exchange;
  const took = endedAt && startedAt ? ` · ${span(Date.parse(endedAt) - Date.parse(startedAt))}` : '';
  return h(
    'details',
    { open: isOpen, class: error ? 'exchange bad' : 'exchange', 'data-key': `${call} ${startedAt ?? endedAt}` },
    h(
      'summary',
      {},
      h('b', {}, callName(call)),
      ' ',
      h('span', {}, outcomeOf(exchange)),
      ' ',
      h('span', { class: 'soft' }, time(startedAt ?? endedAt ?? ''), took),
    ),
    fields.length > 0 && h('p', { class: 'pointed' }, `Named in the refusal: ${fields.join(', ')}`),
    error && !said.startsWith(error.message) && h('p', {}, error.message),
    h(
      'div',
      { class: 'pair' },
      data('Request', request, fields, 'Not stored.'),
      rawAnswer ? rawData(rawAnswer) : data('Answer', answer, fields, noAnswerOf(exchange)),
    ),
    temporalUrl && h('p', {}, outside(temporalUrl, 'Event in Temporal')),
  );
}

/** @param {string} title @param {unknown} value @param {string[]} fields @param {string} absent */
function data(title, value, fields, absent) {
  const shown = value === undefined || value === null ? h('p', { class: 'soft' }, absent) : tree(value, new Set(fields));
  return h('div', {}, h('h4', {}, title), shown);
}

/** An answer that was not understood: its text if it is shown in clear. @param {NonNullable<Exchange['rawAnswer']>} rawAnswer */
function rawData(rawAnswer) {
  const { text } = rawAnswer;
  const about = h('p', { class: 'soft' }, rawAnswerWords(rawAnswer));
  return h('div', {}, h('h4', {}, 'Answer'), about, text !== undefined && h('pre', { tabindex: 0 }, text));
}

/** @param {Decision} decision */
const decisionOf = ({ at, verb, reason, upstreamId, by = 'A person' }) =>
  h(
    'p',
    { class: 'decision' },
    h('b', {}, `${by} decided: ${verb}`),
    upstreamId ? ` (${upstreamId})` : '',
    ` — ${reason} `,
    h('span', { class: 'soft' }, time(at)),
  );

/** Formatted JSON, with the named fields highlighted. @param {unknown} value @param {Set<string>} marked */
function tree(value, marked) {
  const lines = JSON.stringify(value, null, 2).split('\n');
  const shown = lines.flatMap((line) => {
    const [, name] = /^\s*"((?:[^"\\]|\\.)*)": /.exec(line) ?? [];
    return [name !== undefined && marked.has(name) ? h('mark', {}, line) : line, '\n'];
  });
  return h('pre', { tabindex: 0 }, ...shown);
}

/** @param {Record<string, unknown>} fields @param {Set<string>} marked */
export const fieldList = (fields, marked) =>
  h(
    'dl',
    { class: 'facts' },
    ...Object.entries(fields).map(([name, value]) =>
      h(
        'div',
        { class: marked.has(name) ? 'marked' : undefined },
        h('dt', {}, name),
        h('dd', {}, typeof value === 'string' ? value : JSON.stringify(value)),
      ),
    ),
  );
