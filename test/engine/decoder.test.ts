import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { encryptionCodec } from '../../src/codec';
import { startDecoder, type Decoder } from '../../src/engine/decoder';
import { parseKeyRing } from '../../src/keys';

const codec = encryptionCodec(parseKeyRing(`k1:${randomBytes(32).toString('base64')}`));
const strange = encryptionCodec(parseKeyRing(`k2:${randomBytes(32).toString('base64')}`));
const ui = 'http://localhost:8233';

let decoder: Decoder;
beforeAll(async () => (decoder = await startDecoder({ codec, uiOrigins: ['http://127.0.0.1:8233', ui] })));
afterAll(() => decoder.close());

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

/** node:http, because fetch does not let Host and Origin be chosen. */
function ask(options: { method?: string; path?: string; headers?: Record<string, string>; body?: string } = {}): Promise<Answer> {
  const { method = 'POST', path = '/decode', headers = {}, body = '{"payloads":[]}' } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      `${decoder.url}${path}`,
      { method, headers: { Origin: ui, 'Content-Type': 'application/json', ...headers } },
      (response) => {
        let text = '';
        response.on('data', (chunk) => (text += String(chunk)));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      },
    );
    sent.on('error', reject);
    sent.end(method === 'OPTIONS' || method === 'GET' ? undefined : body);
  });
}

const toWire = ({ metadata, data }: Payload) => ({
  metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')])),
  data: Buffer.from(data ?? []).toString('base64'),
});

async function sealed(value: unknown, by = codec) {
  const [payload] = await by.encode([defaultPayloadConverter.toPayload(value)]);
  return toWire(payload as Payload);
}

it('decodes payloads for the UI, and gives back as it is what it cannot decode', async () => {
  const unknown = await sealed('theirs', strange);
  const plain = toWire(defaultPayloadConverter.toPayload('plain'));
  const { status, headers, text } = await ask({ body: JSON.stringify({ payloads: [await sealed({ lead: 7 }), unknown, plain] }) });
  expect(status).toBe(200);
  expect(headers['access-control-allow-origin']).toBe(ui);
  expect(headers['cache-control']).toBe('no-store');
  const { payloads } = JSON.parse(text) as { payloads: { data: string }[] };
  expect(Buffer.from(payloads[0]?.data ?? '', 'base64').toString()).toBe('{"lead":7}');
  expect(payloads.slice(1)).toEqual([unknown, plain]);
});

it('answers the preflight of the UI', async () => {
  const { status, headers } = await ask({ method: 'OPTIONS' });
  expect(status).toBe(204);
  expect(headers).toMatchObject({ 'access-control-allow-origin': ui, 'access-control-allow-methods': 'POST' });
  expect(headers['access-control-allow-headers']).toContain('x-namespace');
});

const refusals: [string, Parameters<typeof ask>[0], number][] = [
  ['a page of another origin', { headers: { Origin: 'http://localhost:9999' } }, 403],
  ['a page whose origin only looks like it', { headers: { Origin: 'http://localhost:8233.evil.example' } }, 403],
  ['the null origin', { headers: { Origin: 'null' } }, 403],
  ['a caller without an origin', { headers: { Origin: '' } }, 403],
  ['the preflight of another origin', { method: 'OPTIONS', headers: { Origin: 'https://evil.example' } }, 403],
  ['a name that was made to point here', { headers: { Host: 'evil.example' } }, 403],
  ['the right name with another port', { headers: { Host: 'localhost:1' } }, 403],
  ['encoding', { path: '/encode' }, 404],
  ['GET', { method: 'GET' }, 405],
  ['a form', { headers: { 'Content-Type': 'text/plain' } }, 415],
  ['what is not JSON', { body: '{' }, 400],
  ['what is not base64', { body: '{"payloads":[{"data":"é"}]}' }, 400],
  ['a body without payloads', { body: '{}' }, 400],
];

it.each(refusals)('refuses %s', async (_, options, status) => {
  const answer = await ask(options);
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.text)).toEqual({ message: expect.any(String) });
  if (status === 403) expect(answer.headers['access-control-allow-origin']).toBeUndefined();
});

it('refuses a body that is too large, announced or not', async () => {
  const large = 'x'.repeat(9_000_000);
  // It may close the connection while the rest is still being sent.
  const outcome = (answer: Promise<Answer>) => answer.then(({ status }) => status).catch(() => 413);
  expect(await outcome(ask({ headers: { 'Content-Length': String(large.length) }, body: large }))).toBe(413);
  expect(await outcome(ask({ headers: { 'Transfer-Encoding': 'chunked' }, body: large }))).toBe(413);
});

it('listens on loopback alone', async () => {
  const { hostname, port } = new URL(decoder.url);
  expect(hostname).toBe('127.0.0.1');
  const socket = connect({ host: '::1', port: Number(port) });
  const isOpen = await new Promise<boolean>((resolve) => socket.once('connect', () => resolve(true)).once('error', () => resolve(false)));
  socket.destroy();
  expect(isOpen).toBe(false);
});
