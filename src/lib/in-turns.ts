/** Never runs `work` twice at once. Callers that come before a turn begins share it. */
export function inTurns(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const begin = () => {
    next = undefined;
    return work();
  };
  return () => (next ??= last = last.then(begin, begin));
}
