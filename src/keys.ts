/** The key ring: payload encryption keys by id, and the key that ids and search hashes are made with. */
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type Config } from './config';
import { codeOf } from './errors';

export interface KeyRing {
  /** The key that writes. */
  readonly current: { readonly id: string; readonly key: Buffer };
  readonly byId: ReadonlyMap<string, Buffer>;
  /** A keyed hash in base 32 (5 bits a character): ids and searchable hashes tell nothing about what went in. */
  hash(purpose: string, value: string, characters?: number): string;
}

const expectation = 'must be id:base64 entries of 32 bytes each, separated by commas or lines';

export function parseKeyRing(written: string, setting = 'LEADGATE_KEYS'): KeyRing {
  const entries = written
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((entry) => {
      const [, id, base64] = /^([A-Za-z0-9._-]{1,32}):([A-Za-z0-9+/]+={0,2})$/.exec(entry) ?? [];
      const key = Buffer.from(base64 ?? '', 'base64');
      if (!id || key.length !== 32) throw new ConfigError(`${setting} ${expectation}`);
      return [id, key] as const;
    });
  const [first] = entries;
  const oldest = entries.at(-1);
  if (!first || !oldest) throw new ConfigError(`${setting} ${expectation}`);
  const byId = new Map(entries);
  if (byId.size !== entries.length) throw new ConfigError(`${setting} names the same key id twice`);
  // The oldest key makes the hashes, so that putting a new key in front leaves ids and searches as they are.
  const hashKey = Buffer.from(hkdfSync('sha256', oldest[1], '', 'leadgate hashes', 32));
  return {
    current: { id: first[0], key: first[1] },
    byId,
    hash: (purpose, value, characters = 26) => base32(createHmac('sha256', hashKey).update(`${purpose}\0${value}`).digest(), characters),
  };
}

/** From the environment, from a file, or generated in the data dir for the embedded default. */
export function loadKeyRing(config: Config): KeyRing {
  if (config.LEADGATE_KEYS) return parseKeyRing(config.LEADGATE_KEYS);
  const file = config.LEADGATE_KEYS_FILE ?? generatedKeysFile(config.LEADGATE_DATA_DIR);
  if (!existsSync(file)) throw new ConfigError(`LEADGATE_KEYS_FILE: there is no file ${file}`);
  return parseKeyRing(readFileSync(file, 'utf8'), 'LEADGATE_KEYS_FILE');
}

function generatedKeysFile(dataDir: string): string {
  const file = join(dataDir, 'keys');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    // `wx` lets exactly one of several processes that start together make the file.
    writeFileSync(file, `k1:${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  return file;
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Crockford's base 32: no letter that reads like a digit, safe in URLs, said easily over the phone. */
export function base32(bytes: Uint8Array, characters: number): string {
  let out = '';
  for (let at = 0; out.length < characters; at += 5) {
    const byte = at >> 3;
    const pair = ((bytes[byte] ?? 0) << 8) | (bytes[byte + 1] ?? 0);
    out += alphabet[(pair >> (11 - (at & 7))) & 31];
  }
  return out;
}
