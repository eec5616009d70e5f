/** Runs `work` for each item, `atOnce` of them at a time. The results keep the order of the items. */
export async function inGroups<T, R>(all: readonly T[], atOnce: number, work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < all.length; at += atOnce) results.push(...(await Promise.all(all.slice(at, at + atOnce).map(work))));
  return results;
}
