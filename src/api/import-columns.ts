/** Which columns a flow knows and how a cell of each is read, from its row of the contract. */
import type { Endpoint } from '../contract/endpoint';
import { pick } from '../domain/formats';
import type { JsonObject } from '../domain/lead';
import { schemaOf } from './openapi';

/** A row that has a value here is a lead already. No flow has a field of this name. */
export const leadColumn = 'leadId';

export interface Columns {
  knows(name: string): boolean;
  /** A field that is written much like this name. */
  like(name: string): string | undefined;
  /** Cells in the order of the names; names that are empty are passed over. */
  read(names: readonly string[], cells: readonly string[]): JsonObject;
}

const alike = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

const words: Readonly<Record<string, boolean>> = { true: true, yes: true, false: false, no: false };

export function columnsOf({ input }: Endpoint): Columns {
  const { properties = {}, patternProperties = {}, allOf = [] } = schemaOf(input, 'input');
  const patterns = [patternProperties, ...allOf.map((part) => part.patternProperties ?? {})]
    .flatMap(Object.keys)
    .map((one) => new RegExp(one));
  const booleans = new Set(
    Object.entries(properties).flatMap(([name, { type, anyOf = [] }]) => ([type, anyOf[0]?.type].includes('boolean') ? [name] : [])),
  );
  const isNumbered = (name: string) => patterns.some((pattern) => pattern.test(name));
  const byLikeness = new Map(Object.keys(properties).map((name) => [alike(name), name]));

  /** What is no boolean in words stays text, for the contract to refuse. */
  const value = (name: string, cell: string) => (booleans.has(name) ? (pick(words, cell.trim().toLowerCase()) ?? cell) : cell);

  return {
    knows: (name) => name === leadColumn || Object.hasOwn(properties, name) || isNumbered(name),
    like: (name) => byLikeness.get(alike(name)),
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
