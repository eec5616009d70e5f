/**
 * What a call's run has said to this process before the engine knew of it. An API in the worker's own process answers with it at once; any
 * other waits for the engine.
 */
import { EventEmitter } from 'node:events';
import type { InjectedSinks } from '@temporalio/worker';
import type { LeadReport } from './domain/lead';
import type { ToldSinks } from './domain/told';

export interface Told {
  readonly sinks: InjectedSinks<ToldSinks>;
  /** The report of this run, as soon as it says it in here: that may be never. `forget` when nobody waits any more. */
  by(runId: string): { readonly report: Promise<LeadReport>; forget(): void };
}

export function createTold(): Told {
  const ends = new EventEmitter();
  return {
    sinks: { told: { end: { fn: ({ runId }, report) => void ends.emit(runId, report) } } },
    by(runId) {
      let hear: (report: LeadReport) => void = () => {};
      const report = new Promise<LeadReport>((done) => (hear = done));
      ends.once(runId, hear);
      return { report, forget: () => void ends.off(runId, hear) };
    },
  };
}
