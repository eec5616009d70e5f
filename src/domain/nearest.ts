/** Finds the known word that is nearest to an unknown one. */

/** A longer word is unlikely to be a typo, and slow to compare. */
const longestWord = 64;
/** A longer text cannot be a known word in another spelling. */
const longestSpelling = 256;

/** Removes case and punctuation. */
const plain = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Computes the Levenshtein distance of two words. */
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

/** In a shorter word, two other letters make another word. */
const shortestTypo = 8;
const mostTypos = 2;

/** True if a word begins like a known one, and differs in case, punctuation and at most two letters. */
export function isTypo(given: string, known: string): boolean {
  const [written, letters] = [plain(given), plain(known)];
  const isComparable = Math.min(written.length, letters.length) >= shortestTypo && written[0] === letters[0];
  return isComparable && differsBy(mostTypos, written, letters);
}

const shortestField = 3;

/** True for a typo in the name of a field, which may be short: a letter more, less or other. With another first letter it is another word. */
export function isFieldTypo(given: string, known: string): boolean {
  const [written, letters] = [plain(given), plain(known)];
  const isOtherWord = letters.length < shortestField || (written.length === letters.length && written[0] !== letters[0]);
  return written === letters || (!isOtherWord && differsBy(1, written, letters)) || isTypo(given, known);
}

const differsBy = (most: number, written: string, letters: string): boolean =>
  Math.abs(written.length - letters.length) <= most && distance(written, letters) <= most;

export interface KnownWords {
  /** Returns the known word that differs only in case and punctuation. */
  alike(given: string): string | undefined;
  /** Returns the known word that is equal to it, or else the one that differs in a few letters. */
  nearest(given: string): string | undefined;
}

export function knownWords(known: readonly string[]): KnownWords {
  const words = known.map((word) => ({ word, letters: plain(word) }));
  const byLetters = new Map(words.map(({ word, letters }) => [letters, word]));

  const alike = (given: string) => (given.length > longestSpelling ? undefined : byLetters.get(plain(given)));

  /** Of equally near words, the one with the same punctuation. */
  function near(given: string, written: string): string | undefined {
    const [best] = words
      .map(({ word, letters }) => ({ word, letters, most: Math.ceil(letters.length / 3) }))
      .filter(({ letters, most }) => letters.startsWith(written) || Math.abs(letters.length - written.length) <= most)
      .map(({ word, letters, most }) => ({ word, most, away: letters.startsWith(written) ? 1 : distance(written, letters) }))
      .filter(({ away, most }) => away <= most)
      .toSorted((one, other) => one.away - other.away || distance(given, one.word) - distance(given, other.word));
    return best?.word;
  }

  return {
    alike,
    nearest(given) {
      const exact = alike(given);
      if (exact !== undefined || given.length > longestWord) return exact;
      const written = plain(given);
      return written.length === 0 ? undefined : near(given, written);
    },
  };
}

export const nearest = (given: string, known: readonly string[]): string | undefined => knownWords(known).nearest(given);

/** Adds a suggestion to the message about an unknown word. */
export const didYouMean = (message: string, meant: string | undefined): string =>
  meant === undefined ? message : `${message}: did you mean ${meant}?`;
