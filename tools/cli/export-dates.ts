/**
 * Reads the dates of an export. A date is a span of moments, because it may have no time, no time zone, or no clear order of day and month.
 * What a comparison takes for sure must hold for the whole span.
 */

/** From the first moment that a date can mean, up to the last. */
export interface DateSpan {
  readonly from: number;
  readonly until: number;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The time zones of the earth. */
const offsetMostMs = 14 * hourMs;
const offsetLeastMs = -12 * hourMs;

const yearFirst = /^(?<year>\d{4})([-/.])(?<month>\d{1,2})\2(?<day>\d{1,2})/;
const yearLast = /^(?<one>\d{1,2})(?<mark>[-/.])(?<other>\d{1,2})\k<mark>(?<year>\d{4})/;
const timeForm =
  /^(?:(?:[Tt]|,?\s+)(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,]\d+)?)?(?:\s*(?<half>[AaPp])\.?[Mm]\.?)?)?\s*(?<zone>[Zz]|UTC|GMT|[+-]\d{2}:?\d{2})?$/;

type Order = 'month-first' | 'day-first';
const orders = ['month-first', 'day-first'] as const satisfies readonly Order[];

/** A date as it is written: on the clock of an unknown place, unless it has its offset. */
interface Written {
  readonly wall: number;
  /** How long the smallest unit of it lasts. */
  readonly unitMs: number;
  readonly offsetMs?: number;
}

function dayIn(cell: string, order: Order): { readonly at: number; readonly length: number } | undefined {
  const first = yearFirst.exec(cell);
  const last = first ? null : yearLast.exec(cell);
  const found = first ?? last;
  if (!found?.groups) return undefined;
  const { year, month, day, one, other, mark } = found.groups;
  const isDayFirst = mark === '.' || order === 'day-first';
  const parts = first ? [month, day] : isDayFirst ? [other, one] : [one, other];
  const [monthAt, dayAt] = parts.map(Number);
  const at = new Date(Date.UTC(Number(year), (monthAt ?? 0) - 1, dayAt));
  if (at.getUTCMonth() + 1 !== monthAt || at.getUTCDate() !== dayAt) return undefined;
  return { at: at.getTime(), length: found[0].length };
}

function offsetOf(zone: string | undefined): number | undefined {
  if (!zone) return undefined;
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  return sign ? Number(`${sign}1`) * (Number(hours) * hourMs + Number(minutes) * minuteMs) : 0;
}

function writtenIn(cell: string, order: Order): Written | undefined {
  const day = dayIn(cell, order);
  const time = day && timeForm.exec(cell.slice(day.length))?.groups;
  if (!time) return undefined;
  const { hour, minute, second, half, zone } = time;
  const offsetMs = offsetOf(zone);
  if (hour === undefined) return { wall: day.at, unitMs: dayMs, offsetMs };
  const isHalf = half !== undefined;
  const hours = isHalf ? (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hour);
  const isTime = hours < 24 && Number(minute) < 60 && Number(second ?? 0) < 60 && !(isHalf && Number(hour) > 12);
  if (!isTime) return undefined;
  const wall = day.at + hours * hourMs + Number(minute) * minuteMs + Number(second ?? 0) * secondMs;
  return { wall, unitMs: second === undefined ? minuteMs : secondMs, offsetMs };
}

/** The offsets that a time zone has around a moment: two at a change of the clocks. */
type OffsetsAt = (wall: number) => readonly number[];

function offsetsIn(timeZone: string): OffsetsAt {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const offsetAt = (at: number): number => {
    const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
    return offsetOf(name?.replace('GMT', '')) ?? 0;
  };
  return (wall) => [offsetAt(wall - dayMs), offsetAt(wall + dayMs)];
}

const anyOffset: OffsetsAt = () => [offsetLeastMs, offsetMostMs];

function spanOf({ wall, unitMs, offsetMs }: Written, offsetsAt: OffsetsAt): DateSpan {
  const offsets = offsetMs === undefined ? offsetsAt(wall) : [offsetMs];
  return { from: wall - Math.max(...offsets), until: wall + unitMs - 1 - Math.min(...offsets) };
}

/**
 * Reads the dates of one column. `timeZone` is that of dates without one. In 05/11/2026, the month is first or last as in the other cells of
 * the column; if these do not show it, the span has both.
 */
export function createDateReader(column: readonly string[], timeZone?: string): (cell: string) => DateSpan | undefined {
  const offsetsAt = timeZone === undefined ? anyOffset : offsetsIn(timeZone);
  const readings = (cell: string) => orders.map((order) => writtenIn(cell.trim(), order));
  const dates = column.map(readings).filter((written) => written.some((one) => one !== undefined));
  const possible = orders.map((_, at) => dates.every((written) => written[at] !== undefined));
  return (cell) => {
    const spans = readings(cell).flatMap((written, at) => (written && possible[at] ? [spanOf(written, offsetsAt)] : []));
    if (spans.length === 0) return undefined;
    return { from: Math.min(...spans.map(({ from }) => from)), until: Math.max(...spans.map(({ until }) => until)) };
  };
}
