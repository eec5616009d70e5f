/** The same work for each of many, so many of them at once. The results are in the order of what was given. */
export async function inGroups<T, R>(all: readonly T[], atOnce: number, work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < all.length; at += atOnce) results.push(...(await Promise.all(all.slice(at, at + atOnce).map(work))));
  return results;
}
