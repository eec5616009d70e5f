/** The keys that this machine has. A command that reads makes none: a new key would read nothing, and hide that one is missing. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config';
import { loadKeyRing, parseKeyRing, type KeyRing } from '../keys/ring';

export const hasKeys = ({ LEADGATE_KEYS, LEADGATE_KEYS_FILE, LEADGATE_DATA_DIR }: Config): boolean =>
  Boolean(LEADGATE_KEYS) || existsSync(LEADGATE_KEYS_FILE ?? join(LEADGATE_DATA_DIR, 'keys'));

/** Without any it reads what was stored in clear, and says of the rest which key it needs. */
export const ownKeys = (config: Config): KeyRing =>
  hasKeys(config) ? loadKeyRing(config) : parseKeyRing(`none:${randomBytes(32).toString('base64')}`);
