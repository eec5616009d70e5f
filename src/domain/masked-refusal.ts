/**
 * Masks the answer of an upstream that refused a lead. It shows the upstream's sentences, because they say what to correct, and masks a
 * sentence that may repeat a value of the lead.
 */
import { isObject } from './formats';
import { createPersonalTest } from './found-by';
import type { JsonObject } from './lead';
import { isShown, kindOf, masked, maskedFields } from './mask';

/** Fields in which upstreams describe errors. Within the last four, any field may have such a sentence. */
const sentenceFields = new Set(['message', 'title', 'reason', 'description', 'detail', 'details', 'error', 'errors']);
const errorFields = new Set(['detail', 'details', 'error', 'errors']);

/** Common words, which identify nobody unless they are part of a name. */
const commonWords = new Set(
  'a an and are as at be by for from has have i in is it no not of on or other the this to was with yes'.split(' '),
);

/** Shorter values match inside other words by chance. */
const leastInsideWords = 5;

const plain = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
const wordsOf = (text: string) => plain(text).match(/[\p{L}\p{N}]+/gu) ?? [];
const joinWords = (text: string) => wordsOf(text).join('');
const digitsOf = (text: string) => text.replaceAll(/\D/g, '');

interface LeadValue {
  readonly value: string;
  readonly isPersonal: boolean;
}

/** The part of an address that may be a name: without its tag and domain. */
const mailbox = (email: string) => email.replace(/[+@].*$/s, '');

/** The values of a lead: all, or those that a masked view hides. */
function valuesIn(value: unknown, isLeftOut: typeof isShown = () => false, field = ''): LeadValue[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesIn(item, isLeftOut, field));
  if (isObject(value)) return Object.entries(value).flatMap(([name, inner]) => valuesIn(inner, isLeftOut, name));
  if ((typeof value !== 'string' && typeof value !== 'number') || isLeftOut(field, value)) return [];
  const kind = kindOf(field);
  return [{ value: kind === 'email' ? mailbox(String(value)) : String(value), isPersonal: kind !== undefined }];
}

/** True for a text with an e-mail address, a date or a long number. */
const looksPersonal = (text: string) => /@|\d{7}|\d[-/. ]\d+[-/. ]\d/.test(text);

function repeats(text: string, { value, isPersonal }: LeadValue): boolean {
  const words = new Set(wordsOf(text));
  const significantWords = wordsOf(value).filter((word) => isPersonal || !commonWords.has(word));
  const whole = joinWords(value);
  return (
    significantWords.some((word) => words.has(word)) ||
    (whole.length >= leastInsideWords && joinWords(text).includes(whole)) ||
    (text.match(/\d{3,}/g) ?? []).some((digits) => digitsOf(value).includes(digits))
  );
}

/** True for a sentence. A single word may be a value that the upstream made from the lead's. */
const isSentence = (text: string) => /\s/.test(text.trim());

const quotedMost = 120;

/** Patterns that keep a sentence from being quoted: unusual characters, a link, a number of five digits, a word as long as a token, a word with digits. */
const neverQuoted = [/[^\w .,;:'!?()/-]/, /:\/\//, /\d{5}/, /\S{25}/, /\b(?=\w*\d)(?=\w*[a-z])\w{8,}/i];

/** A sentence of an upstream if it may stand in an error message: it is plain and short, and repeats no value of the lead. */
export function quotable(sentence: string | undefined, lead: JsonObject): string | undefined {
  const said = sentence?.trim() ?? '';
  const isPlain = isSentence(said) && said.length <= quotedMost && !looksPersonal(said) && !neverQuoted.some((one) => one.test(said));
  return isPlain && !valuesIn(lead).some((one) => repeats(said, one)) && !createPersonalTest(lead)(said) ? said : undefined;
}

/** `lead` has everything that was sent. */
export function maskedRefusal(body: unknown, lead: JsonObject): unknown {
  const hiddenValues = valuesIn(lead, isShown);
  const isSafe = (text: string) => isSentence(text) && !looksPersonal(text) && !hiddenValues.some((one) => repeats(text, one));

  function shown(value: unknown, field: string, isError: boolean): unknown {
    if (Array.isArray(value)) return value.map((item) => shown(item, field, isError));
    if (isObject(value)) return Object.fromEntries(Object.entries(value).flatMap((entry) => shownField(...entry, isError)));
    const isText = typeof value === 'string' && (isError || sentenceFields.has(field.toLowerCase()));
    return isText && isSafe(value) ? value : masked(value, field);
  }

  /** A field whose name may be personal data stays masked. */
  function shownField(name: string, inner: unknown, isError: boolean): [string, unknown][] {
    const hidden = maskedFields({ [name]: inner });
    return name in hidden ? [[name, shown(inner, name, isError || errorFields.has(name.toLowerCase()))]] : Object.entries(hidden);
  }

  return shown(body, '', false);
}
