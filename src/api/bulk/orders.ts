/** Starts, reads, stops and lists bulk orders. A durable run carries each of them out. */
import type { Client } from '@temporalio/client';
import type { Config } from '../../config/config';
import { ApiError } from '../../contract/errors';
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
import type { Search } from '../../leads/search';
import { inGroups } from '../../lib/in-groups';
import { log } from '../../lib/log';
import { describe } from '../../temporal/ask';
import { erasureAttributes } from '../../temporal/engine';
import { replayedHeader, type Answer } from '../answer';
import type { AuditedAnswer } from '../audited';
import {
  acceptedAnswer,
  bulkMemoOf,
  bulkPrefix,
  countAnswer,
  countChanged,
  outcomeUnknown,
  reportBody,
  summaryOf,
  tooManyLeads,
  type OrderKind,
} from './order-answers';
import { createOrderRuns, orderIdOf, pageBounds, type OrderRun } from './order-runs';

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

/** The proposals of a reconciliation for its parked leads, under the id of their order. */
export interface ApplyOrder extends Pick<BulkInput, 'by' | 'address' | 'reason'> {
  readonly orderId: string;
  readonly proposals: NonNullable<BulkInput['proposals']>;
}

export interface BulkOrders {
  start(input: Input, idempotencyKey: string | undefined, from: Pick<BulkInput, 'by' | 'address'>): Promise<AuditedAnswer>;
  read(orderId: string, page: PageOptions): Promise<Answer>;
  apply(order: ApplyOrder): Promise<Answer>;
  isStarted(orderId: string): Promise<boolean>;
  stop(orderId: string, reason: string): Promise<Answer>;
  list(): Promise<Answer>;
}

/** Returns the ids of the leads that a filter matches, oldest first. */
export type IdsOf = (filter: BulkFilter, leadState?: State) => Promise<string[]>;

const workflow = 'carryOrder';
const summaryWords: Readonly<Record<BulkVerb, string>> = {
  redrive: 'redrive',
  resend: 'resend',
  discard: 'discard',
  apply: 'confirm or resend',
  'resend-events': 'resend events of',
};
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
  const runs = createOrderRuns<BulkReport, BulkPage, BulkPart>(client, {
    ...{ name: kind.name, workflow, prefix: bulkPrefix, idForm: new RegExp(`^${kind.letter}[0-9a-z]{20}$`), query: 'progress' },
    ...{ pageOf: pageOfReport, memoOf: bulkMemoOf, unknown: (orderId) => outcomeUnknown(kind, orderId) },
  });

  /** Answers a repeated Idempotency-Key. */
  function repeatAnswer(found: OrderRun, orderId: string): Answer {
    const answer = acceptedAnswer(kind, orderId, bulkMemoOf(found).count, runs.stateOf(found));
    return { ...answer, headers: { ...answer.headers, ...replayedHeader } };
  }

  async function startNew(input: BulkInput, digest: string, people: PersonHashes): Promise<Answer> {
    const { orderId, verb, leadIds, ratePerS, startedAt, reason, by } = input;
    const memo: BulkMemo = { verb, digest, state: 'running', count: leadIds.length, ratePerS, startedAt, reason, ...(by && { by }) };
    const found = await runs.start(orderId, digest, {
      taskQueue,
      args: [input],
      memo: { bulk: memo },
      typedSearchAttributes: erasureAttributes(keys, people),
      staticSummary: `${summaryWords[verb]} ${leadIds.length} leads`,
    });
    if (found) return repeatAnswer(found, orderId);
    log.info('bulk order started', { orderId, verb, count: leadIds.length });
    return acceptedAnswer(kind, orderId, leadIds.length, 'running');
  }

  /** Returns the hashes of the persons that an order names. */
  function peopleIn(...bodies: readonly (JsonObject | undefined)[]): PersonHashes {
    const people = bodies.map((body = {}) => personHashes(keys, body));
    return { emails: people.flatMap(({ emails }) => emails), phones: people.flatMap(({ phones }) => phones) };
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
      const orderId = orderIdOf(keys, kind, by, idempotencyKey);
      // Detect a repeat before counting, because the first request has changed the count.
      const known = idempotencyKey !== undefined && count !== undefined ? await describe(client, runs.workflowIdOf(orderId)) : undefined;
      if (known) {
        assertSameRequest(digest, bulkMemoOf(known).digest);
        return repeatAnswer(known, orderId);
      }
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

    apply({ orderId, proposals, ...order }) {
      const input = { ...order, orderId, verb: 'apply', from: 'parked', proposals, leadIds: Object.keys(proposals) } as const;
      const digest = digestOf(keys, { name: 'apply', given: { orderId, proposals } });
      return startNew({ ...input, ratePerS: usualRatePerS, startedAt: new Date().toISOString() }, digest, peopleIn());
    },

    isStarted: async (orderId) => (await describe(client, runs.workflowIdOf(orderId))) !== undefined,

    async read(orderId, { outcome, ...page }) {
      const { from, upTo } = pageBounds(page);
      const run = await runs.find(orderId);
      const part = await runs.partOf(run, { from, upTo, outcome });
      return { status: 200, body: reportBody(kind, run, part, await withStates(part), upTo) };
    },

    async stop(orderId, reason) {
      const state = await runs.stop(orderId, reason);
      log.info('bulk order stopped', { orderId });
      return { status: 200, body: { success: true, [kind.idName]: orderId, state } };
    },

    async list() {
      const orders = (await runs.list(taskQueue, kind.letter)).map((run) => summaryOf(kind, run, runs.stateOf(run)));
      return { status: 200, body: { success: true, count: orders.length, [`${kind.name}s`]: orders } };
    },
  };
}
