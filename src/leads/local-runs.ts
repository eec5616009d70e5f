/**
 * What this process knows of the runs that its own worker carries, before the engine can tell: how far a task is that is busy with a step,
 * what a call came to, and which runs are over. An API without a worker beside it asks the engine instead.
 */
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import { EventEmitter } from 'node:events';
import type { LeadReport } from '../domain/lead';
import type { ReportSinks } from '../domain/report-sinks';
import { BoundedMap } from '../lib/bounded-map';

/** An activity that runs inside a workflow's own task, or ran there. */
export interface TaskStep {
  readonly activity: string;
  readonly startedAt: Date;
  endedAt?: Date;
}

/** Resolves as soon as the run says its report in this process: that may be never. `forget` when nobody waits any more. */
export interface AwaitedReport {
  readonly report: Promise<LeadReport>;
  forget(): void;
}

export interface LocalRuns {
  /** Notes each step inside the task of a run, while it lasts. */
  readonly interceptor: ActivityInterceptorsFactory;
  /** The steps of a task that is busy now, in order, the last one unended. Such a run answers no query. */
  busySteps(runId: string): readonly TaskStep[] | undefined;
  /** How a run says its report to its worker. */
  readonly sinks: InjectedSinks<ReportSinks>;
  reportOf(runId: string): AwaitedReport;
  /** Notes that a run is over, as the engine told. */
  noteEnded(runId: string): void;
  hasEnded(runId: string): boolean;
}

const mostBusy = 1_000;
/** More than end before the journal of sends asks. */
const mostEnded = 20_000;

export function createLocalRuns(): LocalRuns {
  const busy = new BoundedMap<string, TaskStep[]>(mostBusy);
  const reports = new EventEmitter();
  const ended = new BoundedMap<string, true>(mostEnded);

  async function during<T>(runId: string, activity: string, step: () => Promise<T>): Promise<T> {
    const noted: TaskStep = { activity, startedAt: new Date() };
    busy.set(runId, [...(busy.get(runId) ?? []), noted]);
    try {
      return await step();
    } finally {
      noted.endedAt = new Date();
    }
  }

  return {
    interceptor: ({ info: { activityType, isLocal, workflowExecution: run } }) =>
      isLocal && run ? { inbound: { execute: (input, next) => during(run.runId, activityType, () => next(input)) } } : {},
    busySteps(runId) {
      const steps = busy.get(runId);
      return steps?.at(-1)?.endedAt ? undefined : steps;
    },
    sinks: { report: { end: { fn: ({ runId }, report) => void reports.emit(runId, report) } } },
    reportOf(runId) {
      let hear: (report: LeadReport) => void = () => {};
      const report = new Promise<LeadReport>((done) => (hear = done));
      reports.once(runId, hear);
      return { report, forget: () => void reports.off(runId, hear) };
    },
    noteEnded: (runId) => void ended.set(runId, true),
    hasEnded: (runId) => ended.has(runId),
  };
}
