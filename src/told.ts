/**
 * What a call's run has said to this process before the engine knew of it. An API in the worker's own process answers with it at once; any
 * other waits for the engine.
 */
import type { InjectedSinks } from '@temporalio/worker';
import type { LeadReport } from './domain/lead';
import type { ToldSinks } from './domain/told';

export interface Told {
  readonly sinks: InjectedSinks<ToldSinks>;
  /** The report of this run, as soon as it says it in here: that may be never. `forget` when nobody waits any more. */
  by(runId: string): { readonly report: Promise<LeadReport>; forget(): void };
}

export function createTold(): Told {
  const waiting = new Map<string, (report: LeadReport) => void>();
  return {
    sinks: { told: { end: { fn: ({ runId }, report) => waiting.get(runId)?.(report) } } },
    by: (runId) => ({
      report: new Promise((done) => waiting.set(runId, done)),
      forget: () => void waiting.delete(runId),
    }),
  };
}
