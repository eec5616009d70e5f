/** Which of the fields that were sent an upstream's refusal speaks of, by its own names for them. */
import { isObject } from './formats';

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Every name and text inside a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)]);
}

/** The last part of every path in an object: `patientInfo.sex` is named `sex`. */
export function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => (isObject(inner) || Array.isArray(inner) ? namesIn(inner) : [name]));
}

/** So short a name is met by chance: `id` stands in every second sentence. */
const shortest = 3;
/** `Date of birth` is three words and one name. */
const longestName = 4;

/** Names of one to four words, in the order of `names`; each once. */
export function fieldsNamed(words: unknown, names: readonly string[]): string[] {
  const said = new Set(textsIn(words).flatMap(phrasesOf));
  return [...new Set(names)].filter((name) => plain(name).length >= shortest && said.has(plain(name)));
}

function phrasesOf(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}_-]+/u).filter(Boolean);
  return words.flatMap((_, at) => Array.from({ length: longestName }, (_, more) => plain(words.slice(at, at + more + 1).join(''))));
}
