/** Starts, finds, reads, stops and lists the durable runs of orders, each kind of which has its own workflow and ids. */
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowExecutionInfo,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { randomBytes } from 'node:crypto';
import { ApiError, engineAway } from '../../contract/errors';
import type { BulkState } from '../../domain/bulk';
import { assertSameRequest } from '../../intake/identity';
import { listRuns } from '../../leads/search';
import type { KeyRing } from '../../keys/ring';
import { base32 } from '../../lib/base32';
import { inGroups } from '../../lib/in-groups';
import { askDeadlineMs, askEngine, describe, isDeadlineExceeded, isRefusal, within } from '../../temporal/ask';

/** The part of a run that the engine returns without a worker. */
export type OrderRun = Pick<WorkflowExecutionInfo, 'status' | 'memo'>;

/** The part of the memo that every order has. */
export interface OrderMemo {
  readonly state: BulkState;
  readonly startedAt?: string;
  readonly digest?: string;
}

/** Describes the runs of one kind of order. `Page` selects a part of a report. */
export interface RunKind<Report, Page, Part> {
  /** In messages. */
  readonly name: string;
  readonly workflow: string;
  /** The workflow id of each of its runs begins with this, and ends with the id of the order. */
  readonly prefix: string;
  readonly idForm: RegExp;
  readonly query: string;
  pageOf(report: Report, page: Page): Part;
  memoOf(run: Pick<OrderRun, 'memo'>): OrderMemo;
  unknown(orderId: string): ApiError;
}

export interface OrderRuns<Page, Part> {
  workflowIdOf(orderId: string): string;
  stateOf(run: OrderRun): BulkState;
  find(orderId: string): Promise<WorkflowExecutionDescription>;
  /** Starts the run of an order, unless there is one. Returns the run if an earlier request has started it. */
  start(orderId: string, digest: string, options: Omit<WorkflowStartOptions, 'workflowId'>): Promise<OrderRun | undefined>;
  partOf(run: WorkflowExecutionDescription, page: Page): Promise<Part>;
  stop(orderId: string, reason: string): Promise<BulkState>;
  /** Returns the orders, newest first; with a letter, those whose ids begin with it. */
  list(taskQueue: string, letter?: string): Promise<readonly (WorkflowExecutionInfo | WorkflowExecutionDescription)[]>;
}

const usualLimit = 100;
const mostLimit = 500;

/** Returns the part of a report that a request asks for. */
export function pageBounds({ limit = usualLimit, cursor = 0 }: { readonly limit?: number; readonly cursor?: number }) {
  const from = Math.max(0, cursor);
  return { from, upTo: from + Math.min(Math.max(1, limit), mostLimit) };
}

interface Named {
  readonly letter: string;
  readonly name: string;
}

/** Makes the id of an order. Repeats with the Idempotency-Key of a caller get the same one. */
export const orderIdOf = (
  keys: Pick<KeyRing, 'hash'>,
  { letter, name }: Named,
  caller: string | undefined,
  key: string | undefined,
): string => `${letter}${key === undefined ? base32(randomBytes(13), 20) : keys.hash(`${name} id`, [caller, key].join('\0'), 20)}`;

const mostListed = 200;
/** The number of runs that are read in parallel. */
const readInParallel = 16;

export function createOrderRuns<Report, Page, Part extends object>(
  client: Client,
  kind: RunKind<Report, Page, Part>,
): OrderRuns<Page, Part> {
  const workflowIdOf = (orderId: string) => `${kind.prefix}${orderId}`;
  const handleOf = (orderId: string) => client.workflow.getHandle<() => Promise<Report>>(workflowIdOf(orderId));

  /** Returns the state in the memo. A run that was terminated could not update its memo, so it counts as stopped. */
  function stateOf(run: OrderRun): BulkState {
    const { state } = kind.memoOf(run);
    return run.status.name !== 'RUNNING' && state === 'running' ? 'stopped' : state;
  }

  async function find(orderId: string): Promise<WorkflowExecutionDescription> {
    const found = kind.idForm.test(orderId) ? await describe(client, workflowIdOf(orderId)) : undefined;
    if (!found) throw new ApiError('NOT_FOUND', `There is no ${kind.name} with this id`);
    return found;
  }

  const startRun = (orderId: string, options: Omit<WorkflowStartOptions, 'workflowId'>): Promise<unknown> =>
    askEngine(client, () =>
      client.workflow.start(kind.workflow, {
        ...options,
        workflowId: workflowIdOf(orderId),
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
      }),
    );

  return {
    workflowIdOf,
    stateOf,
    find,

    /**
     * A start whose call was interrupted may still reach the engine, so it is repeated once. REJECT_DUPLICATE prevents a second run.
     */
    async start(orderId, digest, options) {
      for (const isRepeat of [false, true]) {
        try {
          await startRun(orderId, options);
          return undefined;
        } catch (error) {
          const found = await describe(client, workflowIdOf(orderId)).catch(() => {
            throw kind.unknown(orderId);
          });
          if (found) {
            assertSameRequest(digest, kind.memoOf(found).digest);
            return !isRepeat && error instanceof WorkflowExecutionAlreadyStartedError ? found : undefined;
          }
          if (!isRepeat && isRefusal(error)) throw engineAway('The engine does not answer: nothing was started');
        }
      }
      throw kind.unknown(orderId);
    },

    /** Reads the report from the result of a completed run, or else by a query. */
    async partOf({ workflowId, runId, status, closeTime }, page) {
      const run = client.workflow.getHandle<() => Promise<Report>>(workflowId, runId);
      if (status.name === 'COMPLETED') return kind.pageOf(await askEngine(client, () => run.result()), page);
      try {
        const part = await askEngine(client, () => run.query<Part, [Page]>(kind.query, page));
        return status.name === 'RUNNING' ? part : { ...part, state: 'stopped', endedAt: closeTime?.toISOString() };
      } catch (error) {
        if (isDeadlineExceeded(error)) throw engineAway(`No worker answers: the ${kind.name} continues when a worker runs`);
        throw error;
      }
    },

    async stop(orderId, reason) {
      const before = stateOf(await find(orderId));
      // It was already stopped.
      if (before === 'stopped') return before;
      const ended = new ApiError('WRONG_STATE', `The ${kind.name} has ended`);
      if (before !== 'running') throw ended;
      await askEngine(client, () => handleOf(orderId).signal('stop', reason)).catch((error: unknown) => {
        throw error instanceof WorkflowNotFoundError ? ended : error;
      });
      await within(client, Date.now() + askDeadlineMs, () => handleOf(orderId).result()).catch((error: unknown) => {
        // The run may still finish a batch, or no worker runs. It fails only if somebody terminates it.
        if (!isDeadlineExceeded(error) && !(error instanceof WorkflowFailedError)) throw error;
      });
      return stateOf(await find(orderId));
    },

    async list(taskQueue, letter = '') {
      const ofKind = `WorkflowType = '${kind.workflow}' AND WorkflowId STARTS_WITH '${kind.prefix}${letter}'`;
      const query = `${ofKind} AND TaskQueue = '${taskQueue}' AND ExecutionStatus != 'ContinuedAsNew'`;
      const listed = await listRuns(client, query, { most: mostListed });
      // The index may still show an order as running that has ended.
      const newest = async (run: WorkflowExecutionInfo) =>
        run.status.name === 'RUNNING' ? ((await describe(client, run.workflowId, run.runId)) ?? run) : run;
      const startedAt = (run: Pick<WorkflowExecutionInfo, 'memo' | 'startTime' | 'status'>) =>
        kind.memoOf(run).startedAt ?? run.startTime.toISOString();
      return (await inGroups(listed, readInParallel, newest)).toSorted((one, other) => (startedAt(one) < startedAt(other) ? 1 : -1));
    },
  };
}
