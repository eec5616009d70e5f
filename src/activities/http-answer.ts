/** Reads an HTTP answer as JSON, at most 256 KB unless the call allows more, and hides secrets in it. */
import type { Dispatcher } from 'undici';
import { readText, type AnswerText, type Secrets } from '../domain/answer-text';
import { retryAfterIn, type HttpResult } from '../domain/outcome';

const usualMostBytes = 262_144;

export interface AnswerLimits extends Secrets {
  /** The most bytes of an answer; a larger one counts as unreadable. */
  readonly answerMostBytes?: number;
}

export async function readAnswer(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  { answerMostBytes = usualMostBytes, ...secrets }: AnswerLimits,
): Promise<HttpResult> {
  const [date] = [headers.date].flat();
  const [contentType] = [headers['content-type']].flat();
  const [retryAfter] = [headers['retry-after']].flat();
  const read = readText({ ...(await readBody(body, answerMostBytes)), contentType }, secrets);
  return { saw: 'answer', status, ...read, retryAfterMs: retryAfterIn(retryAfter), date };
}

/** Reads the body up to its limit. */
async function readBody(body: Dispatcher.ResponseData['body'], mostBytes: number): Promise<AnswerText> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > mostBytes) {
      body.destroy();
      return { text: Buffer.concat(chunks).subarray(0, mostBytes).toString('utf8'), bytes: mostBytes, isTooLarge: true };
    }
  }
  return { text: Buffer.concat(chunks).toString('utf8'), bytes };
}
