/**
 * Reads the text of an HTTP answer as JSON, and hides secrets in it. Of an answer that cannot be understood, it says what the text is, and
 * keeps its beginning for operators.
 */
import { withoutSecrets, secretNames } from './credentials';
import { isObject } from './formats';
import { secretPlaceholder } from './forward';
import { escapeHtml } from './html';
import type { AnswerBody, RawAnswer } from './outcome';

/**
 * Shorter secrets are hidden only as whole words, and the shortest only as whole values. Elsewhere they would match by chance and could
 * make a good answer unreadable.
 */
const shortestInWords = 8;
const shortestAsWord = 4;

/** The most that is kept of an answer. */
export const keptMostBytes = 65_536;

export interface AnswerText {
  /** The text, or its beginning if it is too large. */
  readonly text: string;
  /** The bytes that were read. */
  readonly bytes: number;
  readonly isTooLarge?: boolean;
  readonly contentType?: string;
}

export interface Secrets {
  /** Secrets to hide in the answer. */
  readonly secrets?: readonly string[];
  /** True if the answer itself is a secret: a text that is kept shows nothing that may be a key. */
  readonly givesSecret?: boolean;
}

export function readText(answer: AnswerText, { secrets = [], givesSecret = false }: Secrets): AnswerBody {
  const body = answer.isTooLarge ? undefined : parseBody(answer.text, secrets);
  return {
    body,
    ...(body === undefined && { unreadable: describe(answer) }),
    raw: () => {
      const shown = isObject(body) || Array.isArray(body) ? JSON.stringify(withoutSecrets(body)) : hideInText(answer.text, secrets);
      return rawAnswer(answer, givesSecret ? shown.replaceAll(keyLike, secretPlaceholder) : shown);
    },
  };
}

/** A long word, or a shorter one with a digit. */
const keyLike = /(?=[\w+/=.~-]*\d)[\w+/=.~-]{8,}|[\w+/=.~-]{20,}/g;

function rawAnswer({ bytes, isTooLarge = false, contentType }: AnswerText, text: string): RawAnswer {
  const [type] = /^[\w.+-]{1,60}\/[\w.+-]{1,60}/.exec(contentType ?? '') ?? [];
  const cut = cutText(text, keptMostBytes);
  return { ...(type && { contentType: type }), bytes, ...((isTooLarge || cut !== text) && { isCut: true }), text: cut };
}

/** The beginning of a text, without half a character. */
export function cutText(text: string, mostBytes: number): string {
  const bytes = Buffer.from(text);
  return bytes.length <= mostBytes
    ? text
    : bytes
        .subarray(0, mostBytes)
        .toString('utf8')
        .replace(/\uFFFD$/, '');
}

/** Says what a text is that is no JSON, to follow "answered 200". */
function describe({ text, bytes, isTooLarge, contentType = '' }: AnswerText): string {
  if (isTooLarge) return `with more than ${Math.floor(bytes / 1024)} KB`;
  if (text.trim() === '') return 'with an empty body instead of JSON';
  if (/^\s*<(!doctype html|html|head|body)\b/i.test(text) || /\bhtml\b/i.test(contentType)) return 'with HTML instead of JSON';
  if (/^\s*<\?xml/i.test(text) || /\bxml\b/i.test(contentType)) return 'with XML instead of JSON';
  if (/^\s*[[{]/.test(text)) return 'with JSON that is cut off or has a mistake';
  return 'with text instead of JSON';
}

function parseBody(text: string, secrets: readonly string[]): unknown {
  try {
    // Checking each value of a large answer is slow, so check first whether the text may contain a secret.
    if (!/\\[u/]/.test(text) && !spellingsOf(secrets).some((secret) => text.includes(secret))) return JSON.parse(text);
    return hideSecrets(JSON.parse(text), secrets.filter(Boolean));
  } catch {
    return undefined;
  }
}

/** Secrets as they are, and as JSON writes them. */
const spellingsOf = (secrets: readonly string[]) =>
  secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]).filter(Boolean);

/** The value after the name of a credential: `key=…`, `"token": "…"`, `Authorization: Bearer …`. */
const namedSecret = new RegExp(`((?:${secretNames.join('|')})["']?\\s*[:=]\\s*["']?(?:bearer\\s+)?)[^\\s"'<>&,;}\\]]+`, 'gi');

/** Hides secrets in a text of any form, in every spelling that it may have there. */
function hideInText(text: string, secrets: readonly string[]): string {
  const plain = text.replaceAll(/\\u00([2-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  const known = spellingsOf(secrets).flatMap((secret) => [secret, encodeURIComponent(secret), escapeHtml(secret)]);
  return String(
    hideSecrets(
      plain,
      [...new Set(known)].toSorted((one, other) => other.length - one.length),
    ),
  ).replaceAll(namedSecret, `$1${secretPlaceholder}`);
}

/** Hides secrets in an answer: as a whole text or a part of it, as a name, or as a number. */
function hideSecrets(value: unknown, secrets: readonly string[]): unknown {
  const findable = secrets.filter(({ length }) => length >= shortestInWords);
  const words = secrets.filter(({ length }) => length >= shortestAsWord && length < shortestInWords);
  const hide = (text: string) => findable.reduce((left, secret) => left.replaceAll(secret, secretPlaceholder), text);
  const hideWords = (text: string) => words.reduce((left, secret) => left.replaceAll(asWord(secret), secretPlaceholder), text);
  if (typeof value === 'string') return secrets.includes(value) ? secretPlaceholder : hideWords(hide(value));
  if (typeof value === 'number') return secrets.includes(String(value)) ? secretPlaceholder : value;
  if (Array.isArray(value)) return value.map((part) => hideSecrets(part, secrets));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [hide(name), hideSecrets(part, secrets)]));
}

/** Matches a secret without a letter or digit next to it. */
const asWord = (secret: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])${secret.replaceAll(/[$()*+./?[\\\]^{|}]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'gu');
