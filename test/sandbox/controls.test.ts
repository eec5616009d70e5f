import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { startSandbox } from '../../tools/sandbox/start';
import { askAs } from '../support/ask-as';
import { until } from '../support/until';
import { json, leadOf, openSandbox, type OpenSandbox } from './open-sandbox';

let sandbox: OpenSandbox;
beforeEach(async () => void (sandbox = await openSandbox()));
afterEach(() => sandbox.close());

const post = (path: string) => sandbox.ask(path, { method: 'POST' });
const emailsKept = async () => JSON.stringify((await sandbox.state()).clinicsys?.[0]?.subjects);

describe('the state', () => {
  it('shows each request with its raw body, sentinel and status, and no key', async () => {
    const key = await sandbox.getKey();
    const lead = leadOf('ann+v1-500-once@example.org');
    await sandbox.apply(key, lead);
    await sandbox.apply(key, lead);
    const state = await sandbox.state();
    expect(state.calls).toEqual({ key: 1, v1: 2 });
    const body = new URLSearchParams(lead).toString();
    expect(state.requests).toMatchObject([
      { call: 'key', method: 'POST', url: '/key-service', body: '{"account":"ERG","instanceName":"erg-oct"}', answered: 200 },
      { call: 'v1', contentType: 'application/x-www-form-urlencoded', body, sentinel: 'v1-500-once', answered: 500 },
      { call: 'v1', body, answered: 200 },
    ]);
    expect(JSON.stringify(state)).not.toContain(key);
  });

  it('shows a lead that was sent twice as one subject with two applications', async () => {
    const key = await sandbox.getKey();
    await sandbox.apply(key, leadOf('twice@example.org'));
    await sandbox.apply(key, leadOf('twice@example.org'));
    const subjects = JSON.parse(JSON.stringify((await sandbox.state()).clinicsys?.[0]?.subjects));
    expect(subjects.at(-1)).toMatchObject({
      email: 'twice@example.org',
      applications: [{ StudyID: '12' }, { StudyID: '12' }],
      comments: [],
    });
  });

  it('shows null for an answer that was never sent', async () => {
    await sandbox.askKey('erg-oct.key-reset');
    expect((await sandbox.state()).requests).toMatchObject([{ call: 'key', answered: null }]);
  });

  it('lists requests to unknown paths', async () => {
    expect((await sandbox.ask('/nowhere', { json: { a: 1 } })).status).toBe(404);
    expect(await sandbox.state()).toMatchObject({ calls: { unknown: 1 }, requests: [{ url: '/nowhere', body: '{"a":1}' }] });
  });
});

describe('a reset', () => {
  it('restores the initial state, and cancels late stores', async () => {
    const fresh = await sandbox.state();
    const key = await sandbox.getKey();
    await post('/__latency?ms=1');
    await sandbox.apply(key, leadOf('new@example.org'));
    await sandbox.apply(key, leadOf('before+v1-late-300@example.org'));
    await sandbox.commentsOf(139712, key, 'text');
    expect(json(await post('/__reset'))).toEqual({ reset: true });
    expect(await sandbox.state()).toEqual(fresh);
    expect((await sandbox.apply(key, leadOf('new@example.org'))).status).toBe(401);

    // Whatever was to be stored before this one would be stored by now.
    await sandbox.apply(await sandbox.getKey(), leadOf('after+v1-late-300@example.org'));
    await until(async () => (await emailsKept()).includes('after+'), 'the lead after the reset is stored');
    expect(await emailsKept()).not.toContain('before+');
  });
});

describe('a release', () => {
  const leadWith = async (effect: string) => sandbox.apply(await sandbox.getKey(), leadOf(`held+v1-${effect}@example.org`));
  const isKept = async (effect: string) =>
    (await sandbox.lookUp(`held+v1-${effect}@example.org`, await sandbox.getKey())).text.includes('held');

  it.each([
    ['hold', false],
    ['hold-after', true],
  ])('answers a call with %s, and not before', async (effect, keptBefore) => {
    const { answer } = await sandbox.begin('v1', () => leadWith(effect));
    expect(await isKept(effect)).toBe(keptBefore);
    expect(json(await post('/__release'))).toEqual({ released: 1 });
    expect(json(await answer)).toMatchObject({ status: 0 });
    expect(await isKept(effect)).toBe(true);
    expect(json(await post('/__release'))).toEqual({ released: 0 });
  });

  it('does nothing for a client that has disconnected', async () => {
    expect((await sandbox.giveUp('v1', () => leadWith('hold'))).kind).toBe('silent');
    await post('/__release');
    expect(await isKept('hold')).toBe(false);
  });
});

describe('latency', () => {
  it('delays every call, but not the control paths', async () => {
    await post('/__latency?ms=600000');
    expect((await sandbox.giveUp('key', () => sandbox.askKey())).kind).toBe('silent');
    expect((await sandbox.state()).latencyMs).toBe(600_000);
    await post('/__latency?ms=1');
    expect((await sandbox.askKey()).status).toBe(200);
  });

  it.each(['', '?ms=', '?ms=-1', '?ms=soon', '?ms=9999999'])('refuses "%s"', async (query) => {
    expect((await post(`/__latency${query}`)).status).toBe(400);
  });
});

describe('the server', () => {
  it('explains itself on its start page, and lists every path', async () => {
    const { headers, text } = await sandbox.ask('/');
    expect(headers['content-type']).toContain('text/html');
    for (const part of [
      'Nothing sent here reaches a real system',
      '/key-service',
      '/clinicsys/api/v1/apply',
      '/__state',
      'slow-&lt;ms&gt;',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('marks every answer as from the sandbox', async () => {
    for (const path of ['/', '/__state', '/nowhere', '/clinicsys/api/v2/sites']) {
      expect((await sandbox.ask(path)).headers['x-leadgate-sandbox']).toBe('true');
    }
  });

  it('refuses a body over 1 MB with 413', async () => {
    expect((await sandbox.ask(sandbox.urls.KEY_SERVICE_URL, { json: { account: 'x'.repeat(1024 * 1024) } })).status).toBe(413);
  });

  it('answers a path that cannot be decoded with 400', async () => {
    expect((await sandbox.ask('/clinicsys/api/v2/sites/%ff/referral-sources')).status).toBe(400);
  });

  it('names SANDBOX_PORT if the port is in use', async () => {
    const port = Number(new URL(sandbox.url).port);
    await expect(startSandbox({ SANDBOX_PORT: port })).rejects.toThrow(/SANDBOX_PORT/);
  });

  it('ends hanging requests when it closes', async () => {
    const other = await openSandbox();
    const { answer } = await other.begin('key', () => other.askKey('erg-oct.key-hang'));
    await other.close();
    expect((await answer).kind).toBe('ended');
  });

  it.each<[string, Record<string, string>]>([
    ['a page whose name was pointed here', { host: 'evil.example', origin: 'http://evil.example' }],
    ['a name that was pointed here, without an Origin', { host: 'evil.example:8090' }],
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a page of another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['a page without an origin of its own', { origin: 'null' }],
  ])('%s can neither read nor change anything', async (_, headers) => {
    await sandbox.askKey();
    for (const [path, method] of [
      ...['/', '/__state'].map((read) => [read, 'GET']),
      ['/__reset', 'POST'],
      ['/key-service', 'POST'],
    ] as const) {
      const { status, body } = await askAs(sandbox.url, path, { method, headers: { 'content-type': 'text/plain', ...headers } });
      expect([path, status, body]).toEqual([path, 403, expect.not.stringContaining('key-service')]);
    }
    expect((await sandbox.state()).calls).toEqual({ key: 1 });
  });

  it('answers local programs by each host name, and its own page', async () => {
    const { port } = new URL(sandbox.url);
    for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
      const headers = { host: `${name}:${port}`, origin: `http://${name}:${port}` };
      expect((await askAs(sandbox.url, '/__state', { headers })).status).toBe(200);
    }
  });

  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4');
  (outside ? it : it.skip)('is not reachable from outside this machine', async () => {
    const port = Number(new URL(sandbox.url).port);
    const reached = await new Promise<string>((resolve) => {
      const socket = connect(port, outside?.address ?? '');
      socket.once('connect', () => resolve('connected')).once('error', () => resolve('refused'));
      socket.once('close', () => socket.destroy());
    });
    expect(reached).toBe('refused');
  });
});
