/** Adds a key to the text of a key ring, or removes one. The caller reads and writes the file. */
import { randomBytes } from 'node:crypto';
import { ConfigError } from '../config/config';
import { parseKeyEntries, writeKeyEntries } from './ring';

/** The number of stored runs that were started with a key, and of the actions whose evidence it encrypts on this machine's audit trail. */
export interface KeyUse {
  readonly id: string;
  readonly open: number;
  readonly closed: number;
  readonly evidence?: number;
}

export interface KeyChange {
  readonly written: string;
  readonly id: string;
}

/**
 * Adds a new key in front: it encrypts from the next start on, and the others still decrypt. The hash key gets its own entry, so that the
 * order of the keys does not change the hashes.
 */
export function withNewKey(written: string, givenId?: string): KeyChange {
  const entries = parseKeyEntries(written);
  const taken = new Set(entries.keys.map(({ id }) => id));
  const id = givenId ?? freeId(taken);
  if (taken.has(id)) throw new ConfigError(`There is a key "${id}" already`);
  const changed = writeKeyEntries({ ...entries, keys: [{ id, key: randomBytes(32) }, ...entries.keys], hasHashEntry: true });
  // Throws if the given id is invalid.
  parseKeyEntries(changed);
  return { id, written: changed };
}

function freeId(taken: ReadonlySet<string>): string {
  let number = taken.size + 1;
  while (taken.has(`k${number}`)) number++;
  return `k${number}`;
}

/**
 * Removes a key. A run counts for the key that it was started with, but newer keys may have encrypted parts of it. So a key can be removed
 * only if no run of this key or of an older one, which follow it, is stored. The hash key stays in its own entry.
 */
export function withoutKey(written: string, id: string, use: readonly KeyUse[]): KeyChange {
  const entries = parseKeyEntries(written);
  const at = entries.keys.findIndex((entry) => entry.id === id);
  if (at < 0) throw new ConfigError(`There is no key "${id}"`);
  if (at === 0) throw new ConfigError(`The key "${id}" encrypts: add a new key first`);
  const needing = entries.keys.slice(at).map((entry) => entry.id);
  for (const { id: needed, open, closed } of use)
    if (needing.includes(needed) && open + closed > 0)
      throw new ConfigError(
        `The key "${id}" is still needed: of the key "${needed}" ${open} open and ${closed} closed runs are stored; closed runs are deleted after RETENTION_H`,
      );
  const evidence = use.find((each) => each.id === id)?.evidence ?? 0;
  if (evidence > 0)
    throw new ConfigError(
      `The key "${id}" is still needed: the evidence of ${evidence === 1 ? '1 action' : `${evidence} actions`} on the audit trail is encrypted with it, and is kept for AUDIT_RETENTION_D`,
    );
  const [first, ...others] = entries.keys;
  const keys = [first, ...others.filter((entry) => entry.id !== id)] as const;
  return { id, written: writeKeyEntries({ ...entries, keys, hasHashEntry: true }) };
}
