/** Which runs are over, as the engine has told this process: whoever must be sure of that need not ask again. */
import { Latest } from './latest';

export interface Ended {
  note(runId: string): void;
  has(runId: string): boolean;
}

/** More than end before the journal of sends asks. */
const mostRuns = 20_000;

export function createEnded(): Ended {
  const runs = new Latest<string, true>(mostRuns);
  return {
    note: (runId) => void runs.set(runId, true),
    has: (runId) => runs.has(runId),
  };
}
