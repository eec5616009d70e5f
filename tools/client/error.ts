/** Defines the error of the client. Its `code` is an error code of the gateway, or one of four of the client. */
import { remedyOf, type Remedy } from './meaning.ts';
import { errorCodes, type ErrorCode } from './generated/answers.ts';

/**
 * `NOT_REACHED`   the request did not reach the gateway;
 * `NO_ANSWER`     the answer was lost, so the outcome is unknown;
 * `NOT_LEADGATE`  another server answered;
 * `STILL_OPEN`    the lead is accepted and in progress; only the wait for its end has timed out.
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
  /** The whole body, including further fields such as `record`. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly isLead?: boolean;
  readonly cause?: unknown;
}

const ownAdvice: Readonly<Record<ClientCode, string>> = {
  NOT_REACHED: 'Check the address, and send the request again.',
  NO_ANSWER: 'Send the request again with the same Idempotency-Key.',
  NOT_LEADGATE: 'Check the address.',
  STILL_OPEN: 'Wait for the lead with waitForLead(leadId).',
};

const adviceOf: Readonly<Record<string, string | undefined>> = {
  ...ownAdvice,
  ...Object.fromEntries(Object.entries(errorCodes).map(([code, { advice }]) => [code, advice])),
};

export class LeadgateError extends Error {
  override name = 'LeadgateError';
  /** The address of the gateway. */
  readonly baseUrl?: string;
  readonly status?: number;
  /** All invalid fields, or the fields that the upstream names in its rejection. */
  readonly details: readonly Detail[];
  /** The step of a flow that failed. */
  readonly step?: string;
  /** The HTTP status of the upstream. */
  readonly upstreamStatus?: number;
  /** True if it is safe and useful to send the same request again. */
  readonly retryable: boolean;
  readonly retryAfterS?: number;
  /** Set if a lead was accepted. */
  readonly leadId?: string;
  readonly state?: string;
  /** The key of the request. A repeat with it sends nothing twice. */
  readonly idempotencyKey?: string;
  /** The id of the request in the gateway's log. */
  readonly logId?: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly remedy: Remedy;
  /** What to do, for a person; empty for an unknown code. */
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
