import { connect } from 'node:net';
import { createAuthenticate } from '../../src/api/auth';
import { parseConfig } from '../../src/config/config';
import { askAs } from '../support/ask-as';
import { newLead, startGateway, type Gateway } from '../support/gateway';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    settings: { GATEWAY_API_KEYS: 'n8n:lead-key:leads,ops:ops-key:operator+leads,mends:mend-key:operator,plain:plain-key' },
  });
});
afterAll(() => gateway.stop());

const path = '/api/clinicsys/no-prescreen';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe('gateway keys', () => {
  it('are asked for everywhere but health', async () => {
    expect((await gateway.get('/health/live')).status).toBe(200);
    await gateway.untilReady();
    for (const closed of ['/metrics', '/openapi.json', '/docs', '/version', '/api/leads/x', '/', '/nowhere'])
      expect([closed, (await gateway.get(closed)).status]).toEqual([closed, 401]);
    expect(await gateway.post(path, newLead())).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
    expect((await gateway.post(path, newLead(), bearer('wrong'))).status).toBe(401);
    expect((await gateway.post(path, newLead(), bearer('n8n'))).status).toBe(401);
  });

  it('are asked for before a method, a body or its size is looked at', async () => {
    const asked = [
      gateway.get(path),
      gateway.post(path, '{'),
      gateway.post(path, 'x'.repeat(300_000)),
      gateway.post(path, 'text', { 'content-type': 'text/plain' }),
    ];
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect((await gateway.get(path, bearer('lead-key'))).status).toBe(405);
  });

  it('are taken in both headers', async () => {
    expect((await gateway.post(path, newLead(), bearer('lead-key'))).status).toBe(200);
    expect((await gateway.post(path, newLead(), { 'x-gateway-key': 'plain-key' })).status).toBe(200);
  });

  it('without the scope are 403', async () =>
    expect(await gateway.post('/api/leads/x/discard', { reason: 'r' }, bearer('lead-key'))).toMatchObject({
      status: 403,
      body: { error: { code: 'FORBIDDEN' } },
    }));

  it('without the operator scope show no redrives', async () => {
    expect((await gateway.get('/api/redrives', bearer('lead-key'))).status).toBe(403);
    expect((await gateway.post('/api/redrives', { filter: {}, reason: 'r' }, bearer('plain-key'))).status).toBe(403);
    expect((await gateway.get('/api/redrives', bearer('ops-key'))).status).toBe(200);
  });

  it('with it go through', async () =>
    expect((await gateway.post('/api/leads/x/discard', { reason: 'r' }, bearer('ops-key'))).status).toBe(404));

  it('with the operator scope alone read leads, and send none', async () => {
    for (const open of ['/api/leads', '/api/leads/counts', '/api/upstreams', '/api/traffic'])
      expect([open, (await gateway.get(open, bearer('mend-key'))).status]).toEqual([open, 200]);
    expect((await gateway.post(path, newLead(), bearer('mend-key'))).status).toBe(403);
  });

  it('tell an operator the name of the key', async () => {
    expect((await gateway.get('/api/caller', bearer('mend-key'))).body).toEqual({ success: true, name: 'mends' });
    expect((await gateway.get('/api/caller', bearer('lead-key'))).status).toBe(403);
  });

  it('keep the Idempotency-Keys of different callers apart', async () => {
    const key = { 'idempotency-key': 'one' };
    expect((await gateway.post(path, newLead(), { ...key, ...bearer('lead-key') })).status).toBe(200);
    expect((await gateway.post(path, newLead(), { ...key, ...bearer('plain-key') })).status).toBe(200);
  });
});

it.each(['name', 'name:', ':key', 'name:key:boss', 'name:key:leads:more'])(
  'a setting like %s is refused at the start',
  (GATEWAY_API_KEYS) => expect(() => createAuthenticate(parseConfig({ GATEWAY_API_KEYS }))).toThrow(/GATEWAY_API_KEYS must be/),
);

describe('without keys', () => {
  let open: Gateway;
  beforeAll(async () => {
    open = await startGateway({ withoutWorker: true });
  });
  afterAll(() => open.stop());

  const paths = ['/api/leads', '/api/taskboard/users', '/metrics', '/openapi.json', '/docs', '/console', '/version', '/', '/nowhere'];

  it.each(['evil.example', 'evil.example:8080', '127.0.0.1.evil.example', 'localhost.evil.example:80', '127.0.0.1:80:80', '192.0.2.7'])(
    'a Host of another machine, such as %s, gets nothing but health',
    async (host) => {
      for (const path of paths) {
        const { status, body } = await askAs(open.url, path, { headers: { host } });
        expect([path, status, JSON.parse(body)]).toEqual([path, 403, expect.objectContaining({ success: false })]);
      }
      expect((await askAs(open.url, '/health/live', { headers: { host } })).status).toBe(200);
    },
  );

  it('a caller has no name', async () => expect((await open.get('/api/caller')).body).toEqual({ success: true }));

  it('a foreign Host is refused before a body is read', async () => {
    const headers = { host: 'evil.example', 'content-type': 'application/json', 'content-length': '300000' };
    const { status, body } = await askAs(open.url, '/api/clinicsys/toolkit/get-subjects', { method: 'POST', headers });
    expect([status, JSON.parse(body)]).toEqual([403, expect.objectContaining({ error: { code: 'FORBIDDEN', retryable: false } })]);
  });

  it.each(['localhost', 'LOCALHOST:8080', '127.0.0.1', '127.0.0.1:1', '[::1]', '[::1]:8080'])('%s is this machine', async (host) => {
    expect((await askAs(open.url, '/version', { headers: { host } })).status).toBe(200);
    expect((await askAs(open.url, '/api/leads?site=nobody', { headers: { host } })).status).toBe(200);
  });

  it('a request of HTTP/1.0 without a Host does not say that it means this machine: it gets health alone', async () => {
    const status = async (path: string) => {
      const socket = connect(Number(new URL(open.url).port), '127.0.0.1');
      socket.write(`GET ${path} HTTP/1.0\r\n\r\n`);
      return /^HTTP\/1.1 (\d+)/.exec((await socket.setEncoding('utf8').toArray()).join(''))?.[1];
    };
    expect(await status('/health/live')).toBe('200');
    for (const path of paths) expect([path, await status(path)]).toEqual([path, '403']);
  });
});

it('with keys any Host is served', async () =>
  expect((await askAs(gateway.url, '/version', { headers: { host: 'gateway.example', 'x-gateway-key': 'lead-key' } })).status).toBe(200));

it('one key under two names is refused at the start, by the names and without the key', () => {
  const start = () => createAuthenticate(parseConfig({ GATEWAY_API_KEYS: 'a:SAME:leads, b:OTHER, c:SAME:operator' }));
  expect(start).toThrow(/^GATEWAY_API_KEYS gives a and c the same key$/);
});
