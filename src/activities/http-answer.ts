/** Reads an HTTP answer as JSON, at most 256 KB unless the call allows more, and hides secrets in it. */
import type { Dispatcher } from 'undici';
import { isObject } from '../domain/formats';
import { secretPlaceholder } from '../domain/forward';
import type { HttpResult } from '../domain/outcome';

const usualMostBytes = 262_144;
const retryAfterMostMs = 3_600_000;
/**
 * Shorter secrets are hidden only as whole words, and the shortest only as whole values. Elsewhere they would match by chance and could
 * make a good answer unreadable.
 */
const shortestInWords = 8;
const shortestAsWord = 4;

export interface AnswerLimits {
  /** Secrets to hide in the answer. */
  readonly secrets?: readonly string[];
  /** The most bytes of an answer; a larger one counts as unreadable. */
  readonly answerMostBytes?: number;
}

export async function readAnswer(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  { secrets = [], answerMostBytes = usualMostBytes }: AnswerLimits,
): Promise<HttpResult> {
  const [date] = [headers.date].flat();
  const read = parseBody(await readAll(body, answerMostBytes), secrets);
  return { saw: 'answer', status, body: read, retryAfterMs: retryAfter(headers['retry-after']), date };
}

/** The text of an answer, or undefined if it is too large. */
async function readAll(body: Dispatcher.ResponseData['body'], mostBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) {
      body.destroy();
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseBody(text: string | undefined, secrets: readonly string[]): unknown {
  if (text === undefined) return undefined;
  try {
    // Checking each value of a large answer is slow, so check first whether the text may contain a secret.
    const written = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]).filter(Boolean);
    if (!/\\[u/]/.test(text) && !written.some((secret) => text.includes(secret))) return JSON.parse(text);
    return hideSecrets(JSON.parse(text), secrets.filter(Boolean));
  } catch {
    return undefined;
  }
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

/** Reads the Retry-After header: seconds or a date. */
function retryAfter(header: string | string[] | undefined): number | undefined {
  const value = Array.isArray(header) ? header[0] : header;
  if (!value) return undefined;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(waitMs) ? Math.min(Math.max(waitMs, 0), retryAfterMostMs) : undefined;
}
