/** The routes of a redrive of many leads: first it counts them, then it starts a run that redrives them and outlives this process. */
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { randomBytes } from 'node:crypto';
import type { Config } from '../../config/config';
import { ApiError, engineAway } from '../../contract/errors';
import type { JsonObject, State } from '../../domain/lead';
import { mostLeads, usualRatePerS, type RedriveInput, type RedriveMemo, type RedriveReport, type RedriveState } from '../../domain/redrive';
import { digestOf, mustBeSame } from '../../intake/identity';
import type { Input } from '../../contract/input';
import { mustBeLeadFields } from '../../intake/redrive';
import { base32, type KeyRing } from '../../keys/ring';
import type { Filter, LeadList } from '../../leads/lead-list';
import { newestRun, standingOf } from '../../leads/runs';
import { listRuns, type Search } from '../../leads/search';
import { inGroups } from '../../lib/in-groups';
import { log } from '../../lib/log';
import { askDeadlineMs, askEngine, isTimeUp, waitWithin } from '../../temporal/deadline';
import { describe } from '../../temporal/describe';
import { replayed, type Answer } from '../answer';
import {
  acceptedAnswer,
  bulkIdOf,
  bulkMemoOf,
  counted,
  otherCount,
  outcomeUnknown,
  stateNow,
  summary,
  tooMany,
  type Told,
} from './redrive-answers';

/** The body of `startRedrive`, as the contract reads it. */
interface RedriveBody {
  readonly filter: Filter;
  readonly reason: string;
  readonly fields?: JsonObject;
  readonly ratePerS?: number;
  readonly count?: number;
}

export interface Redrives {
  start(input: Input, idempotencyKey: string | undefined, caller: string): Promise<Answer>;
  read(redriveId: string, page: { readonly limit?: number; readonly cursor?: number }): Promise<Answer>;
  stop(redriveId: string, reason: string): Promise<Answer>;
  list(): Promise<Answer>;
}

const workflow = 'redriveLeads';
const idForm = /^r[0-9a-z]{20}$/;
const usualLimit = 100;
const mostLimit = 500;
const mostListed = 200;
/** Leads whose state is asked for at once. */
const leadsAtOnce = 16;

export function createRedrives(
  client: Client,
  { TASK_QUEUE: taskQueue }: Config,
  keys: KeyRing,
  leads: LeadList,
  search: Pick<Search, 'changed'>,
): Redrives {
  const inTime = <T>(call: () => Promise<T>) => askEngine(client, call);
  const handleOf = (redriveId: string) => client.workflow.getHandle<() => Promise<RedriveReport>>(bulkIdOf(redriveId));

  async function find(redriveId: string): Promise<WorkflowExecutionDescription> {
    const found = idForm.test(redriveId) ? await describe(client, bulkIdOf(redriveId)) : undefined;
    if (!found) throw new ApiError('NOT_FOUND', 'There is no redrive with this id');
    return found;
  }

  /** The answer for a repeated Idempotency-Key. Throws if the body differs. */
  function attached(found: Told, redriveId: string, digest: string): Answer {
    const { count, digest: known } = bulkMemoOf(found);
    mustBeSame(digest, known);
    const answer = acceptedAnswer(redriveId, count, stateNow(found));
    return { ...answer, headers: { ...answer.headers, ...replayed } };
  }

  async function startNew(input: RedriveInput, digest: string): Promise<Answer> {
    const { redriveId, leadIds, ratePerS, startedAt } = input;
    const memo: RedriveMemo = { digest, state: 'running', count: leadIds.length, ratePerS, startedAt };
    try {
      await inTime(() =>
        client.workflow.start(workflow, {
          workflowId: bulkIdOf(redriveId),
          taskQueue,
          args: [input],
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          workflowTaskTimeout: '10s',
          memo: { redrive: memo },
          staticSummary: `redrive of ${leadIds.length} leads`,
        }),
      );
    } catch (error) {
      const found = await describe(client, bulkIdOf(redriveId)).catch(() => 'unreachable' as const);
      if (found === 'unreachable') throw outcomeUnknown(redriveId);
      if (!found) throw engineAway('The engine does not answer: nothing was started');
      if (error instanceof WorkflowExecutionAlreadyStartedError) return attached(found, redriveId, digest);
    }
    log.info('redrive started', { redriveId, count: leadIds.length });
    return acceptedAnswer(redriveId, leadIds.length, 'running');
  }

  /** The report, with the results `from` to `upTo`. A completed run has all of it in its result; any other is queried. */
  async function reportOf(
    { workflowId, runId, status, closeTime }: WorkflowExecutionDescription,
    from: number,
    upTo: number,
  ): Promise<RedriveReport> {
    const run = client.workflow.getHandle<() => Promise<RedriveReport>>(workflowId, runId);
    if (status.name === 'COMPLETED') {
      const report = await inTime(() => run.result());
      return { ...report, results: report.results.slice(from, upTo) };
    }
    try {
      const report = await inTime(() => run.query<RedriveReport, [number, number]>('progress', from, upTo));
      return status.name === 'RUNNING' ? report : { ...report, state: 'stopped', endedAt: closeTime?.toISOString() };
    } catch (error) {
      if (isTimeUp(error)) throw engineAway('No worker answers: the redrive goes on when one is there');
      throw error;
    }
  }

  /** The lead's state now. Undefined if the lead has been erased. */
  async function stateNowOf(leadId: string): Promise<State | undefined> {
    try {
      const run = await newestRun(client, leadId);
      const standing = standingOf(run);
      search.changed(run, standing);
      return standing.state;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return undefined;
    }
  }

  const shown = ({ results, kinds }: RedriveReport): Promise<JsonObject[]> =>
    inGroups(results, leadsAtOnce, async ([leadId, kind]) => {
      const { outcome, code, message } = kinds[kind] ?? { outcome: 'unknown' };
      return { leadId, outcome, code, message, state: await stateNowOf(leadId) };
    });

  return {
    async start({ given, body }, idempotencyKey, caller) {
      const { filter, reason, fields, ratePerS = usualRatePerS, count } = body as unknown as RedriveBody;
      mustBeLeadFields(fields, 'to the routes of these leads', filter.flow);
      const digest = digestOf(keys, { name: 'startRedrive', given });
      const hashed = idempotencyKey && keys.hash('redrive id', [caller, idempotencyKey].join('\0'), 20);
      const redriveId = `r${hashed ?? base32(randomBytes(13), 20)}`;
      // A repeat is recognised before counting: the first request's redrives have changed the count.
      const known = hashed && count !== undefined ? await describe(client, bulkIdOf(redriveId)) : undefined;
      if (known) return attached(known, redriveId, digest);
      const leadIds = await leads.failed(filter);
      if (count === undefined) return counted(leadIds);
      if (count !== leadIds.length) throw otherCount(leadIds.length);
      if (count > mostLeads) throw tooMany;
      const input = { redriveId, leadIds, reason, fields, ...(caller && { by: caller }), ratePerS };
      return startNew({ ...input, startedAt: new Date().toISOString() }, digest);
    },

    async read(redriveId, { limit = usualLimit, cursor = 0 }) {
      const from = Math.max(0, cursor);
      const upTo = from + Math.min(Math.max(1, limit), mostLimit);
      const report = await reportOf(await find(redriveId), from, upTo);
      const { state, count, done, failedToStart, startedAt, endedAt, ratePerS } = report;
      const numbers = { count, done, failedToStart, remaining: count - done, ratePerS };
      const next = upTo < done ? { nextCursor: String(upTo) } : {};
      return {
        status: 200,
        body: { success: true, redriveId, state, ...numbers, startedAt, endedAt, results: await shown(report), ...next },
      };
    },

    async stop(redriveId, reason) {
      const answer = (state: RedriveState) => ({ status: 200, body: { success: true, redriveId, state } });
      const before = stateNow(await find(redriveId));
      // A repeat of the same order.
      if (before === 'stopped') return answer(before);
      const ended = new ApiError('WRONG_STATE', 'The redrive has ended');
      if (before !== 'running') throw ended;
      await inTime(() => handleOf(redriveId).signal('stop', reason)).catch((error: unknown) => {
        throw error instanceof WorkflowNotFoundError ? ended : error;
      });
      log.info('redrive stopped', { redriveId });
      const report = await waitWithin(client, Date.now() + askDeadlineMs, () => handleOf(redriveId).result()).catch((error: unknown) => {
        // Without a worker the signal waits: the run stops as soon as there is one.
        if (isTimeUp(error) || error instanceof WorkflowFailedError) return undefined;
        throw error;
      });
      return answer(report?.state ?? 'running');
    },

    async list() {
      const query = `WorkflowType = '${workflow}' AND TaskQueue = '${taskQueue}' AND ExecutionStatus != 'ContinuedAsNew'`;
      const found = await listRuns(client, query, { most: mostListed });
      const redrives = found.map(summary).toSorted((one, other) => (one.startedAt < other.startedAt ? 1 : -1));
      return { status: 200, body: { success: true, count: redrives.length, redrives } };
    },
  };
}
