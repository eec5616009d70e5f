/** A ring with one key more or less. Pure: what is written where, and whether it may be, is for who asks. */
import { randomBytes } from 'node:crypto';
import { ConfigError } from '../config/config';
import { parseKeyEntries, writeKeyEntries } from './ring';

/** How many stored runs a key has written. */
export interface KeyUse {
  readonly id: string;
  readonly open: number;
  readonly closed: number;
}

export interface Changed {
  readonly written: string;
  readonly id: string;
}

/** The new key goes first and writes from the next start on; the others go on reading. From here on the order means nothing to the hashes. */
export function withNewKey(written: string, wantedId?: string): Changed {
  const entries = parseKeyEntries(written);
  const taken = new Set(entries.keys.map(({ id }) => id));
  const id = wantedId ?? freeId(taken);
  if (taken.has(id)) throw new ConfigError(`There is a key "${id}" already`);
  const changed = writeKeyEntries({ ...entries, keys: [{ id, key: randomBytes(32) }, ...entries.keys], hasHashEntry: true });
  // Read as it will be read: a wanted id may be none.
  parseKeyEntries(changed);
  return { id, written: changed };
}

function freeId(taken: ReadonlySet<string>): string {
  let number = taken.size + 1;
  while (taken.has(`k${number}`)) number++;
  return `k${number}`;
}

/**
 * What a key wrote is found by the runs that were begun with it, and it may have gone on writing into older ones: so a key goes when no run
 * of it and of the keys after it is stored. The hashes keep their key in an entry of its own.
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
