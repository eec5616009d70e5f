/** Derives the columns of a file of leads from its flow's row in the contract, and reads their cells. */
import type { Endpoint } from '../../contract/endpoint';
import { leadColumn } from '../../contract/imports';
import { inputSchema, namesIn, type FieldNames } from '../../contract/input';
import { pick } from '../../domain/formats';
import type { JsonObject } from '../../domain/lead';

export interface Columns extends Pick<FieldNames, 'alike' | 'knows'> {
  /** Reads the cells of a row, in the order of the names. Ignores cells without a name. */
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

  /** Converts true, false, yes and no. Any other word stays text, which the contract then rejects. */
  const value = (name: string, cell: string) => (booleans.has(name) ? (pick(words, cell.trim().toLowerCase()) ?? cell) : cell);

  return {
    knows: (name) => name === leadColumn || fields.knows(name),
    alike: fields.alike,
    // An empty cell means that the field is absent, except for a question, where it means "asked but not answered".
    read: (names, cells) =>
      Object.fromEntries(
        names
          .map((name, at) => [name, cells[at] ?? ''] as const)
          .filter(([name, cell]) => name !== '' && name !== leadColumn && (cell.trim() !== '' || isNumbered(name)))
          .map(([name, cell]) => [name, value(name, cell)]),
      ),
  };
}
