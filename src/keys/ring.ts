/** Reads the key ring: the encryption keys of payloads by id, and the key of ids and searchable hashes. */
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type Config } from '../config/config';
import { base32 } from '../lib/base32';
import { codeOf } from '../lib/errors';
import { log } from '../lib/log';

export interface KeyRing {
  /** The key that encrypts; all others only decrypt. */
  readonly current: { readonly id: string; readonly key: Buffer };
  readonly byId: ReadonlyMap<string, Buffer>;
  /** By key id, what is stored with each run that was started with the key: its id, its fingerprint and that of the hash key. */
  readonly fingerprints: ReadonlyMap<string, string>;
  /** Returns a keyed hash in base 32 (5 bits a character) for ids and searches. It reveals nothing about the value. */
  hash(purpose: string, value: string, characters?: number): string;
}

const expectation = 'must be id:base64 entries of 32 bytes each, separated by commas or lines';
/** The id of the entry of the hash key, which is kept when the oldest key is retired. It never encrypts. */
const hashEntry = 'hash';

export interface KeyEntry {
  readonly id: string;
  readonly key: Buffer;
}

export interface KeyEntries {
  /** The first one encrypts. */
  readonly keys: readonly [KeyEntry, ...KeyEntry[]];
  readonly hashKey: Buffer;
  /** True if the hash key has its own entry. */
  readonly hasHashEntry: boolean;
}

export function parseKeyEntries(written: string, setting = 'LEADGATE_KEYS'): KeyEntries {
  const entries = written
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((entry) => {
      const [, id, base64] = /^([A-Za-z0-9._-]{1,32}):([A-Za-z0-9+/]+={0,2})$/.exec(entry) ?? [];
      const key = Buffer.from(base64 ?? '', 'base64');
      if (!id || key.length !== 32) throw new ConfigError(`${setting} ${expectation}`);
      return { id, key };
    });
  if (new Set(entries.map(({ id }) => id)).size !== entries.length) throw new ConfigError(`${setting} names the same key id twice`);
  const [first, ...others] = entries.filter(({ id }) => id !== hashEntry);
  if (!first) throw new ConfigError(`${setting} ${expectation}`);
  const own = entries.find(({ id }) => id === hashEntry)?.key;
  // Without its own entry, the hash key is derived from the oldest key, so that a new key in front changes no id.
  return { keys: [first, ...others], hashKey: own ?? derived((others.at(-1) ?? first).key, 'leadgate hashes'), hasHashEntry: Boolean(own) };
}

export const writeKeyEntries = ({ keys, hashKey, hasHashEntry }: KeyEntries): string =>
  [...keys, ...(hasHashEntry ? [{ id: hashEntry, key: hashKey }] : [])].map(({ id, key }) => `${id}:${key.toString('base64')}`).join('\n');

const derived = (key: Buffer, purpose: string) => Buffer.from(hkdfSync('sha256', key, '', purpose, 32));

/** Distinguishes two keys with the same id, and reveals nothing about them. */
export const fingerprint = (key: Buffer): string => base32(derived(key, 'leadgate fingerprint'), 8);

export function parseKeyRing(written: string, setting = 'LEADGATE_KEYS'): KeyRing {
  const { keys, hashKey } = parseKeyEntries(written, setting);
  const [current] = keys;
  return {
    current,
    byId: new Map(keys.map(({ id, key }) => [id, key])),
    fingerprints: new Map(keys.map(({ id, key }) => [id, [id, fingerprint(key), fingerprint(hashKey)].join(':')])),
    hash: (purpose, value, characters = 26) => base32(createHmac('sha256', hashKey).update(`${purpose}\0${value}`).digest(), characters),
  };
}

export interface KeySource {
  readonly written: string;
  readonly setting: 'LEADGATE_KEYS' | 'LEADGATE_KEYS_FILE';
  /** The file of the keys; absent if they are set in the environment. */
  readonly file?: string;
}

/** Reads the keys from the environment or a file, or generates one in the data directory. */
export function readKeys(config: Config): KeySource {
  if (config.LEADGATE_KEYS) return { written: config.LEADGATE_KEYS, setting: 'LEADGATE_KEYS' };
  // Generated keys are unknown to other machines, and are lost with the data directory.
  if (!config.LEADGATE_KEYS_FILE && config.NODE_ENV === 'production') throw new ConfigError(howToMakeKeys);
  const file = config.LEADGATE_KEYS_FILE ?? generatedKeysFile(config.LEADGATE_DATA_DIR);
  if (!existsSync(file)) throw new ConfigError(`LEADGATE_KEYS_FILE: there is no file ${file}`);
  return { written: readFileSync(file, 'utf8'), setting: 'LEADGATE_KEYS_FILE', file };
}

export function loadKeyRing(config: Config): KeyRing {
  const { written, setting } = readKeys(config);
  return parseKeyRing(written, setting);
}

const howToMakeKeys = [
  'In production (NODE_ENV) the encryption keys must be set: set LEADGATE_KEYS_FILE or LEADGATE_KEYS.',
  '  Create a file with one key for every API and every worker, and keep a copy of it elsewhere:',
  '',
  '    (umask 077; printf \'k1:%s\\n\' "$(openssl rand -base64 32)" > leadgate-keys)',
  '    LEADGATE_KEYS_FILE=leadgate-keys npm start',
].join('\n');

function generatedKeysFile(dataDir: string): string {
  const file = join(dataDir, 'keys');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    // With `wx`, only one of several processes that start together creates the file.
    writeFileSync(file, `k1:${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
    log.info('generated an encryption key: keep a copy elsewhere', { file });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  return file;
}
