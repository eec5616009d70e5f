/** A run's report → the HTTP answer. */
import type { JsonObject, LeadReport } from '../domain/lead';
import { ApiError, errorCodes } from './errors';

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

/** The success body, the pending one, or an error; a report is never answered as more than it says. */
export function answerOf(report: LeadReport): Answer {
  const { result, failure, leadId, state, beside } = report;
  if (result) return { status: 200, body: result };
  if (!failure) return pending(report);
  // Once a lead may have been sent, or a person has decided, nothing is answered on which a tool sends again by itself.
  const isFinal = state === 'parked' || state === 'discarded';
  const code = isFinal && errorCodes[failure.code].status >= 503 ? 'OUTCOME_UNKNOWN' : failure.code;
  const retryAfterS = failure.retryAfterMs && Math.ceil(failure.retryAfterMs / 1000);
  throw new ApiError(code, state === 'discarded' ? `A person discarded the lead: ${failure.message}` : failure.message, {
    step: failure.step,
    details: failure.details,
    retryable: !isFinal && errorCodes[code].retryable,
    beside: { ...(leadId && { leadId, state }), ...beside },
    headers: retryAfterS ? { 'Retry-After': String(retryAfterS) } : undefined,
  });
}

function pending({ leadId, state }: LeadReport): Answer {
  const url = statusUrl(leadId);
  const message = pendingMessages[state] ?? 'The lead is accepted and still under way';
  return { status: 202, body: { success: false, pending: true, state, message, leadId, statusUrl: url }, headers: { Location: url } };
}
