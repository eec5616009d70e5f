/** Tells which columns a file of leads may have, by its flow's row in the contract, and reads their cells. */
import type { Endpoint } from '../../contract/endpoint';
import { leadColumn } from '../../contract/imports';
import { inputSchema, namesIn, type FieldNames } from '../../contract/input';
import { pick } from '../../domain/formats';
import type { JsonObject } from '../../domain/lead';

export interface Columns extends Pick<FieldNames, 'alike' | 'knows'> {
  /** Reads a row's cells, in the order of the names. A cell with an empty name is left out. */
  read(names: readonly string[], cells: readonly string[]): JsonObject;
}

const words: Readonly<Record<string, boolean>> = { true: true, yes: true, false: false, no: false };

export function columnsOf({ input }: Endpoint): Columns {
  const schema = inputSchema(input);
  const { properties = {} } = schema;
  const fields = namesIn(schema);
  const booleans = new Set(
    Object.entries(properties).flatMap(([name, { type, anyOf = [] }]) => ([type, anyOf[0]?.type].includes('boolean') ? [name] : [])),
  );
  const isNumbered = (name: string) => !Object.hasOwn(properties, name) && fields.knows(name);

  /** Reads true, false, yes and no. Any other word stays text, for the contract to refuse. */
  const value = (name: string, cell: string) => (booleans.has(name) ? (pick(words, cell.trim().toLowerCase()) ?? cell) : cell);

  return {
    knows: (name) => name === leadColumn || fields.knows(name),
    alike: fields.alike,
    // An empty cell is a field that was left out, except for a question: an empty answer tells that it was asked.
    read: (names, cells) =>
      Object.fromEntries(
        names
          .map((name, at) => [name, cells[at] ?? ''] as const)
          .filter(([name, cell]) => name !== '' && name !== leadColumn && (cell.trim() !== '' || isNumbered(name)))
          .map(([name, cell]) => [name, value(name, cell)]),
      ),
  };
}
