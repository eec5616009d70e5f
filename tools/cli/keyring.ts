/**
 * The key ring and the data directory of this machine for commands that do not start a service. They never make either: a new key could
 * read nothing, and would hide that one is missing.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../src/config/config';
import { loadKeyRing, parseKeyRing, type KeyRing } from '../../src/keys/ring';
import { Unable } from './command';

export const hasKeys = ({ LEADGATE_KEYS, LEADGATE_KEYS_FILE, LEADGATE_DATA_DIR }: Config): boolean =>
  Boolean(LEADGATE_KEYS) || existsSync(LEADGATE_KEYS_FILE ?? join(LEADGATE_DATA_DIR, 'keys'));

/** Without keys it can still read what is stored in clear, and names the key that the rest needs. */
export const ownKeys = (config: Config): KeyRing =>
  hasKeys(config) ? loadKeyRing(config) : parseKeyRing(`none:${randomBytes(32).toString('base64')}`);

/** The key ring that there is. `loadKeyRing` alone would make a key. */
export function givenKeys(config: Config): KeyRing {
  if (hasKeys(config)) return loadKeyRing(config);
  const { LEADGATE_KEYS_FILE: file } = config;
  if (file) throw new Unable(`There are no encryption keys at ${resolve(file)}: see LEADGATE_KEYS_FILE`);
  mustHaveDataDir(config);
  throw new Unable(
    `There are no encryption keys at ${resolve(config.LEADGATE_DATA_DIR, 'keys')}: see LEADGATE_DATA_DIR, LEADGATE_KEYS and LEADGATE_KEYS_FILE`,
  );
}

export function mustHaveDataDir({ LEADGATE_DATA_DIR: dir }: Config): void {
  if (!existsSync(dir)) throw new Unable(`There is no data directory at ${resolve(dir)}: see LEADGATE_DATA_DIR`);
}
