import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTrail } from '../../src/audit/read';
import { openTrail, type Trail } from '../../src/audit/trail';
import { startDecoder, type Decoder } from '../../src/temporal-ui/decoder';
import { payloadReader } from '../../src/domain/payload-reader';
import { parseKeyRing } from '../../src/keys/ring';
import { until } from '../support/until';
import { encryptionCodec } from '../../src/temporal/codec';

const keys = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`);
const codec = encryptionCodec(keys);
const strange = encryptionCodec(parseKeyRing(`k2:${randomBytes(32).toString('base64')}`));
const ui = 'http://localhost:8233';

const dir = join(mkdtempSync(join(tmpdir(), 'leadgate-decoder-')), 'audit');
const trail = openTrail(dir, keys);
const token = randomBytes(16).toString('hex');

let decoder: Decoder;
let locked: Decoder;
beforeAll(async () => {
  const options = { codec, uiOrigins: ['http://127.0.0.1:8233', ui], trail, reader: payloadReader };
  decoder = await startDecoder(options);
  locked = await startDecoder({ ...options, token });
});
afterAll(async () => {
  await decoder.close();
  await locked.close();
  await trail.close();
  rmSync(join(dir, '..'), { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

/** node:http, because fetch does not let Host and Origin be chosen. */
function ask(
  options: { method?: string; path?: string; headers?: Record<string, string>; body?: string } = {},
  of: Decoder = decoder,
): Promise<Answer> {
  const { method = 'POST', path = '/decode', headers = {}, body = '{"payloads":[]}' } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      `${of.url}${path}`,
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

it('decodes payloads for the UI, and returns the others unchanged', async () => {
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

it('shows no credential: neither the access key of the site system nor one that a caller sent', async () => {
  const names = ['key', 'apiKey', 'x-api-key', 'bearerToken'];
  const values = names.map((name) => ({ account: 'ERG', result: [{ [name]: 'a-credential', email: 'ann@example.org' }] }));
  const { text } = await ask({ body: JSON.stringify({ payloads: await Promise.all(values.map((value) => sealed(value))) }) });
  const shown = JSON.parse(text).payloads.map(({ data }: { data: string }) => JSON.parse(Buffer.from(data, 'base64').toString()));
  expect(shown).toEqual(names.map((name) => ({ account: 'ERG', result: [{ [name]: '[secret]', email: 'ann@example.org' }] })));
});

describe('in the audit trail', () => {
  let ownDir: string;
  let ownTrail: Trail;
  beforeEach(() => {
    ownDir = join(mkdtempSync(join(tmpdir(), 'leadgate-decoder-')), 'audit');
    ownTrail = openTrail(ownDir, keys);
  });
  afterEach(async () => {
    await ownTrail.close();
    rmSync(join(ownDir, '..'), { recursive: true });
  });

  const own = async (act: (decoder: Decoder) => Promise<void>) => {
    const one = await startDecoder({ codec, uiOrigins: [ui], trail: ownTrail, reader: payloadReader });
    try {
      await act(one);
    } finally {
      await one.close();
    }
  };
  const show = async (of: Decoder, values: readonly unknown[], Origin = ui) =>
    ask({ headers: { Origin }, body: JSON.stringify({ payloads: await Promise.all(values.map((value) => sealed(value))) }) }, of);
  const decodes = () => readTrail(ownDir, { action: 'decode' });

  it('a page of the UI is one viewing: an entry before anything is decoded, and one at its end with the number of payloads and the lead', async () => {
    const leadId = `k${'a'.repeat(20)}-${'0'.repeat(25)}`;
    await own(async (one) => {
      await Promise.all(Array.from({ length: 75 }, (_, at) => show(one, at === 70 ? [{ leadId }] : ['a'])));
      expect(await decodes()).toMatchObject([{ who: 'local', origin: ui, address: '127.0.0.1', outcome: 'asked' }]);
      await show(one, [{ leadId: 'ann.lee@example.org' }]);
    });
    const [done, asked, ...older] = await decodes();
    expect(older).toEqual([]);
    expect(done).toMatchObject({ who: 'local', origin: ui, payloads: 76, outcome: 'done', leadId, of: { seq: asked?.seq } });
    expect(JSON.stringify(done)).not.toContain('ann.lee');
  });

  it('a viewing ends after a while', async () => {
    await own(async (one) => {
      await show(one, ['a', 'b']);
      const ended = await until(async () => (await decodes()).find(({ payloads }) => payloads === 2), 'the viewing has ended');
      expect(ended.outcome).toBe('done');
    });
  });

  it('nothing is decoded if the entry cannot be written', async () => {
    writeFileSync(ownDir, 'no directory');
    await own(async (one) => {
      const { status, text } = await show(one, ['secret']);
      rmSync(ownDir);
      expect([status, JSON.parse(text)]).toEqual([503, { message: expect.stringContaining('audit trail') }]);
      expect((await show(one, ['secret'])).status).toBe(200);
    });
  });
});

describe('with a token', () => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: '' };
  const decode = async (headers: Record<string, string>) => (await ask({ headers }, locked)).status;
  const login = (given: string) => ask({ path: '/login', headers: form, body: `token=${given}` }, locked);

  it('nothing is decoded without it', async () => {
    expect(await decode({})).toBe(401);
    expect(await decode({ Authorization: 'Bearer wrong' })).toBe(401);
    expect(await decode({ Cookie: 'leadgate-decoder=99999999999999.x' })).toBe(401);
    expect(await decode({ Authorization: `Bearer ${token}` })).toBe(200);
  });

  it('a program needs no page with it, and is refused without it', async () => {
    const body = JSON.stringify({ payloads: [await sealed('for a program')] });
    const headers = { Origin: '', Authorization: `Bearer ${token}` };
    const { status, headers: answered, text } = await ask({ headers, body }, locked);
    const [payload] = (JSON.parse(text) as { payloads: { data: string }[] }).payloads;
    expect([status, Buffer.from(payload?.data ?? '', 'base64').toString()]).toEqual([200, '"for a program"']);
    expect(answered['access-control-allow-origin']).toBeUndefined();
    expect((await readTrail(dir, { action: 'decode' })).some(({ who, origin }) => who === 'decoder token' && !origin)).toBe(true);
    const cookie = (await login(token)).headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const refused: Record<string, string>[] = [
      {},
      { Authorization: 'Bearer wrong' },
      { Authorization: `Basic ${token}` },
      { Cookie: cookie },
    ];
    for (const wrong of refused) expect(await decode({ ...wrong, Origin: '' })).toBe(403);
    expect(await decode({ ...headers, Origin: 'null' })).toBe(403);
    expect((await ask({ headers })).status).toBe(403);
  });

  it('a browser logs in once, and its cookie is accepted from then on', async () => {
    expect((await ask({ method: 'GET', path: '/login', headers: { Origin: '' } }, locked)).text).toContain('<form method="post">');
    const refused = await login('wrong');
    expect([refused.status, refused.headers['set-cookie']]).toEqual([401, undefined]);
    const { status, headers } = await login(token);
    const [cookie = ''] = headers['set-cookie'] ?? [];
    expect(status).toBe(200);
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; /);
    expect(cookie).not.toContain(token);
    expect(await decode({ Cookie: cookie.split(';')[0] ?? '' })).toBe(200);
    expect(await decode({ Cookie: (cookie.split(';')[0] ?? '').replace('=1', '=9') })).toBe(401);
  });

  it('its preflight lets the browser send the cookie, to the exact page of the UI', async () => {
    const { headers } = await ask({ method: 'OPTIONS' }, locked);
    expect(headers).toMatchObject({ 'access-control-allow-origin': ui, 'access-control-allow-credentials': 'true' });
  });

  it('another page is refused, token or not', async () =>
    expect(await decode({ Authorization: `Bearer ${token}`, Origin: 'https://evil.example' })).toBe(403));
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

describe('a decoder behind the network of containers', () => {
  const options = { codec, uiOrigins: [ui], trail, reader: payloadReader, host: '0.0.0.0' };

  it('does not start without a token', async () => expect(startDecoder(options)).rejects.toThrow('needs a DECODER_TOKEN'));

  it('requires the token, the page of the UI and its own host name', async () => {
    const behind = await startDecoder({ ...options, token });
    try {
      const bearer = { Authorization: `Bearer ${token}` };
      expect((await ask({}, behind)).status).toBe(401);
      expect((await ask({ headers: bearer }, behind)).status).toBe(200);
      expect((await ask({ headers: { ...bearer, Origin: 'http://elsewhere.example' } }, behind)).status).toBe(403);
      expect((await ask({ headers: { ...bearer, Host: 'elsewhere.example' } }, behind)).status).toBe(403);
    } finally {
      await behind.close();
    }
  });
});
