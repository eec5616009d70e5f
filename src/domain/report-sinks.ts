import type { LeadReport } from './lead';

/** How a run hands its report to the process of its worker. The SDK requires a type with an index, so this is no interface. */
export type ReportSinks = {
  readonly report: { end(report: LeadReport): void };
};
