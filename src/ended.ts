/** Which runs are over, as the engine has told this process: whoever must be sure of that need not ask again. */
export interface Ended {
  note(runId: string): void;
  has(runId: string): boolean;
}

/** Of so many runs, the latest: more than end before the journal of sends asks. */
const mostRuns = 20_000;

export function createEnded(): Ended {
  const runs = new Set<string>();
  return {
    note(runId) {
      runs.add(runId);
      const [oldest] = runs;
      if (runs.size > mostRuns && oldest !== undefined) runs.delete(oldest);
    },
    has: (runId) => runs.has(runId),
  };
}
