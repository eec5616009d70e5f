/** Reads the report of a run: waits for its end, or queries its current state. */
import { WorkflowFailedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { engineAway } from '../contract/errors';
import { isExchange } from '../domain/exchanges';
import type { Address } from '../domain/ids';
import { isOver, troubleOf, type LeadReport } from '../domain/lead';
import { isDeadlineExceeded, within, type RunDescription } from '../temporal/ask';
import { pendingTries } from '../temporal/pending-tries';
import { changedAt, endedOutsideFailure, isOpen, leadIdOfRun, newestOfChain, leadStatusOf, unknownLead } from './runs';
import type { Search } from './search';

const queryDeadlineMs = 3_000;
/** The deadline of the query after the caller's wait has expired. */
const waitedQueryMs = 500;
const retryMs = 50;

/** The report of a run that was accepted and has reported nothing yet. */
export const reportOfAccepted = (leadId = ''): LeadReport => ({ leadId, flow: '', state: 'running', steps: [] });

/**
 * For this long only the end of a run is awaited. After that an update also waits until the run is parked, which costs a workflow task. The
 * more requests wait at once, the later that starts.
 */
const quickMs = (waiting: number) => Math.min(2_000, 500 + 50 * waiting);

/** `leadId` is empty for a call, which is never parked. */
export type ReportAddress = Address & { readonly leadId?: string };

export interface Reports {
  /** Returns the report once the run has ended or is parked, or after `waitMs`. */
  settled(where: ReportAddress, waitMs: number): Promise<LeadReport>;
  now(where: ReportAddress): Promise<LeadReport>;
}

/** `stopping` ends every wait early; the runs continue. Each report is recorded in `search`, so that the next list shows it. */
export function createReports(client: Client, stopping: AbortSignal, search: Pick<Search, 'recordChange'>): Reports {
  const waiting = new Set<() => void>();
  /** The updates in progress, by run id. */
  const updates = new Map<string, Promise<LeadReport | 'over' | undefined>>();
  stopping.addEventListener('abort', () => waiting.forEach((end) => end()), { once: true });

  /** Waits for the first of these promises, or for the stop. Each wait has its own stop promise, because a shared one would leak memory. */
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

  /** Repeats a waiting call until the deadline, because a busy engine may end it early. */
  async function repeatUntil<T>(deadline: number, call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await within(client, deadline, call);
      } catch (error) {
        if (!isDeadlineExceeded(error) || Date.now() >= deadline) throw error;
      }
      await pause(retryMs);
    }
  }

  /** Follows a run that continues as new. */
  const handleOf = ({ workflowId, runId }: ReportAddress) => client.workflow.getHandle<() => Promise<LeadReport>>(workflowId, runId);

  /** Waits for the end of a run. Undefined if the deadline passes first. */
  async function waitForEnd(where: ReportAddress, deadline: number): Promise<LeadReport | undefined> {
    try {
      return await repeatUntil(deadline, () => handleOf(where).result());
    } catch (error) {
      if (isDeadlineExceeded(error)) return undefined;
      if (!(error instanceof WorkflowFailedError)) throw error;
      return reportOfFailure(error) ?? reportEndedOutside(where, deadline);
    }
  }

  /**
   * Waits with an update until the run is parked. Requests that wait for the same run share the update. Undefined if the run ends or the
   * deadline passes first.
   */
  async function waitUntilParked(where: ReportAddress, deadline: number): Promise<LeadReport | undefined> {
    while (Date.now() < deadline) {
      const shared = updates.get(where.runId) ?? askRun(where, deadline);
      updates.set(where.runId, shared);
      const answer = await shared.catch(() => undefined).finally(() => updates.delete(where.runId));
      if (answer) return answer === 'over' ? undefined : answer;
      await pause(retryMs);
    }
    return undefined;
  }

  /** Undefined if the run's state has changed, it has continued as new, or the deadline passes first. */
  async function askRun(where: ReportAddress, deadline: number): Promise<LeadReport | 'over' | undefined> {
    const newest = await newestOfChain(client, where);
    if (!newest || !isOpen(newest)) return 'over';
    const handle = client.workflow.getHandle(newest.workflowId, newest.runId);
    // All waits for one state of the run share an update id, because the engine allows ten updates at once and two thousand in total.
    const updateId = `settled-${leadStatusOf(newest).updatedAt}`;
    return within(client, deadline, () => handle.executeUpdate<LeadReport | undefined, []>('settled', { args: [], updateId }));
  }

  async function now(where: ReportAddress, queryMs = queryDeadlineMs): Promise<LeadReport> {
    const found = await newestOfChain(client, where);
    if (!found) throw unknownLead();
    if (!isOpen(found)) return (await waitForEnd(where, Date.now() + queryDeadlineMs)) ?? throwEngineAway();
    // If no worker has started the run or answers, the search attributes still have its state.
    const report = isNotStarted(found) ? undefined : await queryReport(found, queryMs);
    // The run ended before the query: only the closed run has the result.
    if (report && isOver(report)) return (await waitForEnd(where, Date.now() + queryDeadlineMs)) ?? report;
    return report ? withTries(report, found) : reportFromAttributes(found);
  }

  async function queryReport({ workflowId, runId }: RunDescription, ms: number): Promise<LeadReport | undefined> {
    try {
      return await within(client, Date.now() + ms, () => client.workflow.getHandle(workflowId, runId).query<LeadReport>('report'));
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw error;
      return undefined;
    }
  }

  /** Returns the last report of a run that was ended outside of Leadgate, as failed. After a reset, follows the new run. */
  async function reportEndedOutside(where: ReportAddress, deadline: number): Promise<LeadReport | undefined> {
    const found = await newestOfChain(client, where);
    if (!found) throw unknownLead();
    if (isOpen(found)) return waitForEnd(found, deadline);
    const last = (await queryReport(found, queryDeadlineMs)) ?? reportFromAttributes(found);
    const updatedAt = changedAt(found)?.toISOString();
    return { ...last, state: 'failed', waitsFor: undefined, updatedAt, failure: endedOutsideFailure(found) };
  }

  async function settled(where: ReportAddress, waitMs: number): Promise<LeadReport> {
    const deadline = Date.now() + waitMs;
    const end = waitForEnd(where, deadline);
    if (where.leadId === '') return (await untilStopped(end)) ?? reportOfAccepted();
    const quick = await untilStopped(end, pause(Math.min(deadline - Date.now(), quickMs(waiting.size))));
    if (quick) return quick;
    const report = await untilStopped(
      end,
      waitUntilParked(where, deadline).then((answer) => answer ?? end),
    );
    return report ?? now(where, waitedQueryMs);
  }

  const recordReport = (where: ReportAddress, report: LeadReport): LeadReport => {
    // While it is running, the report may be ahead of the engine.
    if (report.state !== 'running') search.recordChange(where, { ...report, trouble: troubleOf(report) });
    return report;
  };

  return {
    now: async (where) => recordReport(where, await now(where)),
    async settled(where, waitMs) {
      const report = await settled(where, waitMs);
      return where.leadId === '' ? report : recordReport(where, report);
    },
  };
}

/** The history has only the start and the first workflow task, which no worker has started. */
const isNotStarted = ({ historyLength }: RunDescription): boolean => historyLength <= 2;

const pause = (ms: number) => new Promise<undefined>((done) => setTimeout(done, ms, undefined));

/** Builds a report from the search attributes of a run. */
function reportFromAttributes(found: RunDescription): LeadReport {
  const [step] = (found.searchAttributes.LeadStep ?? []) as string[];
  const [flow = ''] = (found.searchAttributes.LeadFlow ?? []) as string[];
  const { state, updatedAt } = leadStatusOf(found);
  return { leadId: leadIdOfRun(found), flow, state, updatedAt, step, steps: [] };
}

/** Adds the tries of a read that the engine retries, which only the engine knows. The run has counted one. */
function withTries(report: LeadReport, found: RunDescription): LeadReport {
  const { waitsFor } = report;
  const pending = pendingTries(found, (call) => isExchange({ call }));
  if (waitsFor?.what !== 'retry' || !pending) return report;
  const { begun, nextTryAt } = pending;
  const steps = report.steps.map((step) => (step.name === report.step ? { ...step, attempts: step.attempts + begun - 1 } : step));
  return { ...report, steps, waitsFor: { ...waitsFor, ...(nextTryAt && { nextTryAt }) } };
}

/** Returns the report in a run's failure. Undefined if the run was ended outside of Leadgate. */
export function reportOfFailure({ cause }: WorkflowFailedError): LeadReport | undefined {
  const report = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  return typeof report === 'object' && report !== null && 'steps' in report ? (report as LeadReport) : undefined;
}

const throwEngineAway = (): never => {
  throw engineAway();
};
