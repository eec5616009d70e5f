/**
 * The ids under which a request may run. The engine lets one open run hold an id, so an id made from the key or the body is
 * what makes a repeat find its run instead of starting another. Every id is a keyed hash: it tells nothing about what went in.
 */
import { randomBytes } from 'node:crypto';
import { accountOf } from '../domain/clinicsys';
import type { JsonObject } from '../domain/lead';
import { nameKey } from '../domain/taskboard';
import { sameEmail, term } from '../domain/terms';
import { base32, type KeyRing } from '../keys';
import { canonical } from './canonical';

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
  readonly leadId: string;
  readonly workflowId: string;
  /** The person's id, where this run must wait for it. */
  readonly turn?: string;
}

export interface Identities {
  /** The same for the same body on the same route. */
  readonly digest: string;
  /** In the order in which they are tried: the next one when another lead holds the one before. */
  readonly candidates: readonly [Identity, ...Identity[]];
}

const idCharacters = 20;

export function identify(asked: Asked, keys: KeyRing): Identities {
  const { name, body, given, dryRun, idempotencyKey, caller = '', carried } = asked;
  const digest = keys.hash('body', [name, String(dryRun), canonical(given)].join('\0'));
  const nonce = base32(randomBytes(8), 10);
  const identity = (kind: string, value: string, turn?: string): Identity => {
    const id = `${kind}${keys.hash(`${kind} id`, value, idCharacters)}`;
    return { leadId: carried === 'lead' && !dryRun ? `${id}-${nonce}` : '', workflowId: `lead-${id}`, turn };
  };

  const person = name === 'noPrescreen' && !dryRun ? identity('p', personOf(body)) : undefined;
  const turn = person?.workflowId ?? copyOf(asked, keys);
  if (idempotencyKey) return { digest, candidates: [identity('k', [caller, name, String(dryRun), idempotencyKey].join('\0'), turn)] };
  if (carried === 'call' || dryRun)
    return { digest, candidates: [{ leadId: '', workflowId: `call-${base32(randomBytes(16), 26)}`, turn }] };
  const sameBody = identity('b', digest, person?.workflowId);
  return { digest, candidates: person ? [person, sameBody] : [sameBody] };
}

/** Copies of the template under one name are made one after the other: that is how each run knows which copy is its own. */
const copyOf = ({ name, body }: Asked, keys: KeyRing): string | undefined =>
  name === 'createProject' && body.fromTemplate !== false
    ? `board-copy-${keys.hash('copy', nameKey(String(body.name)), idCharacters)}`
    : undefined;

const personOf = (body: JsonObject): string => [accountOf(body), term(body, 'site'), sameEmail(term(body, 'email') ?? '')].join('\0');
