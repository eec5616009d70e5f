/** Coalesces calls of `work`, which never runs concurrently: all calls during a run share the next one. */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const begin = () => {
    next = undefined;
    return work();
  };
  return () => (next ??= last = last.then(begin, begin));
}
