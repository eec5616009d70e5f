/** Makes the HTTP answer of a run's report: the result (200), the pending state (202) or an error. */
import { ApiError, errorCodes } from '../contract/errors';
import { leadAlreadySent, type FlowStep } from '../domain/clinicsys';
import { statusUrlOf } from '../domain/ids';
import type { ErrorCode, Failure, JsonObject, LeadReport } from '../domain/lead';

export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

export const replayed = { 'Idempotency-Replayed': 'true' } as const;
/** Set if the sandbox stood in for any upstream. */
export const simulated = { 'X-Leadgate-Sandbox': 'true' } as const;

const paused = 'a person has paused its upstream. It goes on after the resume, or is parked if that takes too long';

type PendingMessages = Partial<Record<LeadReport['state'] | 'paused', string>>;

const leadMessages: PendingMessages = {
  waiting: 'The lead is not sent yet: it is tried again by itself',
  paused: `The lead is not sent yet: ${paused}`,
  verifying: 'It is not known yet whether the lead arrived: it is being looked up',
  parked: 'The lead is stopped and needs a person: its status tells why',
};

/** Once the comment waits, the lead has arrived. A caller who sends it again makes it a second time. */
const commentMessages: PendingMessages = {
  waiting: `${leadAlreadySent}. Its comment is not sent yet: it is tried again by itself`,
  paused: `${leadAlreadySent}. Its comment is not sent yet: ${paused}`,
  verifying: `${leadAlreadySent}. It is not known yet whether its comment arrived: it is being looked up`,
  parked: `${leadAlreadySent}. Its comment is stopped and needs a person: the lead's status tells why`,
};

/** Retry-After of an upstream that asks to slow down without saying for how long. */
const usualRetryMs = 5_000;

/** Throws an ApiError for a report with a failure. */
export function answerOf(report: LeadReport): Answer {
  const { result, failure, leadId, state, errorContext } = report;
  if (result) return { status: 200, body: result };
  if (!failure) return pending(report);
  const code = codeOf(state, failure);
  const retryAfterMs = failure.retryAfterMs ?? (code === 'RATE_LIMITED' ? usualRetryMs : undefined);
  const retryAfterS =
    !isFinal(state) && failure.retryable !== false && retryAfterMs !== undefined && Math.max(1, Math.ceil(retryAfterMs / 1000));
  throw new ApiError(code, state === 'discarded' ? `A person discarded the lead: ${failure.message}` : failure.message, {
    step: failure.step,
    details: failure.details,
    upstreamStatus: failure.upstreamStatus,
    retryable: !isFinal(state) && (failure.retryable ?? errorCodes[code].retryable),
    errorContext: { ...(leadId && { leadId, state }), ...errorContext },
    headers: retryAfterS ? { 'Retry-After': String(retryAfterS) } : undefined,
  });
}

/** True if a person has to decide, or has decided: sending again by itself would be wrong. */
const isFinal = (state: LeadReport['state']): boolean => state === 'parked' || state === 'discarded';

/** Avoids codes on which a tool sends again by itself, once a lead may have been sent or a project was made. */
function codeOf(state: LeadReport['state'], { code, retryable }: Failure): ErrorCode {
  // The upstream refused it for now, so it was surely not sent.
  if (code === 'RATE_LIMITED') return isFinal(state) || retryable === false ? 'UPSTREAM_ERROR' : code;
  const { status } = errorCodes[code];
  if (isFinal(state)) return status >= 503 ? 'OUTCOME_UNKNOWN' : code;
  return retryable === false && status >= 503 ? 'UPSTREAM_ERROR' : code;
}

function pending({ leadId, state, step, waitsFor }: LeadReport): Answer {
  const url = statusUrlOf(leadId);
  const messages = step === ('send-comments' satisfies FlowStep) ? commentMessages : leadMessages;
  const other = waitsFor?.what === 'person-lock' && `The lead is not sent yet: it ${waitsFor.words.replace(/^W/, 'w')}`;
  const message = other || (messages[waitsFor?.what === 'pause' ? 'paused' : state] ?? 'The lead is accepted and still under way');
  return { status: 202, body: { success: false, pending: true, state, message, leadId, statusUrl: url }, headers: { Location: url } };
}
