/**
 * The key ring of this machine for commands that read. It never makes a key: a new one could read nothing, and would hide that one is
 * missing.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config';
import { loadKeyRing, parseKeyRing, type KeyRing } from '../keys/ring';

export const hasKeys = ({ LEADGATE_KEYS, LEADGATE_KEYS_FILE, LEADGATE_DATA_DIR }: Config): boolean =>
  Boolean(LEADGATE_KEYS) || existsSync(LEADGATE_KEYS_FILE ?? join(LEADGATE_DATA_DIR, 'keys'));

/** Without keys it can still read what is stored in clear, and names the key that the rest needs. */
export const ownKeys = (config: Config): KeyRing =>
  hasKeys(config) ? loadKeyRing(config) : parseKeyRing(`none:${randomBytes(32).toString('base64')}`);
