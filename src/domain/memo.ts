/** A run's memory of its request. The engine tells it with the run, so nobody reads a history for it. */
import type { SandboxBinding } from './execution-context';
import type { Order } from './redrive';

export interface Memo {
  /** By the digest a repeat of the request is recognised. */
  readonly digest: string;
  /** Random, new for each request. */
  readonly nonce: string;
  /** True if the run was started with REJECT_DUPLICATE: the workflow id had no run then. */
  readonly firstUnderId?: boolean;
  readonly binding: SandboxBinding;
  /** The X-Request-Id of the request that began it. */
  readonly requestId?: string;
  /** The names of the keys that sent the lead: the first, and those whose same body attached to it. Absent if callers needed none. */
  readonly senders?: readonly string[];
  readonly redrive?: AttemptMemo;
  /** Set on a run that continues another. */
  readonly continues?: ContinuedMemo;
}

export interface ContinuedMemo {
  /** The id of the first run, which is in the lead's id. */
  readonly firstRunId: string;
  /** When the first run began. */
  readonly startedAt: string;
}

/** Set on every attempt after the first, with the order that started it. The same order never starts a second attempt. */
export interface AttemptMemo extends Order {
  /** The name of the caller's API key; absent if callers need none. */
  readonly by?: string;
  readonly reason: string;
  /** Names of the fields that were mended. */
  readonly changed: readonly string[];
  /** When the lead first came in. */
  readonly receivedAt: string;
}

export const memoOf = ({ memo }: { readonly memo?: Record<string, unknown> }): Memo | undefined => memo?.lead as Memo | undefined;
