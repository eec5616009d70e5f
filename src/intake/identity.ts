/**
 * Compares requests by their digests, and derives the workflow id of a request: from its Idempotency-Key, else from its body. The engine
 * allows only one open run per workflow id, so a repeat finds the first run instead of starting another. Digests and ids are keyed hashes
 * and reveal nothing about their content.
 */
import { randomBytes } from 'node:crypto';
import { ApiError } from '../contract/errors';
import { accountOf } from '../domain/clinicsys';
import type { JsonObject } from '../domain/lead';
import { emailOf, term } from '../domain/found-by';
import type { Order } from '../domain/redrive';
import { nameKey } from '../domain/taskboard';
import type { KeyRing } from '../keys/ring';
import { base32 } from '../lib/base32';

export interface IdentityInput {
  /** The name of the row in the contract, which is also the workflow's type. */
  readonly name: string;
  readonly carried: 'lead' | 'call';
  readonly body: JsonObject;
  /** The body as received. Two bodies that differ only in an unknown field are two requests. */
  readonly given: JsonObject;
  /** For a redrive that changes no field: the digest of the attempt before, because the body as received is not stored. */
  readonly digest?: string;
  readonly dryRun: boolean;
  readonly idempotencyKey?: string;
  /** The caller's name. The same Idempotency-Key of two callers counts as two keys. */
  readonly caller?: string;
}

export interface Identity {
  /** Equal for equal requests. */
  readonly digest: string;
  /** Random for each request. A run with this nonce was started by this request. */
  readonly nonce: string;
  /** Derived from the Idempotency-Key, else from the body. A call without a key has a random id. */
  readonly workflowId: string;
  /** The lock that the run takes first: of the person, or of the name of the project that it copies. */
  readonly lock?: string;
}

const idCharacters = 20;

/** A hash of the route and of the body as received. */
export const digestOf = (
  keys: KeyRing,
  { name, given, dryRun = false }: Pick<IdentityInput, 'name' | 'given'> & Partial<IdentityInput>,
): string => keys.hash('body', [name, String(dryRun), canonical(given)].join('\0'));

/**
 * Throws if this Idempotency-Key was used with another request. `first` is the digest of that request, and `lead` is its lead. Call it
 * before anything is started.
 */
export function assertSameRequest(digest: string | undefined, first: string | undefined, lead?: { leadId: string; state: unknown }): void {
  if (digest === first) return;
  const used = lead
    ? `This Idempotency-Key belongs to the lead ${lead.leadId}, which has another body`
    : 'This Idempotency-Key was used with another body';
  throw new ApiError('IDEMPOTENCY_KEY_REUSED', `${used}: send this one with a new key`, { errorContext: { ...lead } });
}

/** Returns the order of a request, which is carried out once per Idempotency-Key. Undefined without a key: each request is a new order. */
export function orderOf(
  keys: KeyRing,
  { name, given, caller = '', idempotencyKey }: Pick<IdentityInput, 'name' | 'given' | 'caller' | 'idempotencyKey'>,
): Required<Order> | undefined {
  if (idempotencyKey === undefined) return undefined;
  return { orderId: keys.hash('order', [caller, idempotencyKey].join('\0')), orderDigest: digestOf(keys, { name, given }) };
}

export function identify(request: IdentityInput, keys: KeyRing): Identity {
  const { name, body, dryRun, idempotencyKey, caller = '', carried } = request;
  const { digest = digestOf(keys, request) } = request;
  const nonce = base32(randomBytes(8), 10);
  const hashed = (kind: string, ...values: string[]) => `${kind}${keys.hash(`${kind} id`, values.join('\0'), idCharacters)}`;
  const ofKey = idempotencyKey && hashed('k', caller, name, String(dryRun), idempotencyKey);

  if (carried === 'call' || dryRun)
    return { digest, nonce, workflowId: `call-${ofKey ?? base32(randomBytes(16), 26)}`, lock: copyLockOf(request, keys) };
  const lock = name === 'noPrescreen' ? `person-${keys.hash('person', personKey(body).join('\0'), idCharacters)}` : undefined;
  return { digest, nonce, workflowId: `lead-${ofKey ?? hashed('b', digest)}`, lock };
}

/** Copies of the template under one name are made one at a time, so that each run can identify its own copy. */
const copyLockOf = ({ name, body }: IdentityInput, keys: KeyRing): string | undefined =>
  name === 'createProject' && body.fromTemplate !== false
    ? `board-copy-${keys.hash('copy', nameKey(String(body.name)), idCharacters)}`
    : undefined;

const personKey = (body: JsonObject): string[] => [accountOf(body), term(body, 'site') ?? '', emailOf(body) ?? ''];

/** Returns JSON with sorted keys, so that equal values have equal text. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([name, part]) => `${JSON.stringify(name)}:${canonical(part)}`).join(',')}}`;
}
