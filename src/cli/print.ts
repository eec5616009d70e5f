/** How things are written for a person. */
import { styleText } from 'node:util';
import type { Io } from './command';

type Style = Parameters<typeof styleText>[0];

/** Colour codes only where somebody sees the colour; whoever made `io` has looked. */
export const styled = ({ hasColours }: Pick<Io, 'hasColours'>, style: Style, text: string): string =>
  hasColours ? styleText(style, text, { validateStream: false }) : text;

export const heading = (io: Io, text: string): string => styled(io, 'bold', text);

/** Two spaces between the columns, the last one as long as it is. */
export function columns(rows: readonly (readonly string[])[], least = 0): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? least, cell.length)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
