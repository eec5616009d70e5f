/** Posts to a webhook, signed by the Standard Webhooks specification, or to a chat. Follows no redirect; any 2xx means received. */
import { createHmac } from 'node:crypto';
import { webhookSecrets } from '../config/setting-forms';
import { webhookTimeoutMs } from '../domain/deadlines';
import type { JsonObject } from '../domain/lead';
import type { HttpResult } from '../domain/outcome';
import { deadlineMs, send } from './http';

interface Post {
  readonly url: string;
  readonly secret: string;
  /** The same at every try, so that the receiver can recognise a repeat. */
  readonly id: string;
  readonly message: JsonObject;
}

export function postWebhook({ url, secret, id, message }: Post): Promise<HttpResult> {
  const body = JSON.stringify(message);
  const headers = { 'content-type': 'application/json', ...signedHeaders(secret, id, body, Date.now()) };
  return send({ method: 'POST', url, headers, body, timeoutMs: deadlineMs(webhookTimeoutMs) });
}

/** Posts a message to a chat. There is no id, so a repeat is shown twice. */
export const postText = (url: string, text: string): Promise<HttpResult> =>
  send({
    ...{ method: 'POST', url, headers: { 'content-type': 'application/json' } },
    ...{ body: JSON.stringify({ text }), timeoutMs: deadlineMs(webhookTimeoutMs) },
  });

export const arrived = (result: HttpResult): boolean => result.saw === 'answer' && result.status >= 200 && result.status < 300;

/** Describes the receiver's answer, or why there is none, in the gateway's own words. */
export const answerOf = (result: HttpResult): string => (result.saw === 'answer' ? `answered ${result.status}` : result.reason);

/** Signs `id.timestamp.body` with each secret, so that a receiver with the new or the old one can verify it. */
function signedHeaders(written: string, id: string, body: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signatures = webhookSecrets(written).map((secret) => `v1,${signatureOf(secret, `${id}.${timestamp}.${body}`)}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** The key is the bytes after `whsec_`, as the specification requires. */
const signatureOf = (secret: string, signed: string): string =>
  createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(signed)
    .digest('base64');
