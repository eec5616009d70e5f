/**
 * Runs `work` now and every `everyMs`, never concurrently. `work` handles its own errors. The returned function stops the repetition, and
 * waits for the run in progress.
 */
export function repeating(everyMs: number, work: () => Promise<void>): () => Promise<void> {
  let underWay: Promise<void> | undefined;
  const begin = () => {
    underWay ??= work().finally(() => (underWay = undefined));
  };
  begin();
  const timer = setInterval(begin, everyMs);
  return async () => {
    clearInterval(timer);
    await underWay;
  };
}
