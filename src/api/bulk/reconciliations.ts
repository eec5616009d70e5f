/** Handles the routes of reconciliations. A durable run compares the leads; what it proposes is carried out as a bulk decision. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { Config } from '../../config/config';
import { ApiError } from '../../contract/errors';
import type { Input } from '../../contract/input';
import { mostLeads, type ProposedDecision } from '../../domain/bulk';
import {
  pageOfFindings,
  reconcileWorkflow,
  type FindingPage,
  type ReconcileInput,
  type ReconcileMemo,
  type ReconcilePart,
  type ReconcileReport,
  type ReconcileWindow,
} from '../../domain/reconcile';
import type { JsonObject } from '../../domain/lead';
import { digestOf } from '../../intake/identity';
import type { KeyRing } from '../../keys/ring';
import { log } from '../../lib/log';
import { keyAttribute } from '../../temporal/engine';
import { replayedHeader, type Answer } from '../answer';
import type { AuditedAnswer } from '../audited';
import type { HandlerContext, Handlers } from '../handler';
import { idempotencyKey } from '../request';
import { countAnswer } from './order-answers';
import { createOrderRuns, orderIdOf, pageBounds, type OrderRun } from './order-runs';
import type { BulkOrders } from './orders';

interface Needs {
  readonly client: Client;
  readonly config: Config;
  readonly keys: KeyRing;
  readonly countCompared: (window: ReconcileWindow) => Promise<number>;
  readonly decisions: Pick<BulkOrders, 'apply' | 'isStarted'>;
}

interface FindingQuery {
  readonly limit?: number;
  readonly cursor?: number;
  readonly finding?: string;
  readonly proposed?: 'true';
}

const path = '/api/reconciliations';
const name = 'reconciliation';
const letter = 'c';
/** Proposals are carried out within this time: later, the upstream may hold something else. */
const applyWithinMs = 24 * 3_600_000;

/** A scheduled one is named by its task queue and the time. */
const idForm = new RegExp(`^(?:${letter}[0-9a-z]{20}|s-.{1,200})$`);

/** A scheduled one has no memo until it has begun. */
const memoOf = ({ memo }: Pick<OrderRun, 'memo'>): ReconcileMemo => (memo?.reconcile as ReconcileMemo | undefined) ?? { state: 'running' };

const outcomeUnknown = (reconciliationId: string) =>
  new ApiError('OUTCOME_UNKNOWN', `The engine stopped answering during the start of the ${name}: it may have started`, {
    errorContext: { reconciliationId },
  });

const tooMany = (count: number) =>
  new ApiError('VALIDATION_ERROR', `${count} leads are in this time, and a ${name} compares at most ${mostLeads}`, {
    details: [{ field: 'since', message: `must select at most ${mostLeads} leads: choose a later time, or set until or flows` }],
  });

export function reconciliationHandlers({ client, config, keys, countCompared, decisions }: Needs) {
  const { TASK_QUEUE: taskQueue } = config;
  const runs = createOrderRuns<ReconcileReport, FindingPage, ReconcilePart>(client, {
    ...{ name, workflow: reconcileWorkflow, prefix: `${reconcileWorkflow}-`, idForm, query: 'findings' },
    ...{ pageOf: pageOfFindings, memoOf, unknown: outcomeUnknown },
  });
  const idOf = ({ body }: Input) => String(body.reconciliationId);
  /** Proposals are carried out once, so a repeat finds the first decision. */
  const decisionIdOf = (id: string) => `d${keys.hash('decision id', ['apply', id].join('\0'), 20)}`;

  function windowOf({ since, until = new Date().toISOString(), flows }: JsonObject): ReconcileWindow {
    return { since: String(since), until: String(until), ...(flows !== undefined && { flows: flows as string[] }) };
  }

  async function start({ request, input, caller }: HandlerContext): Promise<AuditedAnswer> {
    const window = windowOf(input.body);
    const count = await countCompared(window);
    if (input.body.dryRun === true) {
      const message = 'Nothing was started: send the same request without dryRun';
      return { status: 200, body: { success: true, dryRun: true, count, message }, outcome: 'counted', facts: { count } };
    }
    if (count > mostLeads) throw tooMany(count);
    const by = caller.name || undefined;
    const id = orderIdOf(keys, { letter, name }, by, idempotencyKey(request));
    const digest = digestOf(keys, { name, given: input.given });
    const startedAt = new Date().toISOString();
    const memo: ReconcileMemo = { digest, state: 'running', startedAt, ...window, ...(by && { by }) };
    const found = await runs.start(id, digest, {
      taskQueue,
      args: [{ window } satisfies ReconcileInput],
      memo: { reconcile: memo },
      typedSearchAttributes: [keyAttribute(keys)],
      staticSummary: `compare the leads since ${window.since}`,
    });
    if (!found) log.info('reconciliation started', { reconciliationId: id, count });
    const statusUrl = `${path}/${id}`;
    return {
      status: 202,
      body: { success: true, reconciliationId: id, state: found ? runs.stateOf(found) : 'running', statusUrl },
      headers: { Location: statusUrl, 'X-Workflow-Id': runs.workflowIdOf(id), ...(found && replayedHeader) },
      facts: { reconciliationId: id, count },
    };
  }

  function summaryOf(run: OrderRun & Pick<WorkflowExecutionInfo, 'workflowId' | 'startTime'>): JsonObject {
    const { digest: _, wrong: __, startedAt = run.startTime.toISOString(), ...said } = memoOf(run);
    return { reconciliationId: run.workflowId.slice(runs.workflowIdOf('').length), ...said, startedAt, state: runs.stateOf(run) };
  }

  async function read({ body }: Input): Promise<Answer> {
    const { finding, proposed, ...page } = body as FindingQuery;
    const { from, upTo } = pageBounds(page);
    const id = String(body.reconciliationId);
    const run = await runs.find(id);
    const part = await runs.partOf(run, { from, upTo, finding, proposed: proposed === 'true' });
    const { kinds, results, found, proposed: proposals, count, done, ...said } = part;
    const findings = results.map(([leadId, kind, upstreamId]) => ({ leadId, ...kinds[kind], upstreamId }));
    const decisionId = decisionIdOf(id);
    const isDecided = proposals > 0 && (await decisions.isStarted(decisionId));
    return {
      status: 200,
      body: {
        ...{ success: true, ...summaryOf(run), ...said, count, done, remaining: count - done, proposals, findings },
        ...(isDecided && { decisionId }),
        ...(upTo < found && { nextCursor: String(upTo) }),
      },
    };
  }

  async function stop(input: Input): Promise<AuditedAnswer> {
    const reconciliationId = idOf(input);
    const state = await runs.stop(reconciliationId, String(input.body.reason));
    log.info('reconciliation stopped', { reconciliationId });
    return { status: 200, body: { success: true, reconciliationId, state }, facts: { reconciliationId } };
  }

  async function proposalsOf(reconciliationId: string): Promise<Readonly<Record<string, ProposedDecision>>> {
    const run = await runs.find(reconciliationId);
    if (runs.stateOf(run) === 'running') throw new ApiError('WRONG_STATE', `The ${name} still runs: wait for its end, or stop it`);
    const { kinds, results, endedAt } = await runs.partOf(run, { from: 0, upTo: Infinity, proposed: true });
    if (Date.parse(endedAt ?? '') < Date.now() - applyWithinMs)
      throw new ApiError('WRONG_STATE', `The ${name} ended more than a day ago, so the leads may have changed: start a new one`);
    return Object.fromEntries(
      results.map(([leadId, kind, upstreamId]): [string, ProposedDecision] => {
        const { proposal, why = '' } = kinds[kind] ?? {};
        return [leadId, { proof: why, ...(proposal === 'confirm' && { upstreamId }) }];
      }),
    );
  }

  async function apply({ input, caller, requester }: HandlerContext): Promise<AuditedAnswer> {
    const reconciliationId = idOf(input);
    const proposals = await proposalsOf(reconciliationId);
    const leadIds = Object.keys(proposals);
    const { reason, count } = input.body;
    const facts = { reconciliationId, count: leadIds.length };
    if (count === undefined) return { ...countAnswer(leadIds), facts };
    if (count !== leadIds.length)
      throw new ApiError('WRONG_STATE', `The ${name} has ${leadIds.length} proposals: nothing was started`, {
        errorContext: { count: leadIds.length },
      });
    const orderId = decisionIdOf(reconciliationId);
    const by = caller.name || undefined;
    const answer = await decisions.apply({ orderId, proposals, reason: String(reason), by, address: requester.address });
    return { ...answer, facts: { ...facts, decisionId: orderId } };
  }

  return {
    startReconciliation: start,
    async listReconciliations() {
      const found = (await runs.list(taskQueue)).map(summaryOf);
      return { status: 200, body: { success: true, count: found.length, reconciliations: found } };
    },
    getReconciliation: ({ input }) => read(input),
    stopReconciliation: ({ input }) => stop(input),
    applyReconciliation: apply,
  } satisfies Partial<Handlers>;
}
