import type { LeadReport } from './lead';

/** How a run hands its report to the process of its worker. The SDK requires a type with an index, so this is no interface. */
export type ReportSinks = {
  readonly report: {
    /** How a lead's run stands, at each change. */
    progress(report: LeadReport): void;
    /** The run's report, once the engine has its end. */
    end(report: LeadReport): void;
    /** The same, told now: nothing would change if the task ran again. */
    endAtOnce(report: LeadReport): void;
  };
};
