/**
 * What has run inside the workflows' own tasks, as this process sees it: a run whose task is busy with a step answers no question until
 * the step ends. An API in the worker's own process can tell from this how far it is; any other knows that it is running.
 */
import { Latest } from './latest';

export interface Ran {
  readonly activity: string;
  readonly startedAt: Date;
  endedAt?: Date;
}

export interface Busy {
  during<T>(runId: string, activity: string, run: () => Promise<T>): Promise<T>;
  /** Of a run that is busy now: what its task has done so far, in order, the last one unended. */
  with(runId: string): readonly Ran[] | undefined;
}

/** Of so many runs, the latest. */
const mostRuns = 1_000;

export function createBusy(): Busy {
  const runs = new Latest<string, Ran[]>(mostRuns);
  return {
    async during(runId, activity, run) {
      const ran: Ran = { activity, startedAt: new Date() };
      runs.set(runId, [...(runs.get(runId) ?? []), ran]);
      try {
        return await run();
      } finally {
        ran.endedAt = new Date();
      }
    },
    with(runId) {
      const all = runs.get(runId);
      return all?.at(-1)?.endedAt ? undefined : all;
    },
  };
}
