/** How things are written for a person. */
import { randomBytes } from 'node:crypto';
import { stripVTControlCharacters, styleText } from 'node:util';
import type { Io } from './command';

type Style = Parameters<typeof styleText>[0];

/** Stands before each control character of ours until it is printed: what comes from outside cannot know it. */
const mark = randomBytes(8).toString('hex');
const marked = (text: string): string => text.replace(/\p{Cc}/gu, (control) => mark + control);
const controls = new RegExp(`${mark}(\\p{Cc})|[^\\P{Cc}\\n\\t]`, 'gu');

/** As it goes to the terminal: a control character that is not ours does nothing there. */
const printed = (text: string): string => text.replace(controls, (_, own: string | undefined) => own ?? '');

/** All that a command prints goes through here. */
export const printing = (io: Io): Io => ({
  ...io,
  out: (text) => io.out(printed(text)),
  err: (text) => io.err(printed(text)),
});

/** What is printed next is written over the line. */
export const lineStart = marked('\r');

/** Colour codes only where somebody sees the colour; whoever made `io` has looked. */
export const styled = ({ hasColours }: Pick<Io, 'hasColours'>, style: Style, text: string): string =>
  hasColours ? marked(styleText(style, printed(text), { validateStream: false })) : text;

export const heading = (io: Io, text: string): string => styled(io, 'bold', text);

/** A colour takes no room. */
const widthOf = (cell: string): number => stripVTControlCharacters(printed(cell)).length;

/** Two spaces between the columns, the last one as long as it is. */
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

/** From outside, where a new line would be taken for one of ours. */
export const inLine = (text: unknown): string => String(text).replace(/\s+/g, ' ');

/** JSON may have DEL and what is above it as it is; a terminal may act on it. */
const escaped = (written: string): string =>
  written.replace(/[\u007f-\u009f]/g, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const json = (value: unknown): string => `${escaped(JSON.stringify(value, null, 2))}\n`;
export const jsonLine = (value: unknown): string => `${escaped(JSON.stringify(value))}\n`;

export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
