/**
 * Knows the runs that this process's own worker carries, sooner than the engine can tell: the steps that a run has taken inside its tasks,
 * its report at its end, and which runs are over. An API in a process without a worker asks the engine instead.
 */
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import { EventEmitter } from 'node:events';
import type { LeadReport } from '../domain/lead';
import type { ReportSinks } from '../domain/report-sinks';
import { BoundedMap } from '../lib/bounded-map';

/** An activity inside a workflow's own task. */
export interface TaskStep {
  readonly activity: string;
  readonly startedAt: Date;
  /** Absent while it runs, and after it has failed. */
  endedAt?: Date;
}

/** Resolves when the run's end is known in this process, which may be never. Call `forget` when nobody waits any more. */
export interface AwaitedReport {
  readonly report: Promise<LeadReport>;
  forget(): void;
}

export interface LocalRuns {
  /** Notes each step that runs inside a workflow's own task. */
  readonly interceptor: ActivityInterceptorsFactory;
  /** The steps that the run has taken here, in order. Undefined if none was seen, or the worker has dropped the run since. */
  stepsOf(runId: string): readonly TaskStep[] | undefined;
  /** The sinks by which a run tells its worker its report. */
  readonly sinks: InjectedSinks<ReportSinks>;
  /** Notes that the worker has dropped a run; `isOver` if that is because the engine has its end. */
  dropped(runId: string, isOver: boolean): void;
  reportOf(runId: string): AwaitedReport;
  /** True if the worker has dropped the run as over. */
  hasEnded(runId: string): boolean;
}

const mostAtOnce = 1_000;
/** More runs than can end before the send journal asks. */
const mostEnded = 20_000;

export function createLocalRuns(): LocalRuns {
  const taken = new BoundedMap<string, TaskStep[]>(mostAtOnce);
  /** The reports of runs whose end the engine may not have yet. */
  const ending = new BoundedMap<string, LeadReport>(mostAtOnce);
  const reports = new EventEmitter().setMaxListeners(0);
  const ended = new BoundedMap<string, true>(mostEnded);

  async function during<T>(runId: string, activity: string, step: () => Promise<T>): Promise<T> {
    const noted: TaskStep = { activity, startedAt: new Date() };
    taken.set(runId, [...(taken.get(runId) ?? []), noted]);
    const result = await step();
    noted.endedAt = new Date();
    return result;
  }

  return {
    interceptor: ({ info: { activityType, isLocal, workflowExecution: run } }) =>
      isLocal && run ? { inbound: { execute: (input, next) => during(run.runId, activityType, () => next(input)) } } : {},
    stepsOf: (runId) => taken.get(runId),
    sinks: {
      report: {
        end: { fn: ({ runId }, report) => void ending.set(runId, report) },
        endAtOnce: { fn: ({ runId }, report) => void reports.emit(runId, report) },
      },
    },
    dropped(runId, isOver) {
      const report = ending.get(runId);
      ending.delete(runId);
      taken.delete(runId);
      if (!isOver) return;
      ended.set(runId, true);
      if (report) reports.emit(runId, report);
    },
    reportOf(runId) {
      let hear: (report: LeadReport) => void = () => {};
      const report = new Promise<LeadReport>((done) => (hear = done));
      reports.once(runId, hear);
      return { report, forget: () => void reports.off(runId, hear) };
    },
    hasEnded: (runId) => ended.has(runId),
  };
}
