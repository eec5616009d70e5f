import type { LeadReport } from './lead';

/** How a run says its report to the process of its worker. A type, not an interface: the SDK asks for one with an index. */
export type ReportSinks = {
  readonly report: { end(report: LeadReport): void };
};
