/** Defines a run's memo, which describes its request. The engine returns it with the run, so no history is read. */
import type { SandboxBinding } from './execution-context';
import type { Order } from './redrive';
import type { Reference } from './reference';

export interface Memo {
  /** Identifies a repeat of the request. */
  readonly digest: string;
  /** Random, new for each request. */
  readonly nonce: string;
  /** True if the run was started with REJECT_DUPLICATE: it is the first of its workflow id. */
  readonly firstUnderId?: boolean;
  readonly binding: SandboxBinding;
  /** The X-Request-Id of the request that started the run. */
  readonly requestId?: string;
  /** The names of the API keys that sent the lead: the first, and those that sent the same body while it was open. Absent without keys. */
  readonly senders?: readonly string[];
  /** Absent for a lead that came without an Idempotency-Key. */
  readonly reference?: Reference;
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

/** Set on every attempt after the first: the order that started it. The same order never starts a second attempt. */
export interface AttemptMemo extends Order {
  /** The name of the caller's API key; absent if callers need none. */
  readonly by?: string;
  readonly reason: string;
  /** The names of the corrected fields. */
  readonly changed: readonly string[];
  /** When the lead was first received. */
  readonly receivedAt: string;
}

export const memoOf = ({ memo }: { readonly memo?: Record<string, unknown> }): Memo | undefined => memo?.lead as Memo | undefined;
