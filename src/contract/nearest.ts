/** Finds the known word that was most likely meant by an unknown one. */

/** A longer word is no typing mistake, and comparing it would cost much. */
const longestWord = 64;
/** A longer text is no known word, in whatever case and punctuation. */
const longestSpelling = 256;

/** The word without case and punctuation. */
const plain = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

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

export interface KnownWords {
  /** The known word that differs in case and punctuation only. */
  alike(given: string): string | undefined;
  /** The same word, or else the one that is a few letters away. */
  nearest(given: string): string | undefined;
}

export function knownWords(known: readonly string[]): KnownWords {
  const words = known.map((word) => ({ word, letters: plain(word) }));
  const byLetters = new Map(words.map(({ word, letters }) => [letters, word]));

  const alike = (given: string) => (given.length > longestSpelling ? undefined : byLetters.get(plain(given)));

  function near(written: string): string | undefined {
    const [best] = words
      .map(({ word, letters }) => ({ word, letters, most: Math.ceil(letters.length / 3) }))
      .filter(({ letters, most }) => letters.startsWith(written) || Math.abs(letters.length - written.length) <= most)
      .map(({ word, letters, most }) => ({ word, most, away: letters.startsWith(written) ? 1 : distance(written, letters) }))
      .filter(({ away, most }) => away <= most)
      .toSorted((one, other) => one.away - other.away);
    return best?.word;
  }

  return {
    alike,
    nearest(given) {
      const exact = alike(given);
      if (exact !== undefined || given.length > longestWord) return exact;
      const written = plain(given);
      return written.length === 0 ? undefined : near(written);
    },
  };
}

export const nearest = (given: string, known: readonly string[]): string | undefined => knownWords(known).nearest(given);

/** Ends the message about an unknown word with the known one that was most likely meant. */
export const didYouMean = (message: string, meant: string | undefined): string =>
  meant === undefined ? message : `${message}: did you mean ${meant}?`;
