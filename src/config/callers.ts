/** Parses GATEWAY_API_KEYS: the name, key and scopes of each caller. */
import { createHash } from 'node:crypto';
import { ConfigError } from './config';
import { isScope, type Scope } from './scopes';

export interface Caller {
  readonly name: string;
  readonly scopes: readonly Scope[];
}

const personPrefix = 'person:';

/** The name of a person as a caller. The name of a key has no colon, so a person never has the rights over leads that a key sent. */
export const personCaller = (name: string): string => `${personPrefix}${name}`;

export const isPerson = ({ name }: Caller): boolean => name.startsWith(personPrefix);

const shortestKey = 20;

const expectation = 'GATEWAY_API_KEYS must be name:key or name:key:scope+scope entries, with the scopes send, leads, board and operator';

/** Keys are looked up by their hash, so that the time of a look-up reveals nothing about them. */
export const keyDigest = (key: string): string => createHash('sha256').update(key).digest('base64');

const entriesOf = (written: string): readonly string[] =>
  written
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter(Boolean);

/** Returns the callers by the digest of their key. */
export function callersByKey(written: string): ReadonlyMap<string, Caller> {
  const callers = new Map<string, Caller>();
  const entries = entriesOf(written);
  if (entries.length === 0) throw new ConfigError(expectation);
  for (const entry of entries) {
    const [name, key, scopePart = 'leads+board', ...rest] = entry.split(':');
    const parsed = scopePart.split('+').filter(isScope);
    if (!name || !key || rest.length > 0 || parsed.length !== scopePart.split('+').length) throw new ConfigError(expectation);
    if (key.length < shortestKey)
      throw new ConfigError(
        `GATEWAY_API_KEYS: the key of ${name} has fewer than ${shortestKey} characters: openssl rand -hex 24 makes one`,
      );
    const other = callers.get(keyDigest(key));
    if (other) throw new ConfigError(`GATEWAY_API_KEYS gives ${other.name} and ${name} the same key`);
    callers.set(keyDigest(key), { name, scopes: parsed });
  }
  return callers;
}

const fewestCharacters = 8;
const easyWord = /change-?me|replace-?me|passw|secret|example|letmein|qwert|your-?key|12345678|abcdefgh|87654321/i;

/** True if the key is one part, at most half as long, over and over. */
const isRepeated = (key: string): boolean =>
  Array.from({ length: Math.floor(key.length / 2) }, (_, at) => at + 1).some((length) => key.slice(length) === key.slice(0, -length));

/** Says what makes a key easy to guess. Names no part of it. */
const weaknesses: readonly (readonly [isWeak: (key: string) => boolean, why: string])[] = [
  [isRepeated, 'repeats itself'],
  [(key) => new Set(key).size < fewestCharacters, `has fewer than ${fewestCharacters} different characters`],
  [(key) => easyWord.test(key), 'contains a common word or sequence'],
];

/** Returns the callers whose keys are long enough, but easy to guess. */
export const weakKeys = (written: string): readonly { readonly name: string; readonly why: string }[] =>
  entriesOf(written).flatMap((entry) => {
    const [name = '', key = ''] = entry.split(':');
    const [, why] = weaknesses.find(([isWeak]) => isWeak(key)) ?? [];
    return why === undefined ? [] : [{ name, why }];
  });

/** Returns the names of the callers that may send leads. */
export const sendersIn = (written: string): ReadonlySet<string> =>
  new Set(
    [...callersByKey(written).values()].flatMap(({ name, scopes: has }) => (has.includes('send') || has.includes('leads') ? [name] : [])),
  );
