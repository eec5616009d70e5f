/** Starts, reads, stops and lists bulk orders. A durable run carries each of them out. */
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowExecutionInfo,
} from '@temporalio/client';
import { randomBytes } from 'node:crypto';
import type { Config } from '../../config/config';
import { ApiError, engineAway } from '../../contract/errors';
import { givenUp, type DeliveryFilter } from '../../domain/events';
import type { PersonHashes } from '../../domain/locks';
import type { JsonObject, State } from '../../domain/lead';
import {
  mostLeads,
  pageOfReport,
  usualRatePerS,
  type BulkInput,
  type BulkMemo,
  type BulkPage,
  type BulkPart,
  type BulkReport,
  type BulkState,
  type BulkVerb,
} from '../../domain/bulk';
import { digestOf, assertSameRequest } from '../../intake/identity';
import type { Input } from '../../contract/input';
import { assertLeadFields } from '../../orders/redrive';
import { personHashes } from '../../intake/run-options';
import type { KeyRing } from '../../keys/ring';
import type { BulkFilter } from '../../leads/lead-filter';
import { newestRun } from '../../leads/attempts';
import { leadStatusOf } from '../../leads/runs';
import { listRuns, type Search } from '../../leads/search';
import { base32 } from '../../lib/base32';
import { inGroups } from '../../lib/in-groups';
import { log } from '../../lib/log';
import { askDeadlineMs, askEngine, describe, isRefusal, isDeadlineExceeded, within } from '../../temporal/ask';
import { erasureAttributes } from '../../temporal/engine';
import { replayedHeader, type Answer } from '../answer';
import type { AuditedAnswer } from '../audited';
import {
  acceptedAnswer,
  bulkIdOf,
  bulkIdPrefix,
  bulkMemoOf,
  countAnswer,
  countChanged,
  outcomeUnknown,
  reportBody,
  currentState,
  summaryOf,
  tooManyLeads,
  type OrderKind,
  type OrderRun,
} from './order-answers';

/** The parsed body of a start. Only a decision has a `verb`. */
interface OrderBody {
  readonly filter: BulkFilter;
  readonly verb?: BulkVerb;
  readonly reason: string;
  readonly fields?: JsonObject;
  readonly notThere?: boolean;
  readonly ratePerS?: number;
  readonly count?: number;
}

interface PageOptions {
  readonly limit?: number;
  readonly cursor?: number;
  readonly outcome?: string;
}

export interface BulkOrders {
  start(input: Input, idempotencyKey: string | undefined, from: Pick<BulkInput, 'by' | 'address'>): Promise<AuditedAnswer>;
  read(orderId: string, page: PageOptions): Promise<Answer>;
  stop(orderId: string, reason: string): Promise<Answer>;
  list(): Promise<Answer>;
}

/** Returns the ids of the leads that a filter matches, oldest first. */
export type IdsOf = (filter: BulkFilter, leadState?: State) => Promise<string[]>;

const workflow = 'carryOrder';
const usualLimit = 100;
const mostLimit = 500;
const mostListed = 200;
/** The number of runs that are read in parallel. */
const readInParallel = 16;

/** A waiting lead can only be discarded, or redriven with corrected fields. */
function assertFits(leadState: State | undefined, verb: BulkVerb, fields: JsonObject = {}): void {
  if (leadState !== 'waiting') return;
  if (verb === 'resend') throw new ApiError('WRONG_STATE', 'Waiting leads cannot be resent: discard them, or redrive them with fields');
  if (verb === 'redrive' && Object.keys(fields).length === 0)
    throw new ApiError('WRONG_STATE', 'Waiting leads are redriven only with corrected fields');
}

export function createBulkOrders(
  kind: OrderKind,
  client: Client,
  { TASK_QUEUE: taskQueue }: Config,
  keys: KeyRing,
  idsOf: IdsOf,
  search: Pick<Search, 'recordChange'>,
): BulkOrders {
  const idForm = new RegExp(`^${kind.letter}[0-9a-z]{20}$`);
  const handleOf = (orderId: string) => client.workflow.getHandle<() => Promise<BulkReport>>(bulkIdOf(orderId));

  async function find(orderId: string): Promise<WorkflowExecutionDescription> {
    const found = idForm.test(orderId) ? await describe(client, bulkIdOf(orderId)) : undefined;
    if (!found) throw new ApiError('NOT_FOUND', `There is no ${kind.name} with this id`);
    return found;
  }

  /** Answers a repeated Idempotency-Key. Throws if the body differs. */
  function repeatAnswer(found: OrderRun, orderId: string, digest: string): Answer {
    const { count, digest: known } = bulkMemoOf(found);
    assertSameRequest(digest, known);
    const answer = acceptedAnswer(kind, orderId, count, currentState(found));
    return { ...answer, headers: { ...answer.headers, ...replayedHeader } };
  }

  function startRun(input: BulkInput, digest: string, people: PersonHashes): Promise<unknown> {
    const { orderId, verb, leadIds, ratePerS, startedAt, reason, by } = input;
    const memo: BulkMemo = { verb, digest, state: 'running', count: leadIds.length, ratePerS, startedAt, reason, ...(by && { by }) };
    return askEngine(client, () =>
      client.workflow.start(workflow, {
        workflowId: bulkIdOf(orderId),
        taskQueue,
        args: [input],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        memo: { bulk: memo },
        typedSearchAttributes: erasureAttributes(keys, people),
        staticSummary: `${verb === 'resend-events' ? 'resend events of' : verb} ${leadIds.length} leads`,
      }),
    );
  }

  /**
   * Starts the run. A start whose call was interrupted may still reach the engine, so it is repeated once. REJECT_DUPLICATE prevents a
   * second run.
   */
  async function startNew(input: BulkInput, digest: string, people: PersonHashes): Promise<Answer> {
    const { orderId, verb, leadIds } = input;
    const started = () => {
      log.info('bulk order started', { orderId, verb, count: leadIds.length });
      return acceptedAnswer(kind, orderId, leadIds.length, 'running');
    };
    const unknown = () => outcomeUnknown(kind, orderId);
    for (const isRepeat of [false, true]) {
      try {
        await startRun(input, digest, people);
        return started();
      } catch (error) {
        const found = await describe(client, bulkIdOf(orderId)).catch(() => {
          throw unknown();
        });
        if (found && !isRepeat && error instanceof WorkflowExecutionAlreadyStartedError) return repeatAnswer(found, orderId, digest);
        if (found) {
          assertSameRequest(digest, bulkMemoOf(found).digest);
          return started();
        }
        if (!isRepeat && isRefusal(error)) throw engineAway('The engine does not answer: nothing was started');
      }
    }
    throw unknown();
  }

  /** Returns the hashes of the persons that an order names. */
  function peopleIn(...bodies: readonly (JsonObject | undefined)[]): PersonHashes {
    const people = bodies.map((body = {}) => personHashes(keys, body));
    return { emails: people.flatMap(({ emails }) => emails), phones: people.flatMap(({ phones }) => phones) };
  }

  /** Reads the report from the result of a completed run, or else by a query. */
  async function reportOf({ workflowId, runId, status, closeTime }: WorkflowExecutionDescription, page: BulkPage): Promise<BulkPart> {
    const run = client.workflow.getHandle<() => Promise<BulkReport>>(workflowId, runId);
    if (status.name === 'COMPLETED') return pageOfReport(await askEngine(client, () => run.result()), page);
    try {
      const report = await askEngine(client, () => run.query<BulkPart, [BulkPage]>('progress', page));
      return status.name === 'RUNNING' ? report : { ...report, state: 'stopped', endedAt: closeTime?.toISOString() };
    } catch (error) {
      if (isDeadlineExceeded(error)) throw engineAway(`No worker answers: the ${kind.name} continues when a worker runs`);
      throw error;
    }
  }

  /** Returns the current state of the lead; undefined if it was erased. */
  async function stateNowOf(leadId: string): Promise<State | undefined> {
    try {
      const run = await newestRun(client, leadId);
      const standing = leadStatusOf(run);
      search.recordChange(run, standing);
      return standing.state;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return undefined;
    }
  }

  const withStates = ({ results, kinds }: BulkPart): Promise<JsonObject[]> =>
    inGroups(results, readInParallel, async ([leadId, kind]) => {
      const { outcome, code, message } = kinds[kind] ?? { outcome: 'unknown' };
      return { leadId, outcome, code, message, state: await stateNowOf(leadId) };
    });

  return {
    async start({ given, body }, idempotencyKey, { by, address }) {
      const { filter, verb = kind.verb, reason, fields, notThere, ratePerS = usualRatePerS, count } = body as unknown as OrderBody;
      assertLeadFields(fields, 'to the routes of these leads', filter.flow);
      const leadState = kind.leadState && ((filter.state as State | undefined) ?? kind.leadState);
      assertFits(leadState, verb, fields);
      const digest = digestOf(keys, { name: kind.name, given });
      const hashed = idempotencyKey && keys.hash(`${kind.name} id`, [by, idempotencyKey].join('\0'), 20);
      const orderId = `${kind.letter}${hashed ?? base32(randomBytes(13), 20)}`;
      // Detect a repeat before counting, because the first request has changed the count.
      const known = hashed && count !== undefined ? await describe(client, bulkIdOf(orderId)) : undefined;
      if (known) return repeatAnswer(known, orderId, digest);
      const leadIds = await idsOf(filter, leadState);
      if (count === undefined) return countAnswer(leadIds);
      if (count !== leadIds.length) throw countChanged(leadState, leadIds.length);
      if (count > mostLeads) throw tooManyLeads(kind);
      const deliveries = verb === 'resend-events' ? givenUp(filter as DeliveryFilter) : undefined;
      const input = {
        orderId,
        verb,
        from: leadState,
        leadIds,
        reason,
        fields,
        notThere,
        deliveries,
        by,
        address,
        ratePerS,
      };
      return startNew({ ...input, startedAt: new Date().toISOString() }, digest, peopleIn(filter, fields, { email: filter.reference }));
    },

    async read(orderId, { limit = usualLimit, cursor = 0, outcome }) {
      const from = Math.max(0, cursor);
      const upTo = from + Math.min(Math.max(1, limit), mostLimit);
      const run = await find(orderId);
      const part = await reportOf(run, { from, upTo, outcome });
      return { status: 200, body: reportBody(kind, run, part, await withStates(part), upTo) };
    },

    async stop(orderId, reason) {
      const answer = (state: BulkState) => ({ status: 200, body: { success: true, [kind.idName]: orderId, state } });
      const before = currentState(await find(orderId));
      // It was already stopped.
      if (before === 'stopped') return answer(before);
      const ended = new ApiError('WRONG_STATE', `The ${kind.name} has ended`);
      if (before !== 'running') throw ended;
      await askEngine(client, () => handleOf(orderId).signal('stop', reason)).catch((error: unknown) => {
        throw error instanceof WorkflowNotFoundError ? ended : error;
      });
      log.info('bulk order stopped', { orderId });
      await within(client, Date.now() + askDeadlineMs, () => handleOf(orderId).result()).catch((error: unknown) => {
        // The run may still finish a batch, or no worker runs. It fails only if somebody terminates it.
        if (!isDeadlineExceeded(error) && !(error instanceof WorkflowFailedError)) throw error;
      });
      return answer(currentState(await find(orderId)));
    },

    async list() {
      const ofKind = `WorkflowType = '${workflow}' AND WorkflowId STARTS_WITH '${bulkIdPrefix(kind)}'`;
      const query = `${ofKind} AND TaskQueue = '${taskQueue}' AND ExecutionStatus != 'ContinuedAsNew'`;
      const listed = await listRuns(client, query, { most: mostListed });
      // The index may still show an order as running that has ended.
      const newest = async (run: WorkflowExecutionInfo) =>
        run.status.name === 'RUNNING' ? ((await describe(client, run.workflowId, run.runId)) ?? run) : run;
      const orders = (await inGroups(listed, readInParallel, newest))
        .map((run) => summaryOf(kind, run))
        .toSorted((one, other) => (one.startedAt < other.startedAt ? 1 : -1));
      return { status: 200, body: { success: true, count: orders.length, [`${kind.name}s`]: orders } };
    },
  };
}
