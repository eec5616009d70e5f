/** Formats times for people: an age or the local time, with the exact time as a tooltip. */
import { h, write } from './dom.js';

const units = /** @type {const} */ ([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
]);

/** @param {number} ms */
export function span(ms) {
  for (const [name, size] of units) if (ms >= size) return `${Math.floor(ms / size)} ${name}`;
  return `${Math.max(0, Math.round(ms))} ms`;
}

/** An age in whole seconds, because it is updated continuously. @param {string} iso */
export function age(iso) {
  const ms = Date.now() - Date.parse(iso);
  return ms < 1_000 ? 'now' : span(ms);
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const dayAndClock = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** @param {string} iso */
export function local(iso) {
  const moment = new Date(iso);
  const isToday = moment.toDateString() === new Date().toDateString();
  return (isToday ? clock : dayAndClock).format(moment);
}

/** The zone of the times that are shown, such as `UTC` or `GMT+1`. */
export const zone = () =>
  new Intl.DateTimeFormat(undefined, { timeZoneName: 'short' }).formatToParts().find(({ type }) => type === 'timeZoneName')?.value ?? '';

/** @param {string} iso @param {(iso: string) => string} [as] */
export const time = (iso, as = local) => h('time', { datetime: iso, title: iso }, as(iso));

/** An age that `grow` updates. @param {string} iso */
export const ageOf = (iso) => h('time', { datetime: iso, title: `${local(iso)} · ${iso}`, 'data-age': true }, age(iso));

/** @param {ParentNode} parent */
export function grow(parent) {
  for (const element of parent.querySelectorAll('time[data-age]')) write(element, age(element.getAttribute('datetime') ?? ''));
}

/** Formats a time for a `datetime-local` input, exactly, so that an unchanged form keeps the time. @param {string | null} iso */
export function forInput(iso) {
  if (!iso) return '';
  const moment = new Date(iso);
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().replace(/(:00)?(\.000)?Z$/, '');
}
