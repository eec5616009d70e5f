/** Converts the report of a run to an HTTP answer: its result (200), its pending state (202) or an error. */
import { ApiError, errorCodes } from '../contract/errors';
import { leadAlreadySent, type FlowStep } from '../domain/clinicsys';
import { statusUrlOf } from '../domain/ids';
import type { NamedRate } from '../intake/admission';
import type { Detail, JsonObject, LeadReport } from '../domain/lead';

export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

export const replayedHeader = { 'Idempotency-Replayed': 'true' } as const;
/** Set if the sandbox stood in for any upstream. */
export const sandboxHeader = { 'X-Leadgate-Sandbox': 'true' } as const;

/** Names misspelt fields. A header holds ASCII only, so a field with other characters is left out. */
export function warningHeader(warnings: readonly Detail[]): Readonly<Record<string, string>> {
  const written = warnings.map(({ field, message }) => `${field} ${message}`).filter((warning) => /^[\x20-\x7e]+$/.test(warning));
  return written.length === 0 ? {} : { 'X-Leadgate-Warnings': written.join('; ') };
}

/** The rates that limit a caller, as the IETF draft "RateLimit header fields for HTTP" writes them. */
export const rateHeaders = (rates: readonly NamedRate[]): Readonly<Record<string, string>> =>
  rates.length === 0
    ? {}
    : {
        'RateLimit-Policy': rates.map(({ name, perS }) => `"${name}";q=${perS};w=1`).join(', '),
        RateLimit: rates.map(({ name, left }) => `"${name}";r=${left};t=1`).join(', '),
      };

const pausedNote = 'an operator has paused its upstream. It is sent after the resume, or parked if the pause takes too long';

type PendingMessages = Partial<Record<LeadReport['state'] | 'paused', string>>;

const leadMessages: PendingMessages = {
  waiting: 'The lead is not sent yet: Leadgate retries it',
  paused: `The lead is not sent yet: ${pausedNote}`,
  verifying: 'It is not known yet whether the lead arrived: Leadgate is looking it up',
  parked: 'The lead is parked until an operator decides about it: its status has the reason',
};

/** The lead has arrived when its comment waits. A caller that sends it again would create a second one. */
const commentMessages: PendingMessages = {
  waiting: `${leadAlreadySent}. Its comment is not sent yet: Leadgate retries it`,
  paused: `${leadAlreadySent}. Its comment is not sent yet: ${pausedNote}`,
  verifying: `${leadAlreadySent}. It is not known yet whether its comment arrived: Leadgate is looking it up`,
  parked: `${leadAlreadySent}. Its comment is parked until an operator decides about it: the lead's status has the reason`,
};

/** The Retry-After of a rate limit without a time of its own. */
const usualRetryMs = 5_000;

/** Throws an ApiError if the report has a failure. */
export function answerOf(report: LeadReport): Answer {
  const { result, failure, leadId, state, errorContext } = report;
  if (result) return { status: 200, body: result };
  if (!failure) return pendingAnswer(report);
  const { code, message, step, details, upstreamStatus, retryable = errorCodes[code].retryable } = failure;
  const retryAfterMs = failure.retryAfterMs ?? (code === 'RATE_LIMITED' ? usualRetryMs : undefined);
  const retryAfterS = failure.retryable !== false && retryAfterMs !== undefined && Math.max(1, Math.ceil(retryAfterMs / 1000));
  throw new ApiError(code, state === 'discarded' ? `An operator discarded the lead: ${message}` : message, {
    ...{ step, details, upstreamStatus, retryable },
    errorContext: { ...(leadId && { leadId, state }), ...errorContext },
    headers: retryAfterS ? { 'Retry-After': String(retryAfterS) } : undefined,
  });
}

function pendingAnswer({ leadId, state, step, waitsFor }: LeadReport): Answer {
  const messages = step === ('send-comments' satisfies FlowStep) ? commentMessages : leadMessages;
  const other = waitsFor?.what === 'person-lock' && `The lead is not sent yet: it ${waitsFor.words.replace(/^W/, 'w')}`;
  const message = other || (messages[waitsFor?.what === 'pause' ? 'paused' : state] ?? 'The lead is accepted and in progress');
  return acceptedAnswer({ leadId, state }, message);
}

/** The answer to a repeat if it cannot be recorded that the record is shown. It is no error, because tools send a lead again on errors. */
export const withheldAnswer = (report: LeadReport): Answer =>
  acceptedAnswer(report, 'The lead is accepted. The audit trail cannot be written, so its record is not shown: read its status later');

function acceptedAnswer({ leadId, state }: Pick<LeadReport, 'leadId' | 'state'>, message: string): Answer {
  const statusUrl = statusUrlOf(leadId);
  return { status: 202, body: { success: false, pending: true, state, message, leadId, statusUrl }, headers: { Location: statusUrl } };
}
