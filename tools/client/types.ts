/** Defines the options and results of the calls. */
import type { DryRun, Pending } from './generated/answers.ts';

export interface LeadgateOptions {
  /** Such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  /** The gateway key, if the gateway requires one. */
  readonly apiKey?: string;
  /** How long a call retries, and waits for the end of a lead. Default: ten minutes. */
  readonly patienceMs?: number;
  /** The time-out of a single request. Default: 150 s, which is longer than any wait of the gateway. */
  readonly timeoutMs?: number;
  /** Aborts all calls. */
  readonly signal?: AbortSignal;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Overrides the client's `patienceMs`. With 0 the call does not retry. */
  readonly patienceMs?: number;
  /** Receives each answer, for example to read its `X-Log-Id`. */
  readonly onAnswer?: (answer: { readonly status: number; readonly headers: Headers }) => void;
}

export interface KeyedOptions extends CallOptions {
  /** The id of the lead in your system. Default: a random key, which the retries of the call share. `false` sends none. */
  readonly idempotencyKey?: string | false;
}

export interface SendOptions extends KeyedOptions {
  /** `end`: wait until the lead has ended. `answer`: return the first answer. `accepted`: ask for an immediate 202. */
  readonly until?: 'end' | 'answer' | 'accepted';
  /** An additional receiver for the lead's events. Its host must be in the gateway's EVENTS_HOSTS. */
  readonly callbackUrl?: string;
  /** Validate and prepare the lead, but do not send it. */
  readonly dryRun?: boolean;
}

interface Sent<Status extends number, Body> {
  readonly status: Status;
  readonly body: Body;
  /** True if the sandbox stood in for an upstream. */
  readonly sandbox: boolean;
  /** True if the request was a repeat, and this is the answer to the original. */
  readonly replayed: boolean;
  readonly idempotencyKey?: string;
}

/** A delivered lead. */
export type DoneLead<Output> = Sent<200, Output> & { readonly leadId: string };
/** A lead that is accepted and in progress. */
export type AcceptedLead = Sent<202, Pending> & { readonly leadId: string };
export type DryRunLead = Sent<200, DryRun>;

/** No fields. */
export type None = Readonly<Record<string, undefined>>;

/** The input is optional if all of its fields are. */
export type Method<Input, Output, Options = CallOptions> =
  Partial<Input> extends Input
    ? (input?: Input, options?: Options) => Promise<Output>
    : (input: Input, options?: Options) => Promise<Output>;

export type LeadMethod<Input, Output> = {
  (lead: Input, options?: SendOptions & { readonly until?: 'end'; readonly dryRun?: false }): Promise<DoneLead<Output>>;
  (lead: Input, options: SendOptions & { readonly dryRun: true }): Promise<DryRunLead>;
  (lead: Input, options: SendOptions & { readonly dryRun?: false }): Promise<DoneLead<Output> | AcceptedLead>;
  (lead: Input, options: SendOptions): Promise<DoneLead<Output> | AcceptedLead | DryRunLead>;
};

/** Resolves to the report on a file, or to the lines about its rows. Without a last line of kind `end`, the answer was interrupted. */
export type FileMethod<Input, Report, Line> = (input: Input, csv: string, options?: CallOptions) => Promise<Report | AsyncIterable<Line>>;

/** Makes the methods, one function for each kind of endpoint. */
export interface Calls {
  get<Input, Output>(path: string): Method<Input, Output>;
  /** A POST or PATCH without an Idempotency-Key, whose repeat would be a second action. */
  act<Input, Output>(method: 'POST' | 'PATCH', path: string): Method<Input, Output>;
  keyed<Input, Output>(method: 'POST' | 'PATCH', path: string): Method<Input, Output, KeyedOptions>;
  lead<Input, Output>(path: string): LeadMethod<Input, Output>;
  /** Returns the text of a file. */
  text<Input>(path: string): Method<Input, string>;
  /** Sends a CSV file. */
  file<Input, Report, Line>(path: string): FileMethod<Input, Report, Line>;
}
