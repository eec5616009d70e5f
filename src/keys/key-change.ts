/** Adds a key to the text of a key ring, or takes one out. It reads and writes no file: the caller does. */
import { randomBytes } from 'node:crypto';
import { ConfigError } from '../config/config';
import { parseKeyEntries, writeKeyEntries } from './ring';

/** How many stored runs were begun with a key. */
export interface KeyUse {
  readonly id: string;
  readonly open: number;
  readonly closed: number;
}

export interface Changed {
  readonly written: string;
  readonly id: string;
}

/**
 * Puts a new key first: it encrypts from the next start on, and the others still decrypt. The key of the hashes gets an entry of its own,
 * so that the order of the keys does not change the hashes.
 */
export function withNewKey(written: string, wantedId?: string): Changed {
  const entries = parseKeyEntries(written);
  const taken = new Set(entries.keys.map(({ id }) => id));
  const id = wantedId ?? freeId(taken);
  if (taken.has(id)) throw new ConfigError(`There is a key "${id}" already`);
  const changed = writeKeyEntries({ ...entries, keys: [{ id, key: randomBytes(32) }, ...entries.keys], hasHashEntry: true });
  // Parsing the result throws if the wanted id is not a valid one.
  parseKeyEntries(changed);
  return { id, written: changed };
}

function freeId(taken: ReadonlySet<string>): string {
  let number = taken.size + 1;
  while (taken.has(`k${number}`)) number++;
  return `k${number}`;
}

/**
 * Takes a key out. A run is counted for the key that it was begun with, but a newer key may have written into it later. So a key may go
 * only if no run of it or of the older keys, which come after it, is stored. The key of the hashes stays, in an entry of its own.
 */
export function withoutKey(written: string, id: string, use: readonly KeyUse[]): Changed {
  const entries = parseKeyEntries(written);
  const at = entries.keys.findIndex((entry) => entry.id === id);
  if (at < 0) throw new ConfigError(`There is no key "${id}"`);
  if (at === 0) throw new ConfigError(`The key "${id}" writes: add a new one first`);
  const needing = entries.keys.slice(at).map((entry) => entry.id);
  for (const { id: needed, open, closed } of use)
    if (needing.includes(needed) && open + closed > 0)
      throw new ConfigError(
        `The key "${id}" is still needed: of the key "${needed}" ${open} open and ${closed} closed runs are stored; closed ones go with RETENTION_H`,
      );
  const [first, ...others] = entries.keys;
  const keys = [first, ...others.filter((entry) => entry.id !== id)] as const;
  return { id, written: writeKeyEntries({ ...entries, keys, hasHashEntry: true }) };
}
