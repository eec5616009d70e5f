/** The one error of the client. `code` is the gateway's, or one of four of the client's own. */
import { remedyOf, type Remedy } from './meaning.ts';
import { errorCodes, type ErrorCode } from './generated/answers.ts';

/**
 * `NOT_REACHED`   nothing reached the gateway;
 * `NO_ANSWER`     the answer was lost, so nobody knows what became of the request;
 * `NOT_LEADGATE`  something else than Leadgate answered;
 * `STILL_OPEN`    the lead is accepted and goes on by itself; only the wait for its end is over.
 */
export type ClientCode = 'NOT_REACHED' | 'NO_ANSWER' | 'NOT_LEADGATE' | 'STILL_OPEN';

export interface Detail {
  readonly field: string;
  readonly message: string;
}

interface Facts {
  readonly baseUrl?: string;
  readonly status?: number;
  readonly details?: readonly Detail[];
  readonly step?: string;
  readonly upstreamStatus?: number;
  readonly retryable?: boolean;
  readonly retryAfterS?: number;
  readonly leadId?: string;
  readonly state?: string;
  readonly idempotencyKey?: string;
  readonly logId?: string;
  /** The whole body, with further fields such as `record`. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly isLead?: boolean;
  readonly cause?: unknown;
}

const ownAdvice: Readonly<Record<ClientCode, string>> = {
  NOT_REACHED: 'Check the address, and send the same again.',
  NO_ANSWER: 'Send the same again with the same Idempotency-Key.',
  NOT_LEADGATE: 'Check the address.',
  STILL_OPEN: 'Wait for the lead by its leadId.',
};

const adviceOf: Readonly<Record<string, string | undefined>> = {
  ...ownAdvice,
  ...Object.fromEntries(Object.entries(errorCodes).map(([code, { advice }]) => [code, advice])),
};

export class LeadgateError extends Error {
  override name = 'LeadgateError';
  /** Where the request went. */
  readonly baseUrl?: string;
  readonly status?: number;
  /** Every field that is wrong, or that the upstream names in its refusal. */
  readonly details: readonly Detail[];
  /** The step of a flow that failed. */
  readonly step?: string;
  /** The HTTP status with which the upstream refused. */
  readonly upstreamStatus?: number;
  /** Whether sending the same again is safe and may help. */
  readonly retryable: boolean;
  readonly retryAfterS?: number;
  /** Where a lead was accepted. */
  readonly leadId?: string;
  readonly state?: string;
  /** The key that the request had; a repeat with it sends nothing twice. */
  readonly idempotencyKey?: string;
  /** Names the request in the gateway's log. */
  readonly logId?: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly remedy: Remedy;
  /** One sentence for a person; empty for a code that this version does not know. */
  readonly advice: string;

  constructor(
    readonly code: ErrorCode | ClientCode | (string & {}),
    message: string,
    { cause, isLead = false, details = [], retryable = false, body = {}, ...facts }: Facts = {},
  ) {
    super(message, { cause });
    Object.assign(this, facts);
    this.details = details;
    this.retryable = retryable;
    this.body = body;
    this.remedy = remedyOf(this, isLead);
    this.advice = adviceOf[code] ?? '';
  }
}
