/** Finds the known word that was most likely meant by an unknown one. */

/** A longer word is no typing mistake, and comparing it would cost much. */
const longestWord = 64;

/** The word without case and punctuation. */
const plain = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** The known word that differs in case and punctuation only. */
export const alike = (given: string, known: readonly string[]): string | undefined =>
  known.findLast((word) => plain(word) === plain(given));

/** The Levenshtein distance of two words. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of Array.from(one).entries()) {
    const next = [at + 1];
    for (let to = 1; to <= other.length; to++)
      next[to] = Math.min((next[to - 1] ?? 0) + 1, (row[to] ?? 0) + 1, (row[to - 1] ?? 0) + (other[to - 1] === letter ? 0 : 1));
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The word that differs in case and punctuation only, or else the one that is a few letters away. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const written = plain(given);
  const exact = alike(given, known);
  if (exact !== undefined || written.length === 0 || given.length > longestWord) return exact;
  const [best] = known
    .map((word) => {
      const letters = plain(word);
      return { word, away: letters.startsWith(written) ? 1 : distance(written, letters), most: Math.ceil(letters.length / 3) };
    })
    .filter(({ away, most }) => away <= most)
    .toSorted((one, other) => one.away - other.away);
  return best?.word;
}

/** Ends the message about an unknown word with the known one that was most likely meant. */
export const didYouMean = (message: string, meant: string | undefined): string =>
  meant === undefined ? message : `${message}: did you mean ${meant}?`;
