/** Finds the sent fields that a refusal mentions. */
import { isObject } from './formats';

/** Shorter names match by chance: many sentences contain `id`. */
const shortestName = 3;
/** The most words that make one name: `Date of birth` is three. */
const longestName = 4;

/** Returns the sent fields that a refusal mentions by the upstream's names: each once, in the order of `sent`. */
export function fieldsNamed(refusal: unknown, sent: unknown): string[] {
  const said = new Set(textsIn(refusal).flatMap(phrasesOf));
  return [...new Set(namesIn(sent))].filter((name) => plain(name).length >= shortestName && said.has(plain(name)));
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** All names and texts inside a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)]);
}

/** The names of all values inside an object: `patientInfo.sex` gives `sex`. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => (isObject(inner) || Array.isArray(inner) ? namesIn(inner) : [name]));
}

function phrasesOf(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}_-]+/u).filter(Boolean);
  return words.flatMap((_, at) => Array.from({ length: longestName }, (_, more) => plain(words.slice(at, at + more + 1).join(''))));
}
