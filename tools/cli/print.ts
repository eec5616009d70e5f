/** Formats output: columns, colours and JSON, without control characters from outside. */
import { randomBytes } from 'node:crypto';
import { stripVTControlCharacters, styleText } from 'node:util';
import type { Io } from './command';

type Style = Parameters<typeof styleText>[0];

/** Marks control characters of our own until output. Text from outside cannot contain the mark, because it is random. */
const mark = randomBytes(8).toString('hex');
const markControls = (text: string): string => text.replace(/\p{Cc}/gu, (control) => mark + control);
const controls = new RegExp(`${mark}(\\p{Cc})|[^\\P{Cc}\\n\\t]`, 'gu');

/** Removes control characters that are not our own. */
const sanitize = (text: string): string => text.replace(controls, (_, own: string | undefined) => own ?? '');

/** Wraps an Io so that all output is sanitized. */
export const sanitizedIo = (io: Io): Io => ({
  ...io,
  out: (text) => io.out(sanitize(text)),
  err: (text) => io.err(sanitize(text)),
});

/** Makes the next print overwrite the line. */
export const lineStart = markControls('\r');

/** Adds colour codes if the output shows colours. */
export const applyStyle = ({ hasColours }: Pick<Io, 'hasColours'>, style: Style, text: string): string =>
  hasColours ? markControls(styleText(style, sanitize(text), { validateStream: false })) : text;

export const heading = (io: Io, text: string): string => applyStyle(io, 'bold', text);

/** The visible width, without colour codes. */
const widthOf = (cell: string): number => stripVTControlCharacters(sanitize(cell)).length;

/** Aligns columns, with two spaces between them and no padding after the last. */
export function columns(rows: readonly (readonly string[])[], least = 0): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? least, widthOf(cell))));
  return rows
    .map((row) =>
      row
        .map((cell, at) => (at === row.length - 1 ? cell : cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell))))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** For text from outside: a line break in it could imitate a line of our output. */
export const onOneLine = (text: unknown): string => String(text).replace(/\s+/g, ' ');

/** Escapes DEL and the control characters above it: JSON allows them, but a terminal may act on them. */
const escapeControls = (written: string): string =>
  written.replace(/[\u007f-\u009f]/g, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const json = (value: unknown): string => `${escapeControls(JSON.stringify(value, null, 2))}\n`;
export const jsonLine = (value: unknown): string => `${escapeControls(JSON.stringify(value))}\n`;

/** Formats a time of the API for people, in UTC. */
export const shortTime = (iso: unknown): string => `${String(iso).slice(0, 19).replace('T', ' ')}Z`;

export const pluralize = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** Groups the items with the same key, in the order of the first of each group. */
export function groups<T>(items: readonly T[], keyOf: (item: T) => string): readonly (readonly T[])[] {
  const byKey = new Map<string, T[]>();
  for (const item of items) {
    const group = byKey.get(keyOf(item));
    if (group) group.push(item);
    else byKey.set(keyOf(item), [item]);
  }
  return [...byKey.values()];
}
