/** How things are written for a person. */
import { stripVTControlCharacters, styleText } from 'node:util';
import type { Io } from './command';

type Style = Parameters<typeof styleText>[0];

/** Colour codes only where somebody sees the colour; whoever made `io` has looked. */
export const styled = ({ hasColours }: Pick<Io, 'hasColours'>, style: Style, text: string): string =>
  hasColours ? styleText(style, text, { validateStream: false }) : text;

export const heading = (io: Io, text: string): string => styled(io, 'bold', text);

/** A colour takes no room. */
const widthOf = (cell: string): number => stripVTControlCharacters(cell).length;

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

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
