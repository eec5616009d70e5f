/** Carries out a person's decision about a parked or a waiting lead, for a single decision or a bulk order. */
import { WorkflowNotFoundError, WorkflowUpdateFailedError, type Client, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../contract/errors';
import { busyType, stateAfter, updateOf, type Decision, type LeadReport, type State } from '../domain/lead';
import type { Order } from '../domain/redrive';
import { pausedWords } from '../domain/pauses';
import { nameOf } from '../domain/upstreams';
import type { Pauses } from '../leads/pauses';
import { chainOf, firstRunIdOf, leadStatusOf, stateOf } from '../leads/runs';
import { attemptsOf, newestIn } from '../leads/attempts';
import type { Search } from '../leads/search';
import { log } from '../lib/log';
import { askEngine, describe, isEngineAway, isRefusal, within } from '../temporal/ask';
import { assertSameRequest } from '../intake/identity';

export interface DecideNeeds {
  readonly client: Client;
  readonly search: Pick<Search, 'recordChange'>;
  readonly pauses: Pick<Pauses, 'of'>;
}

export interface DecisionResult {
  readonly state: State;
  /** True if the order was carried out before. */
  readonly isRepeat: boolean;
}

/** How long a decision about a waiting lead waits for the end of a try that is in progress. */
const busyMs = 3_000;
const busyPauseMs = 100;

/** Repeats the update of a waiting lead until no try is in progress. */
export async function onceIdle<T>(update: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + busyMs; ; await pause(busyPauseMs)) {
    try {
      return await update();
    } catch (error) {
      const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
      if (!(cause instanceof ApplicationFailure && cause.type === busyType) || Date.now() > deadline) throw error;
    }
  }
}

/** A repeated order does nothing and gets the first answer. */
export type Decide = (leadId: string, decision: Decision, order?: Required<Order>) => Promise<DecisionResult>;

/** A worker confirms a decision at the end of its task, or after eight seconds. After this deadline, the outcome is unknown. */
const decisionMs = 15_000;

export function createDecide({ client, search, pauses }: DecideNeeds): Decide {
  /** Returns what follows the prefix in the id of an accepted update, if the run has such an update. */
  async function findAcceptedSuffix(run: WorkflowHandle, beginning: string): Promise<string | undefined> {
    const { events } = await askEngine(client, () => run.fetchHistory());
    const ids = (events ?? []).map((event) => event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.meta?.updateId);
    return ids.find((id) => id?.startsWith(beginning))?.slice(beginning.length);
  }

  /** A lead does not know of a pause that was set after it had joined the waiting line. */
  async function assertNotPaused(run: WorkflowHandle): Promise<void> {
    const { waitsFor } = await askEngine(client, () => run.query<LeadReport>('report'));
    const pause = waitsFor?.upstream && (await pauses.of({ upstream: waitsFor.upstream, instance: waitsFor.instance ?? '' }));
    if (pause) throw new ApiError('WRONG_STATE', `${nameOf(pause)} ${pausedWords(pause)}: its leads wait until a person resumes it`);
  }

  async function runEnded({ verb }: Decision, workflowId: string): Promise<ApiError> {
    const ended = await describe(client, workflowId).catch(() => undefined);
    const why = ended && stateOf(ended) === 'discarded' ? 'it is already discarded' : 'its run has ended';
    return new ApiError('WRONG_STATE', `The lead ${unmet[verb]}: ${why}`);
  }

  return async (leadId, decision, order) => {
    const attempts = await attemptsOf(client, leadId);
    const chains = order ? await Promise.all(attempts.map((attempt) => chainOf(client, attempt))) : [];
    // The engine carries out each update id once, and the id ends with the order's digest. An earlier attempt may have the update.
    const beginning = `${decision.verb}-${order?.orderId}-`;
    for (const { workflowId, runId } of chains.flat()) {
      const first = await findAcceptedSuffix(client.workflow.getHandle(workflowId, runId), beginning);
      if (first === undefined) continue;
      assertSameRequest(order?.orderDigest, first);
      return { state: stateAfter(decision), isRepeat: true };
    }
    const newest = newestIn(attempts);
    const { workflowId } = newest;
    // The run may continue as new before the update.
    const run = client.workflow.getHandle(workflowId, undefined, { firstExecutionRunId: firstRunIdOf(newest) });
    if (decision.verb === 'try') await assertNotPaused(run);
    const updateId = order && `${beginning}${order.orderDigest}`;
    try {
      const carryOut = () => run.executeUpdate<State, [Decision]>(updateOf(decision), { args: [decision], updateId });
      const state = await within(client, Date.now() + decisionMs, decision.verb === 'try' ? carryOut : () => onceIdle(carryOut));
      // The decision is carried out. If this look-up fails, only the next list may lag.
      const decidedRun = await describe(client, workflowId).catch(() => undefined);
      if (decidedRun) search.recordChange(decidedRun, leadStatusOf(decidedRun, state));
      log.info('lead decided', { leadId, verb: decision.verb });
      return { state, isRepeat: false };
    } catch (error) {
      throw error instanceof WorkflowNotFoundError ? await runEnded(decision, workflowId) : decisionError(error);
    }
  };
}

const unmet: Readonly<Record<Decision['verb'], string>> = {
  resend: 'is not parked',
  confirm: 'is not parked',
  discard: 'neither waits nor is parked',
  try: 'does not wait',
  replace: 'does not wait',
};

function decisionError(error: unknown): unknown {
  if (isEngineAway(error) && !isRefusal(error))
    return new ApiError(
      'OUTCOME_UNKNOWN',
      'The decision was not confirmed in time and may still be carried out: read the lead before you decide again',
    );
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  if (!(cause instanceof ApplicationFailure)) return error;
  if (cause.type === 'VALIDATION_ERROR')
    return new ApiError('VALIDATION_ERROR', `upstreamId ${cause.message}`, { details: [{ field: 'upstreamId', message: cause.message }] });
  return new ApiError('WRONG_STATE', cause.message);
}
