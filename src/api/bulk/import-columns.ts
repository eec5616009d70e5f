/** Which columns a flow knows and how a cell of each is read, from its row of the contract. */
import type { Endpoint } from '../../contract/endpoint';
import { inputSchema, namesIn } from '../../contract/input';
import { pick } from '../../domain/formats';
import type { JsonObject } from '../../domain/lead';

/** A row that has a value here is a lead already. No flow has a field of this name. */
export const leadColumn = 'leadId';

export interface Columns {
  knows(name: string): boolean;
  /** A field that is written much like this name. */
  like(name: string): string | undefined;
  /** Cells in the order of the names; names that are empty are passed over. */
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

  /** What is no boolean in words stays text, for the contract to refuse. */
  const value = (name: string, cell: string) => (booleans.has(name) ? (pick(words, cell.trim().toLowerCase()) ?? cell) : cell);

  return {
    knows: (name) => name === leadColumn || fields.knows(name),
    like: fields.like,
    // A question without an answer is one that was asked; any other empty cell is a field that was left out.
    read: (names, cells) =>
      Object.fromEntries(
        names
          .map((name, at) => [name, cells[at] ?? ''] as const)
          .filter(([name, cell]) => name !== '' && name !== leadColumn && (cell.trim() !== '' || isNumbered(name)))
          .map(([name, cell]) => [name, value(name, cell)]),
      ),
  };
}
