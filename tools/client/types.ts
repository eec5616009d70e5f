/** The options of a call, and what it gives. */
import type { DryRun, Pending } from './generated/answers.ts';

export interface LeadgateOptions {
  /** Such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  /** The gateway key, where the gateway asks for one. */
  readonly apiKey?: string;
  /** How long a call keeps trying, and waits for the end of a lead: ten minutes. */
  readonly patienceMs?: number;
  /** How long one request may take: 150 s, which is longer than the gateway keeps any caller waiting. */
  readonly timeoutMs?: number;
  /** Ends every call. */
  readonly signal?: AbortSignal;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Instead of the client's own. With 0 nothing is repeated. */
  readonly patienceMs?: number;
  /** Hears of each answer, for headers such as `X-Log-Id`. */
  readonly onAnswer?: (answer: { readonly status: number; readonly headers: Headers }) => void;
}

export interface KeyedOptions extends CallOptions {
  /** The lead's own id in your system. Without it the call has a random key, which its repeats keep; `false` sends none. */
  readonly idempotencyKey?: string | false;
}

export interface SendOptions extends KeyedOptions {
  /** `end`: wait until the lead has ended. `answer`: take the gateway's first answer. `accepted`: ask for a 202 at once. */
  readonly until?: 'end' | 'answer' | 'accepted';
  /** The lead's events are posted here, too: only to a host of the gateway's EVENTS_HOSTS. */
  readonly callbackUrl?: string;
  /** Do everything but the sending. */
  readonly dryRun?: boolean;
}

interface Sent<Status extends number, Body> {
  readonly status: Status;
  readonly body: Body;
  /** True if a simulator stood in for an upstream. */
  readonly sandbox: boolean;
  /** True if the key was here before, and this is its one answer. */
  readonly replayed: boolean;
  readonly idempotencyKey?: string;
}

/** The lead is done. */
export type DoneLead<Output> = Sent<200, Output> & { readonly leadId: string };
/** The lead is accepted and goes on by itself. */
export type AcceptedLead = Sent<202, Pending> & { readonly leadId: string };
export type DryRunLead = Sent<200, DryRun>;

/** No fields. */
export type None = Readonly<Record<string, undefined>>;

/** A call whose fields may all be left out takes none. */
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

/** The report on a file, or the lines about its rows. The last line has the kind `end`; without it the answer broke off. */
export type FileMethod<Input, Report, Line> = (input: Input, csv: string, options?: CallOptions) => Promise<Report | AsyncIterable<Line>>;

/** Makes a method of each kind of endpoint. */
export interface Calls {
  get<Input, Output>(path: string): Method<Input, Output>;
  /** A POST or PATCH without an Idempotency-Key: its repeat would be a second act. */
  act<Input, Output>(method: 'POST' | 'PATCH', path: string): Method<Input, Output>;
  keyed<Input, Output>(method: 'POST' | 'PATCH', path: string): Method<Input, Output, KeyedOptions>;
  lead<Input, Output>(path: string): LeadMethod<Input, Output>;
  /** Gives the text of a file. */
  text<Input>(path: string): Method<Input, string>;
  /** Sends a CSV file. */
  file<Input, Report, Line>(path: string): FileMethod<Input, Report, Line>;
}
