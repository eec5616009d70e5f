/** Starts a run for a request, or finds its existing run. If the outcome of a start is unknown, it is looked up before the start is retried. */
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import type { Config } from '../config/config';
import { isSandboxed } from '../config/upstreams';
import { ApiError } from '../contract/errors';
import { attemptIdOf, leadIdOf } from '../domain/ids';
import { memoOf } from '../domain/memo';
import type { KeyRing } from '../keys/ring';
import { isOpen, leadIdOfRun, stateOf, unlessNoLead } from '../leads/runs';
import { newestRun } from '../leads/attempts';
import type { Search } from '../leads/search';
import { errorNameOf } from '../lib/errors';
import { log } from '../lib/log';
import { UnknownKey } from '../temporal/codec';
import { askEngine, describe, isRefusal, within, type Found } from '../temporal/ask';
import { isKeyFree } from './idempotency-key';
import { identify, mustBeSame, type Identity } from './identity';
import { createRunOptions, type NextAttempt, type Place, type Request, type ReusePolicy } from './run-options';
import { notAccepted, outcomeUnknown, takenIn, unreadable } from './start-errors';

export interface Run {
  readonly workflowId: string;
  readonly runId: string;
  /** Empty for a call. */
  readonly leadId: string;
  /** True if this request started the run. */
  readonly isNew: boolean;
  /** True if an earlier request used the same Idempotency-Key. */
  readonly replayed: boolean;
  /** True if the sandbox stood in for any upstream. */
  readonly isSandbox: boolean;
}

export interface Starter {
  start(asked: Request): Promise<Run>;
  /** Finds the existing run of this request; undefined if the request would start a new one. */
  find(asked: Request): Promise<Run | undefined>;
  /** Starts the next attempt of a failed lead. `isNew` is false if its order has started it before. Undefined if another order has. */
  again(asked: Request, attempt: NextAttempt): Promise<Run | undefined>;
}

/** An answer that is younger than this proves that the engine is available. */
const freshMs = 200;
/** The deadline of the availability check. With the count of the admission before it, a caller is refused within five seconds. */
const thereMs = 3_500;
/** The deadline of the update that adds a sender to an open lead. */
const noteMs = 3_000;
const mostTries = 20;

export interface StarterNeeds {
  readonly client: Client;
  readonly config: Config;
  readonly keys: KeyRing;
  readonly search: Pick<Search, 'began' | 'changed'>;
}

export function createStarter({ client, config, keys, search }: StarterNeeds): Starter {
  const windowMs = config.IDEMPOTENCY_WINDOW_H * 3_600_000;
  const { optionsOf, hashesOf } = createRunOptions(config, keys);
  let answeredAt = 0;

  /** Remembers when the engine last answered. */
  async function answered<T>(asked: Promise<T>): Promise<T> {
    const result = await asked;
    answeredAt = Date.now();
    return result;
  }

  /** Checks before a start that the engine is available. If this check fails, certainly nothing was started. */
  async function mustBeThere(): Promise<void> {
    if (Date.now() - answeredAt < freshMs) return;
    try {
      await answered(within(client, Date.now() + thereMs, () => client.workflowService.getSystemInfo({})));
    } catch {
      throw notAccepted();
    }
  }

  const look = (workflowId: string, runId?: string): Promise<Found | undefined> =>
    answered(describe(client, workflowId, runId)).catch((error: unknown) => {
      throw error instanceof UnknownKey ? unreadable() : error;
    });

  async function startNew(asked: Request, identity: Identity, place: Place, attempt?: NextAttempt): Promise<Run> {
    const options = optionsOf(asked, identity, place, attempt);
    const handle = await answered(askEngine(client, () => client.workflow.start(asked.name, options)));
    return begun(asked, place, handle.firstExecutionRunId);
  }

  function begun(asked: Request, { workflowId, leadId }: Pick<Place, 'workflowId' | 'leadId'>, runId: string): Run {
    const isSandbox = isSandboxed(asked.binding);
    const run = { workflowId, runId, leadId: leadId ?? leadIdOf({ workflowId, runId }), isNew: true, replayed: false, isSandbox };
    search.began(run, hashesOf(asked.body));
    if (run.leadId) search.changed(run, 'began');
    return run;
  }

  /**
   * Starts the run once. Undefined if another run has the workflow id. A start whose call failed may have succeeded, so the run is looked up:
   * - If its memo has our nonce, this request started it.
   * - If it is the first run under the id and has another nonce, our start failed and cannot succeed later.
   * - If there is no run, the start is retried with REJECT_DUPLICATE, which cannot start a second run.
   */
  async function tryStart(asked: Request, identity: Identity, first: ReusePolicy): Promise<Run | undefined> {
    const { workflowId, nonce } = identity;
    let brokeOff: unknown;
    for (const reuse of [first, 'REJECT_DUPLICATE'] as const) {
      try {
        return await startNew(asked, identity, { workflowId, reuse });
      } catch (error) {
        const isTaken = error instanceof WorkflowExecutionAlreadyStartedError;
        if (isTaken && brokeOff === undefined) return undefined;
        brokeOff ??= error;
        const unknown = () => outcomeUnknown(asked, workflowId, identity, brokeOff);
        const found = await look(workflowId).catch((asking: unknown) => {
          throw asking instanceof ApiError ? asking : unknown();
        });
        const memo = found && memoOf(found);
        if (found && memo?.nonce === nonce) return begun(asked, { workflowId }, found.runId);
        if (isTaken || (memo?.firstUnderId && first === 'REJECT_DUPLICATE')) return undefined;
        log.warn('a start failed', { reason: errorNameOf(error) });
        if (isRefusal(error)) throw notAccepted();
        if (found || reuse !== first) throw unknown();
      }
    }
    throw outcomeUnknown(asked, workflowId, identity, brokeOff);
  }

  /** Attaches the request to an existing run. Throws if the run has another body. */
  function attached(found: Found, { digest }: Identity, replayed: boolean): Run {
    const memo = memoOf(found);
    const leadId = leadIdOfRun(found);
    mustBeSame(digest, memo?.digest, leadId ? { leadId, state: stateOf(found) ?? 'running' } : undefined);
    const { workflowId, runId } = found;
    return { workflowId, runId, leadId, isNew: false, replayed, isSandbox: isSandboxed(memo?.binding ?? {}) };
  }

  /**
   * Returns the existing run of a request: the run under its workflow id, or a later attempt of that lead. A run with an Idempotency-Key is
   * matched while the key is kept; a run without one, while the lead is open.
   */
  async function belongingTo(found: Found, { idempotencyKey, caller }: Request, identity: Identity): Promise<Run | undefined> {
    if (idempotencyKey) return (await isKeyFree(client, found, windowMs)) ? undefined : attached(found, identity, true);
    const newest = isOpen(found) ? found : await newestRun(client, leadIdOfRun(found)).catch(unlessNoLead);
    // A redrive may have changed the body; then this request is a new lead.
    if (!newest || !isOpen(newest) || memoOf(newest)?.digest !== identity.digest) return undefined;
    await noteSender(newest, caller);
    return attached(newest, identity, false);
  }

  /** Adds the caller to the senders of an open lead, who may read it in clear. If the update fails, the caller reads it masked. */
  async function noteSender(found: Found, caller = ''): Promise<void> {
    if (caller === '' || memoOf(found)?.senders?.includes(caller)) return;
    const run = client.workflow.getHandle(found.workflowId, found.runId);
    await within(client, Date.now() + noteMs, () => run.executeUpdate<void, [string]>('alsoSent', { args: [caller] })).catch(
      (error: unknown) => log.warn('a sender could not be added to a lead', { leadId: leadIdOfRun(found), reason: errorNameOf(error) }),
    );
  }

  return {
    async start(asked) {
      const identity = identify(asked, keys);
      await mustBeThere();
      let reuse: ReusePolicy = 'REJECT_DUPLICATE';
      for (let tries = 0; tries < mostTries; tries++) {
        const run = await tryStart(asked, identity, reuse);
        if (run) return run;
        const found = await look(identity.workflowId);
        if (!found) continue;
        const belongs = await belongingTo(found, asked, identity);
        if (belongs) return belongs;
        reuse = 'ALLOW_DUPLICATE';
      }
      throw takenIn();
    },

    async find(asked) {
      const identity = identify(asked, keys);
      const found = await look(identity.workflowId);
      return found && belongingTo(found, asked, identity);
    },

    async again(asked, attempt) {
      const { leadId, orderId } = attempt;
      const identity = identify(asked, keys);
      const workflowId = attemptIdOf(leadId, attempt.attempt);
      await mustBeThere();
      try {
        return await startNew(asked, identity, { workflowId, leadId, reuse: 'REJECT_DUPLICATE' }, attempt);
      } catch (error) {
        // The start may have succeeded although the call failed. The run's memo names the order that started it.
        const found = await look(workflowId).catch(() => undefined);
        const memo = found && memoOf(found);
        if (found && memo?.redrive?.orderId === orderId) {
          mustBeSame(attempt.orderDigest, memo.redrive.orderDigest);
          return { ...begun(asked, { workflowId, leadId }, found.runId), isNew: memo.nonce === identity.nonce };
        }
        if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
        throw outcomeUnknown(asked, workflowId, identity, error, leadId);
      }
    },
  };
}
