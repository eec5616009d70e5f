/**
 * Loads the key ring and checks the data directory for commands that do not start a service. It never creates either: a new key cannot
 * decrypt stored data, and would hide that the right key is missing.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { countByKey } from '../../src/audit/evidence';
import { auditDir } from '../../src/audit/lines';
import type { Config } from '../../src/config/config';
import { loadKeyRing, parseKeyRing, type KeyRing } from '../../src/keys/ring';
import { CommandError } from './command';

export const hasKeys = ({ LEADGATE_KEYS, LEADGATE_KEYS_FILE, LEADGATE_DATA_DIR }: Config): boolean =>
  Boolean(LEADGATE_KEYS) || existsSync(LEADGATE_KEYS_FILE ?? join(LEADGATE_DATA_DIR, 'keys'));

/** Counts the evidence on the audit trail of this machine by the id of its key; the empty id is for keys outside of the ring. */
export async function evidenceUse({ LEADGATE_DATA_DIR: dir }: Config, { fingerprints }: KeyRing): Promise<ReadonlyMap<string, number>> {
  const idOf = new Map([...fingerprints].map(([id, mark]) => [mark, id]));
  const use = new Map<string, number>();
  for (const [mark, count] of await countByKey(auditDir(resolve(dir)))) {
    const id = idOf.get(mark) ?? '';
    use.set(id, (use.get(id) ?? 0) + count);
  }
  return use;
}

/** Without keys, unencrypted data is still readable, and errors name the missing key. */
export const localKeys = (config: Config): KeyRing =>
  hasKeys(config) ? loadKeyRing(config) : parseKeyRing(`none:${randomBytes(32).toString('base64')}`);

/** Loads the existing key ring. `loadKeyRing` alone would create a key. */
export function requireKeys(config: Config): KeyRing {
  if (hasKeys(config)) return loadKeyRing(config);
  const { LEADGATE_KEYS_FILE: file } = config;
  if (file) throw new CommandError(`There are no encryption keys at ${resolve(file)}: see LEADGATE_KEYS_FILE`);
  requireDataDir(config);
  throw new CommandError(
    `There are no encryption keys at ${resolve(config.LEADGATE_DATA_DIR, 'keys')}: see LEADGATE_DATA_DIR, LEADGATE_KEYS and LEADGATE_KEYS_FILE`,
  );
}

export function requireDataDir({ LEADGATE_DATA_DIR: dir }: Config): void {
  if (!existsSync(dir)) throw new CommandError(`There is no data directory at ${resolve(dir)}: see LEADGATE_DATA_DIR`);
}
