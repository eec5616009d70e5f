/** What acts on leads and people is written down before it is done; what cannot be written down is not done. */
import type { Facts, Trail } from '../audit/trail';
import { ApiError } from '../contract/errors';
import { leadIdForm } from '../domain/ids';
import type { Input } from '../contract/input';
import { messageOf } from '../lib/errors';
import { log } from '../lib/log';
import type { Answer } from './answer';

/** An answer, and what the trail keeps of it beside its outcome. */
export interface Audited extends Answer {
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly outcome?: string;
}

const retryAfterS = '5';

const notWritten = () =>
  new ApiError('NOT_ACCEPTED', 'The audit trail cannot be written: nothing was done', { headers: { 'Retry-After': retryAfterS } });

export async function audited(trail: Trail, action: string, who: string, { body }: Input, act: () => Promise<Audited>): Promise<Answer> {
  const { leadId } = body;
  const facts: Facts = {
    who: who || 'local',
    action,
    ...(body.dryRun === true && { dryRun: true }),
    // Whatever else a caller puts there may be a person's data.
    ...(typeof leadId === 'string' && leadIdForm.test(leadId) && { leadId }),
  };
  const asked = await trail.write({ ...facts, outcome: 'asked' }).catch((error: unknown) => {
    log.error('the audit trail cannot be written', { action, reason: messageOf(error) });
    throw notWritten();
  });
  /** It has happened by now: not being able to say so is no reason to answer that it did not. */
  const conclude = async (outcome: string, more: Readonly<Record<string, unknown>> = {}) => {
    try {
      await trail.write({ ...facts, outcome, of: asked, ...more });
    } catch (error) {
      log.error('the outcome could not be written to the audit trail', { action, outcome, seq: asked.seq, reason: messageOf(error) });
    }
  };
  try {
    const { outcome = 'done', facts: more, ...answer } = await act();
    await conclude(outcome, more);
    return answer;
  } catch (error) {
    await conclude(error instanceof ApiError ? error.code : 'unknown');
    throw error;
  }
}
