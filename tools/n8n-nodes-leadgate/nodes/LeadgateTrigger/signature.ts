/** Verifies the signature of a Standard Webhooks message: `id.timestamp.body`, signed with the bytes after `whsec_`. */
import { createHmac, timingSafeEqual } from 'node:crypto';

interface Message {
  readonly id: string;
  /** In seconds. */
  readonly timestamp: string;
  /** One or more of `v1,<base64>`, with spaces between them. */
  readonly signatures: string;
  readonly body: Buffer;
}

/** An older or later message may be a replay attack. */
const toleranceMs = 300_000;

export function isGenuine({ id, timestamp, signatures, body }: Message, secret: string, nowMs: number): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowMs - Number(timestamp) * 1000) > toleranceMs) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  if (key.length === 0) return false;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',');
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
