import type { LeadReport } from './lead';

/** How a run tells the worker's own process what it came to. A type, not an interface: the SDK asks for one with an index. */
export type ToldSinks = {
  readonly told: { end(report: LeadReport): void };
};
