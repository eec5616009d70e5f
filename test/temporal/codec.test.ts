import type { Payload } from '@temporalio/common';
import { randomBytes } from 'node:crypto';
import { parseKeyRing } from '../../src/keys/ring';
import { encryptionCodec, UnknownKey } from '../../src/temporal/codec';

const codec = encryptionCodec(parseKeyRing(`k1:${randomBytes(32).toString('base64')}`));
const payload = (text: string): Payload => ({ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(text) });
const text = ({ data }: Payload) => Buffer.from(data ?? []).toString();

it.each([
  ['small', 'ü'.repeat(10)],
  ['large', 'words and words '.repeat(200_000)],
  ['large and without a pattern', randomBytes(100_000).toString('base64')],
])('a %s payload comes back as it was, and is nowhere in clear', async (_, written) => {
  const [sealed] = await codec.encode([payload(written)]);
  expect(text(sealed!)).not.toContain(written.slice(0, 10));
  const [opened] = await codec.decode([sealed!]);
  expect(text(opened!)).toBe(written);
  expect(Buffer.from(opened!.metadata?.encoding ?? []).toString()).toBe('json/plain');
});

it('no nonce is used twice, also of payloads that are encrypted at the same time', async () => {
  const nonceOf = ({ data }: Payload) => Buffer.from(data ?? []).toString('hex', 0, 12);
  const sealed = await Promise.all(Array.from({ length: 1_000 }, () => codec.encode([payload('one'), payload('two')])));
  expect(new Set(sealed.flat().map(nonceOf)).size).toBe(2_000);
});

it('a large one is carried small', async () => {
  const [sealed] = await codec.encode([payload('words and words '.repeat(200_000))]);
  expect(sealed!.data!.length).toBeLessThan(100_000);
});

it('what another key of the same name wrote is told as that', async () => {
  const other = encryptionCodec(parseKeyRing(`k1:${randomBytes(32).toString('base64')}`));
  const sealed = await codec.encode([payload('words')]);
  await expect(other.decode(sealed)).rejects.toThrow(UnknownKey);
});
