/** Records an action on the audit trail before it is carried out, and its outcome afterwards. Refuses an action that cannot be recorded. */
import type { Facts, Trail } from '../audit/trail';
import { ApiError } from '../contract/errors';
import { leadIdForm } from '../domain/ids';
import type { Requester } from '../domain/requester';
import type { Input } from '../contract/input';
import { messageOf } from '../lib/errors';
import { log } from '../lib/log';
import type { Answer } from './answer';

/** An answer with its outcome and further facts for the audit trail. */
export interface AuditedAnswer extends Answer {
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly outcome?: string;
}

const retryAfterS = '5';

/** Records an entry. If that fails, throws an error that says what was `refused`. */
export const recordOrRefuse = (trail: Trail, facts: Facts, refused: string): ReturnType<Trail['write']> =>
  trail.write(facts).catch((error: unknown) => {
    log.error('the audit trail cannot be written', { action: facts.action, reason: messageOf(error) });
    throw new ApiError('NOT_ACCEPTED', `The audit trail cannot be written: ${refused}`, { headers: { 'Retry-After': retryAfterS } });
  });

export async function withAudit(
  trail: Trail,
  action: string,
  requester: Requester,
  { body }: Input,
  act: () => Promise<AuditedAnswer>,
): Promise<Answer> {
  const { leadId, upstream, instance } = body;
  const facts: Facts = {
    ...requester,
    action,
    ...(body.dryRun === true && { dryRun: true }),
    ...(body.notThere === true && { notThere: true }),
    // Record only a well-formed lead id: other text may be personal data.
    ...(typeof leadId === 'string' && leadIdForm.test(leadId) && { leadId }),
    ...(typeof upstream === 'string' && { upstream, instance }),
  };
  const entry = await recordOrRefuse(trail, { ...facts, outcome: 'asked' }, 'nothing was done');
  /** Records the outcome. A failure is only logged, because the action has been carried out and the answer must report it. */
  const conclude = async (outcome: string, more: Readonly<Record<string, unknown>> = {}) => {
    try {
      await trail.write({ ...facts, outcome, of: entry, ...more });
    } catch (error) {
      log.error('the outcome could not be written to the audit trail', { action, outcome, seq: entry.seq, reason: messageOf(error) });
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
