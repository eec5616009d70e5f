/** Writes an action to the audit trail before it is done, and its outcome afterwards. An action that cannot be written is not done. */
import type { Facts, Trail } from '../audit/trail';
import { ApiError } from '../contract/errors';
import { leadIdForm } from '../domain/ids';
import type { Input } from '../contract/input';
import { messageOf } from '../lib/errors';
import { log } from '../lib/log';
import type { Answer } from './answer';

/** An answer, with its outcome and further facts for the audit trail. */
export interface Audited extends Answer {
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly outcome?: string;
}

const retryAfterS = '5';

/** Writes an entry before its action. Throws a refusal that says what was `refused` if it cannot be written. */
export const recorded = (trail: Trail, facts: Facts, refused: string): ReturnType<Trail['write']> =>
  trail.write(facts).catch((error: unknown) => {
    log.error('the audit trail cannot be written', { action: facts.action, reason: messageOf(error) });
    throw new ApiError('NOT_ACCEPTED', `The audit trail cannot be written: ${refused}`, { headers: { 'Retry-After': retryAfterS } });
  });

export async function audited(trail: Trail, action: string, who: string, { body }: Input, act: () => Promise<Audited>): Promise<Answer> {
  const { leadId, upstream, instance } = body;
  const facts: Facts = {
    who: who || 'local',
    action,
    ...(body.dryRun === true && { dryRun: true }),
    ...(body.notThere === true && { notThere: true }),
    // Only a well-formed lead id: other text may be a person's data.
    ...(typeof leadId === 'string' && leadIdForm.test(leadId) && { leadId }),
    ...(typeof upstream === 'string' && { upstream, instance }),
  };
  const asked = await recorded(trail, { ...facts, outcome: 'asked' }, 'nothing was done');
  /** Writes the outcome. A failure here is only logged: the action has happened, and the answer must say so. */
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
