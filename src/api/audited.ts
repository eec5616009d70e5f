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

export interface KeptEvidence {
  /** The fact that the entries of the action get. */
  readonly facts: { readonly evidence?: string };
  /** Throws if the evidence could not be gathered or kept: the action must not be carried out. */
  assertKept(): void;
  /** Removes the evidence of an action that was not recorded. */
  discard(): Promise<void>;
  /** Removes the evidence of an action that failed because its lead is not there: no erasure of the person would find it. */
  dropIfNotFound(error: unknown, requester: Requester): Promise<void>;
}

/** Resolves to undefined for an action that has no evidence. */
export type KeepEvidence = (action: string, input: Input) => Promise<KeptEvidence | undefined>;

const retryAfterS = '5';

/** For `catch`: throws an error that says what was `refused`, because the trail cannot be written. */
export const refuseUnwritten =
  (action: string, refused: string) =>
  (error: unknown): never => {
    log.error('the audit trail cannot be written', { action, reason: messageOf(error) });
    throw new ApiError('NOT_ACCEPTED', `The audit trail cannot be written: ${refused}`, { headers: { 'Retry-After': retryAfterS } });
  };

/** Records an entry. If that fails, throws an error that says what was `refused`. */
export const recordOrRefuse = (trail: Trail, facts: Facts, refused: string): ReturnType<Trail['write']> =>
  trail.write(facts).catch(refuseUnwritten(facts.action, refused));

export async function withAudit(
  trail: Trail,
  action: string,
  requester: Requester,
  input: Input,
  act: () => Promise<AuditedAnswer>,
  keepEvidence?: KeepEvidence,
): Promise<Answer> {
  const { body } = input;
  const { leadId, upstream, instance } = body;
  const evidence = await keepEvidence?.(action, input);
  const facts: Facts = {
    ...requester,
    action,
    ...(body.dryRun === true && { dryRun: true }),
    ...(body.notThere === true && { notThere: true }),
    // Record only a well-formed lead id: other text may be personal data.
    ...(typeof leadId === 'string' && leadIdForm.test(leadId) && { leadId }),
    ...(typeof upstream === 'string' && { upstream, instance }),
    ...evidence?.facts,
  };
  const entry = await recordOrRefuse(trail, { ...facts, outcome: 'asked' }, 'nothing was done').catch(async (error: unknown) => {
    await evidence?.discard();
    throw error;
  });
  /** Records the outcome. A failure is only logged, because the action has been carried out and the answer must report it. */
  const conclude = async (outcome: string, more: Readonly<Record<string, unknown>> = {}) => {
    try {
      await trail.write({ ...facts, outcome, of: entry, ...more });
    } catch (error) {
      log.error('the outcome could not be written to the audit trail', { action, outcome, seq: entry.seq, reason: messageOf(error) });
    }
  };
  try {
    evidence?.assertKept();
    const { outcome, facts: more, ...answer } = await act();
    // A repeat changed nothing, and its reason was not used.
    const isRepeat = answer.headers?.['Idempotency-Replayed'] !== undefined;
    await conclude(outcome ?? (isRepeat ? 'repeated' : 'done'), isRepeat ? { evidence: undefined, ...more } : more);
    return answer;
  } catch (error) {
    // The act was refused, or its outcome is unknown: the entry before it has the evidence, and this one claims no change.
    await conclude(error instanceof ApiError ? error.code : 'unknown', { evidence: undefined });
    await evidence?.dropIfNotFound(error, requester);
    throw error;
  }
}
