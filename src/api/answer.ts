/** A run's report → the HTTP answer. */
import { ApiError, errorCodes } from '../contract/errors';
import type { ErrorCode, Failure, JsonObject, LeadReport } from '../domain/lead';

export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

export const replayed = { 'Idempotency-Replayed': 'true' } as const;
/** A simulator stood in for an upstream. */
export const simulated = { 'X-Leadgate-Sandbox': 'true' } as const;

export const statusUrl = (leadId: string): string => `/api/leads/${leadId}`;

const pendingMessages: Partial<Record<LeadReport['state'], string>> = {
  waiting: 'The lead is not sent yet: it is tried again by itself',
  verifying: 'It is not known yet whether the lead arrived: it is being looked up',
  parked: 'The lead is stopped and needs a person: its status tells why',
};

/** Where an upstream asks to slow down and does not say for how long. */
const usualRetryMs = 5_000;

/** The success body, the pending one, or an error; a report is never answered as more than it says. */
export function answerOf(report: LeadReport): Answer {
  const { result, failure, leadId, state, errorContext } = report;
  if (result) return { status: 200, body: result };
  if (!failure) return pending(report);
  const code = codeOf(state, failure);
  const retryAfterMs = failure.retryAfterMs ?? (code === 'RATE_LIMITED' ? usualRetryMs : undefined);
  const retryAfterS = failure.retryable !== false && retryAfterMs && Math.ceil(retryAfterMs / 1000);
  throw new ApiError(code, state === 'discarded' ? `A person discarded the lead: ${failure.message}` : failure.message, {
    step: failure.step,
    details: failure.details,
    retryable: !isFinal(state) && (failure.retryable ?? errorCodes[code].retryable),
    errorContext: { ...(leadId && { leadId, state }), ...errorContext },
    headers: retryAfterS ? { 'Retry-After': String(retryAfterS) } : undefined,
  });
}

/** A person decides, or has decided. */
const isFinal = (state: LeadReport['state']): boolean => state === 'parked' || state === 'discarded';

/** Once a lead may have been sent, or a project was made, nothing is answered on which a tool sends again by itself. */
function codeOf(state: LeadReport['state'], { code, retryable }: Failure): ErrorCode {
  const { status } = errorCodes[code];
  if (isFinal(state)) return status >= 503 ? 'OUTCOME_UNKNOWN' : code;
  return retryable === false && (status >= 503 || code === 'RATE_LIMITED') ? 'UPSTREAM_ERROR' : code;
}

function pending({ leadId, state }: LeadReport): Answer {
  const url = statusUrl(leadId);
  const message = pendingMessages[state] ?? 'The lead is accepted and still under way';
  return { status: 202, body: { success: false, pending: true, state, message, leadId, statusUrl: url }, headers: { Location: url } };
}
