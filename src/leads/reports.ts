/** Gets the report of a run: waits for its end, or asks for its state now. */
import { WorkflowFailedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { engineAway } from '../contract/errors';
import type { Address } from '../domain/ids';
import { isOver, troubleOf, type LeadReport, type State } from '../domain/lead';
import { isTimeUp, within, type Found } from '../temporal/ask';
import { attributeIn } from '../temporal/engine';
import type { LocalRuns } from './local-runs';
import { leadIdOfRun, standingOf, type Standing } from './runs';
import type { Search } from './search';

const queryDeadlineMs = 3_000;
/** Deadline of a query after a caller's wait has run out. */
const waitedQueryMs = 500;
const askAgainMs = 50;

/** The report of a run that was accepted and has not reported yet. */
export const reportOfAccepted = (leadId = ''): LeadReport => ({ leadId, flow: '', state: 'running', steps: [] });

/**
 * For this long only the end of a run is waited for. After that the run is also watched for being parked, which costs the engine an answer
 * for each event. The more requests wait at once, the later that begins.
 */
const quickMs = (waiting: number) => Math.min(2_000, 500 + 50 * waiting);

/** After this time a run that is carried here has begun a step. One that has not may be carried elsewhere, so the engine is asked. */
const localMs = (waiting: number) => 20 + 10 * waiting;

/** `leadId` is empty for a call, which is never parked. */
export type Where = Address & { readonly leadId?: string };

/** The engine has these states of an open run when they are told. Others may be ahead of it. */
const standsStill: readonly State[] = ['waiting', 'verifying', 'parked'];

export interface Reports {
  /** The report at the run's end, when it is parked, or when the time is up; whichever comes first. */
  settled(where: Where, waitMs: number): Promise<LeadReport>;
  now(where: Where): Promise<LeadReport>;
}

/**
 * `stopping` ends every wait early; the runs go on. `search` hears of each report, so that the next list shows it. `local` is given if this
 * process has a worker.
 */
export function createReports(
  client: Client,
  namespace: string,
  stopping: AbortSignal,
  search: Pick<Search, 'changed'>,
  local?: LocalRuns,
): Reports {
  const waiting = new Set<() => void>();
  stopping.addEventListener('abort', () => waiting.forEach((end) => end()), { once: true });

  /** Waits for the first of these promises, or for the stop. Each wait has its own stop promise: a shared one would leak every answer. */
  async function untilStopped<T>(...promises: Promise<T | undefined>[]): Promise<T | undefined> {
    let end = () => {};
    const stopped = new Promise<undefined>((done) => (end = () => done(undefined)));
    if (stopping.aborted) end();
    waiting.add(end);
    try {
      return await Promise.race([...promises, stopped]);
    } finally {
      waiting.delete(end);
    }
  }

  /** Waits at the engine until the deadline. A busy engine may end such a call early; then it is asked again. */
  async function waited<T>(deadline: number, call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await within(client, deadline, call);
      } catch (error) {
        if (!isTimeUp(error) || Date.now() >= deadline) throw error;
      }
      await pause(askAgainMs);
    }
  }

  const handleOf = ({ workflowId, runId }: Where) =>
    client.workflow.getHandle<() => Promise<LeadReport>>(workflowId, runId, { followRuns: false });

  /** Waits for the end of a run. Undefined if the deadline comes first. */
  async function closed(where: Where, deadline: number): Promise<LeadReport | undefined> {
    try {
      return await waited(deadline, () => handleOf(where).result());
    } catch (error) {
      if (isTimeUp(error)) return undefined;
      if (!(error instanceof WorkflowFailedError)) throw error;
      return reportOfFailure(error);
    }
  }

  /** Waits until the run is parked, by long polls of its history. False if the deadline or the run's end comes first. */
  async function parked({ workflowId, runId }: Where, deadline: number): Promise<boolean> {
    let nextPageToken: Uint8Array | null | undefined;
    let state: unknown;
    try {
      do {
        const page = await waited(deadline, () =>
          client.workflowService.getWorkflowExecutionHistory({
            namespace,
            execution: { workflowId, runId },
            waitNewEvent: true,
            nextPageToken,
          }),
        );
        for (const event of page.history?.events ?? []) {
          const payload = event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields?.LeadState;
          if (payload?.data?.length) state = attributeIn(payload);
        }
        if (state === 'parked') return true;
        ({ nextPageToken } = page);
      } while (nextPageToken?.length);
    } catch (error) {
      if (!isTimeUp(error)) throw error;
    }
    return false;
  }

  async function now(where: Where, queryMs = queryDeadlineMs): Promise<LeadReport> {
    const description = await within(client, Date.now() + queryDeadlineMs, () => handleOf(where).describe());
    if (description.status.name !== 'RUNNING') return (await closed(where, Date.now() + queryDeadlineMs)) ?? unreadable();
    const [step] = (description.searchAttributes.LeadStep ?? []) as string[];
    const [flow] = (description.searchAttributes.LeadFlow ?? ['']) as string[];
    const { state, updatedAt } = standingOf(description);
    const told = local?.reportNow(description.runId);
    if (told && isNewest(told, { state, updatedAt })) return told;
    const known = { leadId: leadIdOfRun(description), flow: flow ?? '', state, updatedAt, step, steps: [] };
    // If no worker has taken it or answers, the engine's search attributes still tell the state.
    return isUntaken(description) ? known : ((await asked(where, queryMs)) ?? known);
  }

  async function asked(where: Where, ms: number): Promise<LeadReport | undefined> {
    try {
      const report = await within(client, Date.now() + ms, () => handleOf(where).query<LeadReport>('report'));
      // It ended between the two questions: only the closed run has the result.
      return isOver(report) ? ((await closed(where, Date.now() + queryDeadlineMs)) ?? report) : report;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw error;
      return undefined;
    }
  }

  /** Waits for a run that this process carries, without asking the engine. Undefined if it is carried elsewhere, or takes long. */
  async function heard({ runId }: Where, told: Promise<LeadReport>, quickUntil: number): Promise<LeadReport | undefined> {
    const soon = await untilStopped(told, pause(Math.min(localMs(waiting.size), quickUntil - Date.now())));
    return soon ?? (local?.carries(runId) ? untilStopped(told, pause(quickUntil - Date.now())) : undefined);
  }

  async function settled(where: Where, waitMs: number): Promise<LeadReport> {
    const awaited = local?.reportOf(where.runId);
    try {
      return await settledOrNow(where, Date.now() + waitMs, awaited?.report);
    } finally {
      awaited?.forget();
    }
  }

  async function settledOrNow(where: Where, deadline: number, told?: Promise<LeadReport>): Promise<LeadReport> {
    const quickUntil = Math.min(deadline, Date.now() + quickMs(waiting.size));
    const soon = told && (await heard(where, told, quickUntil));
    if (soon) return soon;
    const end = Promise.race([closed(where, deadline), ...(told ? [told] : [])]);
    if (where.leadId === '') return (await untilStopped(end)) ?? reportOfAccepted();
    const quick = await untilStopped(end, pause(quickUntil - Date.now()));
    if (quick) return quick;
    // Only the run's own report says why it is parked, so the query may use the rest of the time.
    const words = () => now(where, Math.max(waitedQueryMs, deadline - Date.now()));
    const report = await untilStopped(
      end,
      parked(where, deadline).then((yes) => (yes ? words() : end)),
    );
    return report ?? now(where, waitedQueryMs);
  }

  const noted = (where: Where, report: LeadReport): LeadReport => {
    if (isOver(report) || standsStill.includes(report.state)) search.changed(where, { ...report, trouble: troubleOf(report) });
    return report;
  };

  return {
    now: async (where) => noted(where, await now(where)),
    async settled(where, waitMs) {
      const report = await settled(where, waitMs);
      return where.leadId === '' ? report : noted(where, report);
    },
  };
}

/** The engine learns a run's changes at the end of its task. A report is told before that only if it says that the run goes on. */
function isNewest(told: LeadReport, engines: Pick<Standing, 'state' | 'updatedAt'>): boolean {
  const { state, updatedAt = '' } = told;
  return state === engines.state ? updatedAt >= engines.updatedAt : state === 'running' && updatedAt > engines.updatedAt;
}

/** The history holds only the start and the first task, which no worker has begun. */
const isUntaken = ({ historyLength }: Found): boolean => historyLength <= 2;

const pause = (ms: number) => new Promise<undefined>((done) => setTimeout(done, ms, undefined));

/** The report that a failed run carries. A run that was terminated by Temporal's own tools carries none, and counts as discarded. */
export function reportOfFailure({ cause }: WorkflowFailedError): LeadReport {
  const report = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  if (typeof report === 'object' && report !== null && 'steps' in report) return report as LeadReport;
  const failure = { code: 'OUTCOME_UNKNOWN', message: 'The run was ended by hand, or could not go on' } as const;
  return { leadId: '', flow: '', state: 'discarded', steps: [], failure };
}

const unreadable = (): never => {
  throw engineAway();
};
