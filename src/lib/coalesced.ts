/** Never runs `work` concurrently. Callers that wait for the next run share it. */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const begin = () => {
    next = undefined;
    return work();
  };
  return () => (next ??= last = last.then(begin, begin));
}
