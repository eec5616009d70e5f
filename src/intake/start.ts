/** Starts a run for a request, or finds its existing run. If the outcome of a start is unknown, it is looked up before the start is retried. */
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import type { Config } from '../config/config';
import { isSandboxed } from '../config/upstreams';
import { ApiError } from '../contract/errors';
import { attemptIdOf, leadIdOf } from '../domain/ids';
import { memoOf } from '../domain/memo';
import type { KeyRing } from '../keys/ring';
import { isOpen, leadIdOfRun, mayHaveArrived, stateOf, ignoreLeadNotFound } from '../leads/runs';
import { newestRun } from '../leads/attempts';
import type { Search } from '../leads/search';
import { errorNameOf } from '../lib/errors';
import { log } from '../lib/log';
import { UnknownKey } from '../temporal/codec';
import { askEngine, describe, isRefusal, within, type RunDescription } from '../temporal/ask';
import { isKeyFree } from './idempotency-key';
import { identify, assertSameRequest, type Identity } from './identity';
import { createRunOptions, type IdUse, type NextAttempt, type RunIds, type StartRequest } from './run-options';
import { engineAwayError, unknownStartError, concurrentStartError, missingKeyError } from './start-errors';

export interface RequestRun {
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

/** What is under the workflow id of a request: a run that answers it, or the lead that it repeats. */
interface Found extends Pick<IdUse, 'repeatAfterS'> {
  readonly existing?: RequestRun;
}

export interface Starter {
  start(request: StartRequest): Promise<RequestRun>;
  /** Finds the existing run of this request; undefined if the request would start a new one. */
  find(request: StartRequest): Promise<RequestRun | undefined>;
  /** Starts the next attempt of a failed lead. `isNew` is false if its order has started it before. Undefined if another order has. */
  startAttempt(request: StartRequest, attempt: NextAttempt): Promise<RequestRun | undefined>;
}

/** An answer that is younger than this proves that the engine is available. */
const availableForMs = 200;
/** The deadline of the availability check. With the count of the admission before it, a caller is refused within five seconds. */
const availabilityDeadlineMs = 3_500;
/** The deadline of the update that adds a sender to an open lead. */
const addSenderMs = 3_000;
const mostTries = 20;

export interface StarterNeeds {
  readonly client: Client;
  readonly config: Config;
  readonly keys: KeyRing;
  readonly search: Pick<Search, 'recordStart' | 'recordChange'>;
}

export function createStarter({ client, config, keys, search }: StarterNeeds): Starter {
  const windowMs = config.IDEMPOTENCY_WINDOW_H * 3_600_000;
  const { optionsOf, hashesOf } = createRunOptions(config, keys);
  let answeredAt = 0;

  /** Remembers when the engine last answered. */
  async function rememberAnswer<T>(call: Promise<T>): Promise<T> {
    const result = await call;
    answeredAt = Date.now();
    return result;
  }

  /** Checks before a start that the engine is available. If this check fails, certainly nothing was started. */
  async function assertEngineAvailable(): Promise<void> {
    if (Date.now() - answeredAt < availableForMs) return;
    try {
      await rememberAnswer(within(client, Date.now() + availabilityDeadlineMs, () => client.workflowService.getSystemInfo({})));
    } catch {
      throw engineAwayError();
    }
  }

  const describeRun = (workflowId: string, runId?: string): Promise<RunDescription | undefined> =>
    rememberAnswer(describe(client, workflowId, runId)).catch((error: unknown) => {
      throw error instanceof UnknownKey ? missingKeyError() : error;
    });

  async function startNew(request: StartRequest, identity: Identity, ids: RunIds, attempt?: NextAttempt): Promise<RequestRun> {
    const options = optionsOf(request, identity, ids, attempt);
    const handle = await rememberAnswer(askEngine(client, () => client.workflow.start(request.name, options)));
    return recordStart(request, ids, handle.firstExecutionRunId);
  }

  function recordStart(request: StartRequest, { workflowId, leadId }: Pick<RunIds, 'workflowId' | 'leadId'>, runId: string): RequestRun {
    const isSandbox = isSandboxed(request.binding);
    const run = { workflowId, runId, leadId: leadId ?? leadIdOf({ workflowId, runId }), isNew: true, replayed: false, isSandbox };
    search.recordStart(run, hashesOf(request.body));
    if (run.leadId) search.recordChange(run, 'started');
    return run;
  }

  /**
   * Starts the run once. Undefined if another run has the workflow id. A start whose call failed may have succeeded, so the run is looked up:
   * - If its memo has our nonce, this request started it.
   * - If it is the first run under the id and has another nonce, our start failed and cannot succeed later.
   * - If there is no run, the start is retried with REJECT_DUPLICATE, which cannot start a second run.
   */
  async function tryStart(
    request: StartRequest,
    identity: Identity,
    { reuse: first, repeatAfterS }: IdUse,
  ): Promise<RequestRun | undefined> {
    const { workflowId, nonce } = identity;
    let startError: unknown;
    for (const reuse of [first, 'REJECT_DUPLICATE'] as const) {
      try {
        return await startNew(request, identity, { workflowId, reuse, repeatAfterS });
      } catch (error) {
        const isTaken = error instanceof WorkflowExecutionAlreadyStartedError;
        if (isTaken && startError === undefined) return undefined;
        startError ??= error;
        const unknown = () => unknownStartError(request, workflowId, identity, startError);
        const found = await describeRun(workflowId).catch((lookUpError: unknown) => {
          throw lookUpError instanceof ApiError ? lookUpError : unknown();
        });
        const memo = found && memoOf(found);
        if (found && memo?.nonce === nonce) return recordStart(request, { workflowId }, found.runId);
        if (isTaken || (memo?.firstUnderId && first === 'REJECT_DUPLICATE')) return undefined;
        log.warn('a start failed', { reason: errorNameOf(error) });
        if (isRefusal(error)) throw engineAwayError();
        if (found || reuse !== first) throw unknown();
      }
    }
    throw unknownStartError(request, workflowId, identity, startError);
  }

  /** Attaches the request to an existing run. Throws if the run has another body. */
  function attach(found: RunDescription, { digest }: Identity, replayed: boolean): RequestRun {
    const memo = memoOf(found);
    const leadId = leadIdOfRun(found);
    assertSameRequest(digest, memo?.digest, leadId ? { leadId, state: stateOf(found) ?? 'running' } : undefined);
    const { workflowId, runId } = found;
    return { workflowId, runId, leadId, isNew: false, replayed, isSandbox: isSandboxed(memo?.binding ?? {}) };
  }

  /**
   * Finds the existing run of a request: the run under its workflow id, or a later attempt of that lead. A run with an Idempotency-Key is
   * matched while the key is kept; a run without one, while the lead is open, and after its end as REPEATS says.
   */
  async function findExisting(found: RunDescription, { idempotencyKey, caller, flow }: StartRequest, identity: Identity): Promise<Found> {
    if (idempotencyKey) return (await isKeyFree(client, found, windowMs)) ? {} : { existing: attach(found, identity, true) };
    const newest = isOpen(found) ? found : await newestRun(client, leadIdOfRun(found)).catch(ignoreLeadNotFound);
    // A redrive may have changed the body; then this request is a new lead.
    if (!newest || memoOf(newest)?.digest !== identity.digest) return {};
    if (!isOpen(newest)) return findRepeated(newest, identity, flow);
    await addSender(newest, caller);
    return { existing: attach(newest, identity, false) };
  }

  /** Decides about a repeat of an ended lead: REPEATS gives it the first answer, or parks it, or it is sent. */
  function findRepeated(ended: RunDescription, identity: Identity, flow = ''): Found {
    const { rule = 'send', windowMs = 0 } = config.REPEATS?.[flow] ?? {};
    const afterMs = Math.max(0, Date.now() - (ended.closeTime?.getTime() ?? 0));
    if (rule !== 'send' && afterMs <= windowMs) return rule === 'answer' ? { existing: attach(ended, identity, true) } : {};
    return mayHaveArrived(ended) ? { repeatAfterS: Math.ceil(afterMs / 1_000) } : {};
  }

  /** Adds the caller to the senders of an open lead, who may read it in clear. If the update fails, the caller reads it masked. */
  async function addSender(found: RunDescription, caller = ''): Promise<void> {
    if (caller === '' || memoOf(found)?.senders?.includes(caller)) return;
    const run = client.workflow.getHandle(found.workflowId, found.runId);
    await within(client, Date.now() + addSenderMs, () => run.executeUpdate<void, [string]>('alsoSent', { args: [caller] })).catch(
      (error: unknown) => log.warn('a sender could not be added to a lead', { leadId: leadIdOfRun(found), reason: errorNameOf(error) }),
    );
  }

  return {
    async start(request) {
      const identity = identify(request, keys);
      await assertEngineAvailable();
      let use: IdUse = { reuse: 'REJECT_DUPLICATE' };
      for (let tries = 0; tries < mostTries; tries++) {
        const run = await tryStart(request, identity, use);
        if (run) return run;
        const found = await describeRun(identity.workflowId);
        if (!found) continue;
        const { existing, repeatAfterS } = await findExisting(found, request, identity);
        if (existing) return existing;
        use = { reuse: 'ALLOW_DUPLICATE', repeatAfterS };
      }
      throw concurrentStartError();
    },

    async find(request) {
      const identity = identify(request, keys);
      const found = await describeRun(identity.workflowId);
      return found && (await findExisting(found, request, identity)).existing;
    },

    async startAttempt(request, attempt) {
      const { leadId, orderId, repeatAfterS } = attempt;
      const identity = identify(request, keys);
      const workflowId = attemptIdOf(leadId, attempt.attempt);
      await assertEngineAvailable();
      try {
        return await startNew(request, identity, { workflowId, leadId, reuse: 'REJECT_DUPLICATE', repeatAfterS }, attempt);
      } catch (error) {
        // The start may have succeeded although the call failed. The run's memo names the order that started it.
        const found = await describeRun(workflowId).catch(() => undefined);
        const memo = found && memoOf(found);
        if (found && memo?.redrive?.orderId === orderId) {
          assertSameRequest(attempt.orderDigest, memo.redrive.orderDigest);
          return { ...recordStart(request, { workflowId, leadId }, found.runId), isNew: memo.nonce === identity.nonce };
        }
        if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
        throw unknownStartError(request, workflowId, identity, error, leadId);
      }
    },
  };
}
