/** Sends a lead, and waits for its end. */
import { LeadgateError } from './error.ts';
import { isObject, isSafe, type Answer, type Request } from './exchange.ts';
import { endingOf, isLost, isNotStarted } from './meaning.ts';
import { retry, type Patience } from './patience.ts';
import { requestOf } from './request.ts';
import type { AcceptedLead, DoneLead, DryRunLead, SendOptions } from './types.ts';
import { deliveredStates, errorCodes, settledStates, type Pending } from './generated/answers.ts';
import type { GetLeadOutput } from './generated/leads.ts';

/** Sends a request once. Throws a LeadgateError unless it succeeds. */
export type SendOnce = (request: Request, patience: Patience) => Promise<Answer>;

/** How long one request waits for the end of a lead. */
const longestLookS = 20;
const betweenLooksMs = 1_000;

export const keyOf = ({ idempotencyKey }: SendOptions): string | undefined =>
  idempotencyKey === false ? undefined : (idempotencyKey ?? crypto.randomUUID());

export async function sendLead(
  ask: SendOnce,
  path: string,
  lead: object,
  options: SendOptions,
  patience: Patience,
): Promise<DoneLead<unknown> | AcceptedLead | DryRunLead> {
  const { until = 'end', dryRun, callbackUrl } = options;
  const made = requestOf('POST', path, lead);
  const ownHeaders = {
    ...(until === 'accepted' && { Prefer: 'respond-async' }),
    ...(dryRun && { 'X-Dry-Run': 'true' }),
    ...(callbackUrl !== undefined && { 'X-Callback-URL': callbackUrl }),
  };
  const request = { ...made, headers: { ...made.headers, ...ownHeaders }, idempotencyKey: keyOf(options), isLead: true };
  const answer = await retry(() => startLead(ask, request, patience), patience, isSafe(request));
  const { status, headers, body } = answer;
  const { idempotencyKey } = request;
  const sent = { sandbox: headers.has('x-leadgate-sandbox'), replayed: headers.has('idempotency-replayed'), idempotencyKey };
  if (dryRun) return { status: 200, body: body as DryRunLead['body'], ...sent };
  const leadId = headers.get('x-lead-id') ?? body.leadId;
  if (typeof leadId !== 'string')
    throw new LeadgateError('NOT_LEADGATE', 'The answer names no lead', { status, idempotencyKey, isLead: true });
  if (status !== 202) return { status: 200, body, leadId, ...sent };
  if (until === 'end') return { ...(await waitForEnd(ask, leadId, patience, idempotencyKey)), replayed: sent.replayed };
  return { status, body: body as Pending, leadId, ...sent };
}

/** Sends the lead. If the engine stopped answering meanwhile, reads the lead to find out whether it was started. */
async function startLead(ask: SendOnce, request: Request, patience: Patience): Promise<Answer> {
  try {
    return await ask(request, patience);
  } catch (error) {
    if (!(error instanceof LeadgateError) || error.code !== 'OUTCOME_UNKNOWN' || !error.leadId || error.state) throw error;
    const look = await ask(readRequest(error.leadId, 0), patience).catch((other: unknown) => other);
    if (!(look instanceof LeadgateError && look.code === 'NOT_FOUND')) throw error;
    const { status, retryable } = errorCodes.NOT_ACCEPTED;
    const { idempotencyKey, isLead } = request;
    const facts = { status, retryable, idempotencyKey, isLead, cause: error };
    throw new LeadgateError('NOT_ACCEPTED', 'The gateway does not know the lead: nothing was started', facts);
  }
}

const readRequest = (leadId: string, wait: number): Request => ({
  ...requestOf('GET', '/api/leads/{leadId}', { leadId, wait }),
  isLead: true,
});

/** Waits until the lead is delivered. Throws if it failed, was discarded, or is parked. */
export async function waitForEnd<Output>(
  ask: SendOnce,
  leadId: string,
  patience: Patience,
  idempotencyKey?: string,
): Promise<DoneLead<Output>> {
  const stillOpen = (state?: string, cause?: unknown) =>
    new LeadgateError('STILL_OPEN', 'The lead is accepted and still in progress', {
      leadId,
      state,
      idempotencyKey,
      retryable: idempotencyKey !== undefined,
      isLead: true,
      cause: cause ?? patience.signal?.reason,
    });
  const look = async () => {
    const waitS = Math.min(longestLookS, Math.floor(patience.leftMs() / 1000));
    const { body } = await ask(readRequest(leadId, waitS), patience);
    return body as unknown as GetLeadOutput;
  };
  for (;;) {
    const lead = await retry(look, patience, true).catch((error: unknown) => {
      throw error instanceof LeadgateError && (error.code === 'NOT_REACHED' || isLost(error) || isNotStarted(error))
        ? stillOpen(undefined, error)
        : error;
    });
    const { state, result } = lead;
    if (deliveredStates.includes(state))
      return { status: 200, body: (result ?? {}) as Output, leadId, sandbox: lead.sandbox === true, replayed: false, idempotencyKey };
    if (settledStates.includes(state)) throw endedError(lead, idempotencyKey);
    if (!(await patience.pause(betweenLooksMs))) throw stillOpen(state);
  }
}

/** Builds the error that the request of the lead would have returned. */
function endedError(lead: GetLeadOutput, idempotencyKey?: string): LeadgateError {
  const { leadId, state, step, steps, attempts } = lead;
  const error = attempts.at(-1)?.error ?? steps.findLast((each) => each.error)?.error;
  const { code, status } = endingOf(state, error?.code, errorCodes);
  const body = isObject(lead) ? lead : {};
  return new LeadgateError(code, error?.message ?? `The lead is ${state}`, {
    status,
    step,
    leadId,
    state,
    idempotencyKey,
    body,
    isLead: true,
  });
}
