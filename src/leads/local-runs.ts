/**
 * Knows the runs that this process's own worker carries, sooner than the engine can tell: how a lead's run stands, its report at its end, and
 * which runs are over. An API in a process without a worker asks the engine instead.
 */
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import { EventEmitter } from 'node:events';
import { isOver, type LeadReport } from '../domain/lead';
import type { ReportSinks } from '../domain/report-sinks';
import { BoundedMap } from '../lib/bounded-map';

/** Resolves when the run's end is known in this process, which may be never. Call `forget` when nobody waits any more. */
export interface AwaitedReport {
  readonly report: Promise<LeadReport>;
  forget(): void;
}

export interface LocalRuns {
  /** Counts the local activities of each run that are under way here. */
  readonly interceptor: ActivityInterceptorsFactory;
  /** True if the run has told a report or begun a local activity here since the worker last dropped it. */
  carries(runId: string): boolean;
  /** How the run stands. Undefined if another worker may have carried it on since. */
  reportNow(runId: string): LeadReport | undefined;
  /** The sinks by which a run tells its worker its report. */
  readonly sinks: InjectedSinks<ReportSinks>;
  /** Notes that the worker has dropped a run; `isEnd` if that is because the engine has its end. */
  dropped(runId: string, isEnd: boolean): void;
  reportOf(runId: string): AwaitedReport;
  /** True if the worker has dropped the run as over. */
  hasEnded(runId: string): boolean;
}

/** A run as the worker of this process knows it. */
interface Carried {
  report?: LeadReport;
  toldAt: number;
  /** How many of its local activities run just now. */
  underWay: number;
}

/** After a report, the run's next task waits five seconds for this worker. */
const freshMs = 4_000;
const mostAtOnce = 1_000;
/** More runs than can end before the send journal asks. */
const mostEnded = 20_000;

export function createLocalRuns(): LocalRuns {
  const carried = new BoundedMap<string, Carried>(mostAtOnce);
  /** The reports of runs whose end the engine may not have yet. */
  const ending = new BoundedMap<string, LeadReport>(mostAtOnce);
  const reports = new EventEmitter().setMaxListeners(0);
  const ended = new BoundedMap<string, true>(mostEnded);

  function carriedRun(runId: string): Carried {
    const run = carried.get(runId) ?? { toldAt: -Infinity, underWay: 0 };
    carried.set(runId, run);
    return run;
  }

  async function during<T>(runId: string, step: () => Promise<T>): Promise<T> {
    const run = carriedRun(runId);
    run.underWay++;
    try {
      return await step();
    } finally {
      run.underWay--;
    }
  }

  return {
    interceptor: ({ info: { isLocal, workflowExecution: run } }) =>
      isLocal && run ? { inbound: { execute: (input, next) => during(run.runId, () => next(input)) } } : {},
    carries: (runId) => carried.has(runId),
    reportNow(runId) {
      const run = carried.get(runId);
      return run && (run.underWay > 0 || performance.now() - run.toldAt < freshMs) ? run.report : undefined;
    },
    sinks: {
      report: {
        progress: {
          callDuringReplay: true,
          fn({ runId, unsafe }, report) {
            // The engine may not have the end yet.
            if (isEnding(report)) return;
            Object.assign(carriedRun(runId), { report, ...(!unsafe.isReplaying && { toldAt: performance.now() }) });
          },
        },
        end: { fn: ({ runId }, report) => void ending.set(runId, report) },
        endAtOnce: { fn: ({ runId }, report) => void reports.emit(runId, report) },
      },
    },
    dropped(runId, isEnd) {
      const report = ending.get(runId);
      ending.delete(runId);
      carried.delete(runId);
      if (!isEnd) return;
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

/** A step that fails for good is told before the run's state is. */
const isEnding = (report: LeadReport): boolean => isOver(report) || report.steps.some(({ state }) => state === 'failed');
