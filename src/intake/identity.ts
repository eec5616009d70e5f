/**
 * The ids under which a request may run. The engine lets one open run hold an id, so an id made from the key, the person or the body is
 * what makes a repeat find its run instead of starting another. Every id is a keyed hash: it tells nothing about what went in.
 */
import { randomBytes } from 'node:crypto';
import { accountOf } from '../domain/clinicsys';
import type { JsonObject } from '../domain/lead';
import { emailOf } from '../domain/person';
import { nameKey } from '../domain/taskboard';
import { term } from '../domain/terms';
import { base32, type KeyRing } from '../keys/ring';

export interface Asked {
  /** The row of the contract. */
  readonly name: string;
  readonly carried: 'lead' | 'call';
  readonly body: JsonObject;
  /** The body as it came: two that differ in a field that nobody reads are still two. */
  readonly given: JsonObject;
  readonly dryRun: boolean;
  readonly idempotencyKey?: string;
  /** Whose request: keys of different callers are different keys. */
  readonly caller?: string;
}

export interface Identity {
  /** The same for the same body on the same route. */
  readonly digest: string;
  /** Drawn for this request: by it a run is known to be this request's. */
  readonly nonce: string;
  /** The request's own id: of its Idempotency-Key, or drawn, where it is no lead. A lead without a key runs under one of its homes. */
  readonly own?: string;
  /** Where an open lead of the same person or body is found, in the order in which they are asked. Empty for a call. */
  readonly homes: readonly string[];
  /** The id that the run must hold before it goes on, unless it runs under it. */
  readonly lock?: string;
}

const idCharacters = 20;

export function identify(asked: Asked, keys: KeyRing): Identity {
  const { name, body, given, dryRun, idempotencyKey, caller = '', carried } = asked;
  const digest = keys.hash('body', [name, String(dryRun), canonical(given)].join('\0'));
  const nonce = base32(randomBytes(8), 10);
  const hashed = (kind: string, ...values: string[]) => `${kind}${keys.hash(`${kind} id`, values.join('\0'), idCharacters)}`;
  const ofKey = idempotencyKey && hashed('k', caller, name, String(dryRun), idempotencyKey);

  if (carried === 'call' || dryRun)
    return { digest, nonce, own: `call-${ofKey ?? base32(randomBytes(16), 26)}`, homes: [], lock: copyOf(asked, keys) };
  const person = name === 'noPrescreen' ? `lead-${hashed('p', ...personOf(body))}` : undefined;
  const sameBody = `lead-${hashed('b', digest)}`;
  return { digest, nonce, own: ofKey && `lead-${ofKey}`, homes: person ? [person, sameBody] : [sameBody], lock: person };
}

/** Copies of the template under one name are made one after the other: that is how each run knows which copy is its own. */
const copyOf = ({ name, body }: Asked, keys: KeyRing): string | undefined =>
  name === 'createProject' && body.fromTemplate !== false
    ? `board-copy-${keys.hash('copy', nameKey(String(body.name)), idCharacters)}`
    : undefined;

const personOf = (body: JsonObject): string[] => [accountOf(body), term(body, 'site') ?? '', emailOf(body) ?? ''];

export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([name, part]) => `${JSON.stringify(name)}:${canonical(part)}`).join(',')}}`;
}
