/**
 * Does `work` now and then every `everyMs`, never twice at the same time. `work` handles its own errors. The returned function ends it, and
 * waits for the work that is under way.
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
