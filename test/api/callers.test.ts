/** Who may call what, and what is noted of it. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { createAuthenticate } from '../../src/api/auth';
import { createWrongKeys, addressKeyOf } from '../../src/api/wrong-keys';
import { auditDir } from '../../src/audit/lines';
import type { Facts } from '../../src/audit/trail';
import { verifyTrail } from '../../src/audit/verify';
import { parseConfig } from '../../src/config/config';
import { newestRun } from '../../src/leads/attempts';
import { inGroups } from '../../src/lib/in-groups';
import { deleteRun } from '../../src/temporal/ask';
import { askAs, askRaw, statusesIn } from '../support/ask-as';
import { eraseUntilDone } from '../support/background';
import { csvOf } from '../support/csv';
import { endedOrder } from '../support/carry-batch';
import { logged, newLead, startGateway, type Gateway } from '../support/gateway';
import { csv } from '../support/imports';
import { callers, keyOf } from '../support/keys';
import { until } from '../support/until';

const startingWith = (GATEWAY_API_KEYS: string) => () =>
  createAuthenticate(parseConfig({ GATEWAY_API_KEYS }), { count: async () => undefined });

describe('keys', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({
      settings: {
        GATEWAY_API_KEYS: callers('n8n:leads', 'ops:operator+leads', 'mends:operator', 'plain'),
        TRUST_PROXY: '127.0.0.1',
        SECURITY_CONTACT: 'mailto:security@example.org, https://example.org/report',
        LEADGATE_URL: 'https://leads.example.org/',
      },
    });
  });
  afterAll(() => gateway.stop());

  const path = '/api/clinicsys/no-prescreen';
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

  describe('gateway keys', () => {
    it('are required everywhere except for health', async () => {
      expect((await gateway.get('/health/live')).status).toBe(200);
      await gateway.untilReady();
      for (const closed of ['/metrics', '/openapi.json', '/docs', '/version', '/api/leads/x', '/', '/nowhere'])
        expect([closed, (await gateway.get(closed)).status]).toEqual([closed, 401]);
      expect(await gateway.post(path, newLead())).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
      expect((await gateway.post(path, newLead(), bearer('wrong'))).status).toBe(401);
      expect((await gateway.post(path, newLead(), bearer('n8n'))).status).toBe(401);
    });

    it('are not required to read where a weakness is reported, by RFC 9116', async () => {
      const { status, headers, body } = await gateway.get('/.well-known/security.txt');
      expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
      const [mail, page, expires = '', ...others] = String(body).split('\n');
      expect([mail, page]).toEqual(['Contact: mailto:security@example.org', 'Contact: https://example.org/report']);
      expect(others).toEqual(['Preferred-Languages: en', 'Canonical: https://leads.example.org/.well-known/security.txt', '']);
      const [, until = ''] = /^Expires: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/.exec(expires) ?? [];
      const days = (Date.parse(until) - Date.now()) / 86_400_000;
      expect(days > 90 && days < 365).toBe(true);
      expect((await gateway.post('/.well-known/security.txt', {})).status).toBe(405);
    });

    it('that are unknown get another answer than none, the same for each', async () => {
      const refused = async (key?: string) => {
        const { status, body, headers } = await gateway.get('/version', key === undefined ? {} : bearer(key));
        return [status, body.message, headers.get('www-authenticate')];
      };
      const required = 'A gateway key is required, as Authorization: Bearer or as x-gateway-key';
      const unknown = 'The gateway key is unknown; it must be a key of GATEWAY_API_KEYS, without its name';
      expect(await refused()).toEqual([401, required, 'Bearer']);
      for (const key of ['n8n', `n8n:${keyOf('n8n')}`, `${keyOf('n8n')}x`])
        expect(await refused(key)).toEqual([401, unknown, 'Bearer error="invalid_token"']);
    });

    it('are checked before the method, the body and its size', async () => {
      const asked = [
        gateway.get(path),
        gateway.post(path, '{'),
        gateway.post(path, 'x'.repeat(300_000)),
        gateway.post(path, 'text', { 'content-type': 'text/plain' }),
      ];
      expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([401, 401, 401, 401]);
      expect((await gateway.get(path, bearer(keyOf('n8n')))).status).toBe(405);
    });

    it('are accepted in both headers', async () => {
      expect((await gateway.post(path, newLead(), bearer(keyOf('n8n')))).status).toBe(200);
      expect((await gateway.post(path, newLead(), { 'x-gateway-key': keyOf('plain') })).status).toBe(200);
    });

    it('without the scope get 403', async () =>
      expect(await gateway.post('/api/leads/x/discard', { reason: 'r' }, bearer(keyOf('n8n')))).toMatchObject({
        status: 403,
        body: { error: { code: 'FORBIDDEN' } },
      }));

    it('without the operator scope show no redrives', async () => {
      expect((await gateway.get('/api/redrives', bearer(keyOf('n8n')))).status).toBe(403);
      expect((await gateway.post('/api/redrives', { filter: {}, reason: 'r' }, bearer(keyOf('plain')))).status).toBe(403);
      expect((await gateway.get('/api/redrives', bearer(keyOf('ops')))).status).toBe(200);
    });

    it('with the scope are accepted', async () =>
      expect((await gateway.post('/api/leads/x/discard', { reason: 'r' }, bearer(keyOf('ops')))).status).toBe(404));

    it('with only the operator scope can read leads, and not send any', async () => {
      for (const open of ['/api/leads', '/api/leads/counts', '/api/upstreams', '/api/traffic'])
        expect([open, (await gateway.get(open, bearer(keyOf('mends')))).status]).toEqual([open, 200]);
      expect((await gateway.post(path, newLead(), bearer(keyOf('mends')))).status).toBe(403);
    });

    it('return the name of the key to an operator', async () => {
      expect((await gateway.get('/api/caller', bearer(keyOf('mends')))).body).toEqual({ success: true, name: 'mends' });
      expect((await gateway.get('/api/caller', bearer(keyOf('n8n')))).status).toBe(403);
    });

    it('stand with the reason on the list of bulk orders, and in their reports', async () => {
      const ops = bearer(keyOf('ops'));
      for (const [path, list, id] of [
        ['/api/redrives', 'redrives', 'redriveId'],
        ['/api/decisions', 'decisions', 'decisionId'],
        ['/api/events/resends', 'resends', 'resendId'],
      ] as const) {
        const order = { filter: { since: '2099-01-01' }, reason: `the reason of ${path}`, count: 0 };
        const { status, body } = await gateway.post(path, { ...order, ...(list === 'decisions' && { verb: 'discard' }) }, ops);
        expect([path, status]).toEqual([path, 202]);
        const told = { [id]: body[id], by: 'ops', reason: order.reason };
        const report = await endedOrder({ get: (at: string) => gateway.get(at, ops) }, `${path}/${body[id]}`);
        expect(report).toMatchObject(told);
        await until(async () => (await gateway.get(path, ops)).body.count > 0, 'the order is listed');
        expect((await gateway.get(path, ops)).body[list]).toMatchObject([{ ...told, state: 'done' }]);
      }
    });

    it('separate the Idempotency-Keys of different callers', async () => {
      const key = { 'idempotency-key': 'one' };
      expect((await gateway.post(path, newLead(), { ...key, ...bearer(keyOf('n8n')) })).status).toBe(200);
      expect((await gateway.post(path, newLead(), { ...key, ...bearer(keyOf('plain')) })).status).toBe(200);
    });
  });

  describe('the name of the caller and the address of the client', () => {
    const client = '203.0.113.9';
    /** A caller behind the proxy, which is this machine. */
    const behindProxy = (name: string, forwardedFor = client) => ({ ...bearer(keyOf(name)), 'x-forwarded-for': forwardedFor });
    const lines = () => logged.map((line) => JSON.parse(line)).filter(({ message }) => message === 'request');
    const reason = 'a test';

    it('stand on each log line of a request, also if it is refused', async () => {
      const sent = await gateway.post(path, newLead(), behindProxy('n8n'));
      await gateway.get('/version', { ...bearer('wrong'), 'x-forwarded-for': client });
      await gateway.get('/api/audit', behindProxy('n8n', '2001:DB8:0::9'));
      expect(lines().slice(-3)).toEqual([
        expect.objectContaining({ route: path, leadId: sent.headers.get('x-lead-id'), caller: 'n8n', address: client }),
        expect.not.objectContaining({ caller: expect.anything() }),
        expect.objectContaining({ route: '/api/audit', status: 403, caller: 'n8n', address: '2001:db8::9' }),
      ]);
      expect(lines().at(-2)).toMatchObject({ status: 401, address: client });
    });

    it('stand on each entry of the trail that a request causes, also on those that a run writes later', async () => {
      const ops = behindProxy('ops');
      const get = (asked: string) => gateway.get(asked, ops);
      const post = (asked: string, body: unknown, headers = {}) => gateway.post(asked, body, { ...ops, ...headers });
      const parkedLead = async (lead = newLead('comment-422')) => ({ ...lead, leadId: String((await post(path, lead)).body.leadId) });
      const [one, other] = [await parkedLead(), await parkedLead()];
      const since = new Date().toISOString();

      await get(`/api/leads/${one.leadId}/exchanges?clear=true`);
      await post('/api/clinicsys/toolkit/get-subjects', { instanceName: 'erg-oct', email: one.email });
      await get('/api/leads.csv?clear=true');
      await post('/api/imports?flow=no-prescreen', csvOf([newLead()]), csv);
      await post(`/api/leads/${one.leadId}/confirm`, { reason, upstreamId: 'nobody' });
      for (const verb of ['pause', 'resume']) await post(`/api/upstreams/${verb}`, { upstream: 'screening', reason });
      const { decisionId } = (await post('/api/decisions', { filter: { leadIds: [other.leadId] }, verb: 'discard', reason, count: 1 }))
        .body;
      await until(async () => (await get(`/api/decisions/${decisionId}`)).body.state === 'done', 'the order is carried out');
      await eraseUntilDone({ get, post }, { email: one.email });

      const { entries } = (await get(`/api/audit?since=${since}`)).body;
      const caused = entries.filter(({ action }: Facts) => action !== 'opened');
      expect(caused.filter(({ who, address }: Facts) => who !== 'ops' || address !== client)).toEqual([]);
      expect(new Set(caused.map(({ action, outcome }: Facts) => `${action}: ${outcome}`))).toEqual(
        new Set([
          ...['read in clear: done', 'export in clear: asked', 'export in clear: done', 'import: asked', 'import: done'],
          ...['confirm: asked', 'confirm: VALIDATION_ERROR', 'pause upstream: asked', 'pause upstream: done', 'resume upstream: asked'],
          ...[
            'resume upstream: done',
            'decide-many: asked',
            'decide-many: done',
            'discard: decided',
            'erase evidence: done',
            'erase: asked',
            'erase: erased',
            'erase: done',
          ],
        ]),
      );
    });

    it('are never what a caller wrote about itself: an address is one that the proxy reports, and valid', async () => {
      const wrote = [
        'ann.lee@example.org',
        '203.0.113.9:4711',
        'fe80::1%ann.lee',
        '999.1.1.1',
        '0x7f.1',
        '',
        '"[2001:db8::1]"',
        '198.51.100.7, x',
      ];
      const shown = [];
      for (const forwardedFor of wrote) {
        await gateway.get('/api/caller', behindProxy('mends', forwardedFor));
        shown.push(lines().at(-1).address);
      }
      expect(shown).toEqual(['127.0.0.1', '127.0.0.1', 'fe80::1', ...wrote.slice(3).map(() => '127.0.0.1')]);
      await gateway.get('/api/caller', behindProxy('mends', `198.51.100.7, ${client}`));
      expect(lines().at(-1)).toMatchObject({ caller: 'mends', address: client });
      for (const text of ['198.51.100.7', 'ann.lee']) expect(logged.join('')).not.toContain(text);
    });

    it('are those of the connection without TRUST_PROXY, whatever the headers say', async () => {
      const open = await startGateway({ withoutWorker: true, settings: { SYNC_WAIT_MS: '100' } });
      try {
        await open.get('/api/leads?site=nobody', { 'x-forwarded-for': client });
        await open.post('/api/leads/nobody/discard', { reason });
        expect(lines().slice(-2)).toMatchObject([
          { caller: 'without a key', address: '127.0.0.1' },
          { caller: 'local', address: '127.0.0.1' },
        ]);
        const { entries } = (await open.get('/api/audit?action=discard')).body;
        expect(entries).toMatchObject([{ who: 'local', address: '127.0.0.1', outcome: 'NOT_FOUND' }, { outcome: 'asked' }]);
        await open.post('/api/imports?flow=no-prescreen&ratePerS=50', csvOf([newLead()]), { ...csv, 'x-forwarded-for': client });
        expect((await open.get('/api/audit?action=import')).body.entries).toMatchObject([
          { who: 'without a key' },
          { who: 'without a key' },
        ]);
      } finally {
        await open.stop();
      }
    });
  });

  it.each(['name', 'name:', ':key', 'name:key:boss', 'name:key:leads:more'])('rejects the setting %s at the start', (keys) =>
    expect(startingWith(keys)).toThrow(/GATEWAY_API_KEYS must be/),
  );

  it('rejects keys of fewer than 20 characters at the start, by their names', () => {
    expect(startingWith('a:twenty-characters-ok:leads, b:only-19-characters-:board')).toThrow(
      /^GATEWAY_API_KEYS: the key of b has fewer than 20 characters: openssl rand -hex 24 makes one$/,
    );
    expect(startingWith('a:twenty-characters-ok')).not.toThrow();
  });

  describe('many wrong keys from one address', () => {
    let tried: Gateway;
    beforeAll(async () => {
      tried = await startGateway({
        settings: { GATEWAY_API_KEYS: callers('n8n:leads', 'ops:operator'), TRUST_PROXY: '127.0.0.1' },
        withoutWorker: true,
      });
    });
    afterAll(() => tried.stop());

    const tryKeys = (count: number) =>
      inGroups(
        Array.from({ length: count }, (_, at) => at),
        5,
        (at) => tried.get('/version', bearer(`wrong-key-number-${at}`)),
      );

    it('get 429 after 20 in a minute, with one entry on the trail, while valid keys and requests without a key are not limited', async () => {
      const statuses = (await tryKeys(40)).map(({ status }) => status);
      expect([statuses.filter((status) => status === 401).length, statuses.filter((status) => status === 429).length]).toEqual([20, 20]);
      const refused = await tried.post(path, newLead(), bearer('wrong'));
      expect(refused).toMatchObject({ status: 429, body: { success: false, error: { code: 'RATE_LIMITED', retryable: true } } });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await tried.get('/version', bearer(keyOf('n8n')))).status).toBe(200);
      expect((await tried.get('/version')).status).toBe(401);
      const { entries } = (await tried.get('/api/audit?action=wrong keys', bearer(keyOf('ops')))).body;
      expect(entries).toEqual([expect.objectContaining({ who: 'leadgate', outcome: 'RATE_LIMITED', address: '127.0.0.1', pauseS: 60 })]);
    });

    (process.platform === 'linux' ? it : it.skip)('and leave other addresses alone', async () => {
      await tryKeys(21);
      const headers = { 'x-gateway-key': 'wrong' };
      expect((await askAs(tried.url, '/version', { headers })).status).toBe(429);
      expect((await askAs(tried.url, '/version', { headers, from: '127.0.0.2' })).status).toBe(401);
    });

    it('behind a trusted proxy are counted by the address of the client', async () => {
      const tryFrom = (client: string) => tried.get('/version', { ...bearer('wrong'), 'x-forwarded-for': `198.51.100.1, ${client}` });
      for (let at = 0; at < 21; at++) await tryFrom('192.0.2.20');
      expect([(await tryFrom('192.0.2.20')).status, (await tryFrom('192.0.2.21')).status]).toEqual([429, 401]);
      expect((await tried.get('/api/audit?action=wrong keys&limit=1', bearer(keyOf('ops')))).body.entries).toMatchObject([
        { address: '192.0.2.20', outcome: 'RATE_LIMITED' },
      ]);
    });

    it('are blocked longer after each burst, until a quiet hour resets it', async () => {
      let nowMs = 0;
      const written: unknown[] = [];
      const trail = { write: async (facts: Facts) => (written.push(facts), { file: '', seq: 0, hash: '' }) };
      const tell = jest.fn(async () => undefined);
      const { count } = createWrongKeys({ trail, signalAlerting: tell, now: () => nowMs });
      const pauseS = async (tries = 21) => {
        const refusals = [];
        for (let at = 0; at < tries; at++)
          refusals.push(
            await count('192.0.2.1').then(
              () => 0,
              ({ extras }) => Number(extras.headers['Retry-After']),
            ),
          );
        return refusals.at(-1) ?? 0;
      };
      expect(await pauseS(20)).toBe(0);
      expect(await pauseS(1)).toBe(60);
      nowMs += 59_000;
      expect(await pauseS(1)).toBe(1);
      for (const longer of [120, 240, 480, 960, 1920, 3600, 3600]) {
        nowMs += 3_600_000;
        expect(await pauseS()).toBe(longer);
      }
      nowMs += 7_200_001;
      expect(await pauseS()).toBe(60);
      expect([written.length, tell.mock.calls.length]).toEqual([9, 9]);
      nowMs += 90_000;
      expect(await pauseS(20)).toBe(0);
      nowMs += 60_001;
      expect(await pauseS(20)).toBe(0);
    });

    it.each([
      ['192.0.2.1', '192.0.2.1'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
      ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
      ['2001:db8::6', '2001:db8:0:0::/64'],
      ['::1', '0:0:0:0::/64'],
      ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ])('from %s are counted for %s', (address, place) => expect(addressKeyOf(address)).toBe(place));
  });

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

    it('no contact for a report of a weakness is told unless SECURITY_CONTACT is set', async () =>
      expect(await open.get('/.well-known/security.txt')).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } }));

    it('a caller has no name', async () => expect((await open.get('/api/caller')).body).toEqual({ success: true }));

    it('rejects a foreign Host before the body is read', async () => {
      const headers = { host: 'evil.example', 'content-type': 'application/json', 'content-length': '300000' };
      const { status, body } = await askAs(open.url, '/api/clinicsys/toolkit/get-subjects', { method: 'POST', headers });
      expect([status, JSON.parse(body)]).toEqual([403, expect.objectContaining({ error: { code: 'FORBIDDEN', retryable: false } })]);
    });

    it.each(['localhost', 'LOCALHOST:8080', '127.0.0.1', '127.0.0.1:1', '[::1]', '[::1]:8080'])('accepts the Host %s', async (host) => {
      expect((await askAs(open.url, '/version', { headers: { host } })).status).toBe(200);
      expect((await askAs(open.url, '/api/leads?site=nobody', { headers: { host } })).status).toBe(200);
    });

    it('answers HTTP/1.0 without a Host only on the health routes', async () => {
      const status = async (path: string) => {
        const socket = connect(Number(new URL(open.url).port), '127.0.0.1');
        socket.write(`GET ${path} HTTP/1.0\r\n\r\n`);
        return /^HTTP\/1.1 (\d+)/.exec((await socket.setEncoding('utf8').toArray()).join(''))?.[1];
      };
      expect(await status('/health/live')).toBe('200');
      for (const path of paths) expect([path, await status(path)]).toEqual([path, '403']);
    });
  });

  it('accepts any Host with keys', async () =>
    expect((await askAs(gateway.url, '/version', { headers: { host: 'gateway.example', 'x-gateway-key': keyOf('n8n') } })).status).toBe(
      200,
    ));

  it('rejects one key under two names at the start, by the names', () => {
    const start = startingWith(`a:${keyOf('SAME')}:leads, b:${keyOf('OTHER')}, c:${keyOf('SAME')}:operator`);
    expect(start).toThrow(/^GATEWAY_API_KEYS gives a and c the same key$/);
  });
});

describe('operators', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    // Whose address a proxy reports changes nothing of what is local.
    gateway = await startGateway({ settings: { TRUST_PROXY: 'loopback' } });
  });
  afterAll(() => gateway.stop());

  const noPrescreen = '/api/clinicsys/no-prescreen';
  const reason = 'Ann Lee asked for it on the phone';

  async function parkedLead(): Promise<string> {
    const { body } = await gateway.post(noPrescreen, newLead('comment-422'));
    expect(body.state).toBe('parked');
    return String(body.leadId);
  }

  const trailOf = async (leadId: string) => (await gateway.get(`/api/audit?leadId=${leadId}`)).body.entries;
  const dir = () => auditDir(gateway.config.LEADGATE_DATA_DIR);

  describe('an action of an operator', () => {
    it('is recorded before and after, with the name and, encrypted, the reason', async () => {
      const leadId = await parkedLead();
      expect((await gateway.post(`/api/leads/${leadId}/discard`, { reason })).status).toBe(200);
      expect((await gateway.post(`/api/leads/${leadId}/discard`, { reason })).status).toBe(409);
      const entries = await trailOf(leadId);
      expect(entries.map(({ who, action, outcome }: Record<string, string>) => [who, action, outcome])).toEqual([
        ['local', 'discard', 'WRONG_STATE'],
        ['local', 'discard', 'asked'],
        ['local', 'discard', 'done'],
        ['local', 'discard', 'asked'],
      ]);
      expect(entries[2].of).toEqual({ file: entries[3].file, seq: entries[3].seq, hash: entries[3].hash });
      const [refused, ...others] = entries;
      expect(refused.evidence).toBeUndefined();
      for (const { evidence } of others) expect(evidence).toMatchObject({ reason });
      const stored = readdirSync(dir(), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      for (const { parentPath, name } of stored) expect(readFileSync(join(parentPath, name), 'latin1')).not.toContain('Ann');
      expect(logged.join('')).not.toContain(reason);
      expect(logged.join('')).toContain(entries[0].hash);
      expect(await verifyTrail(dir(), gateway.keys)).toMatchObject({ problems: [] });
    });

    it('is listed page by page, neither missing nor twice', async () => {
      const leadId = await parkedLead();
      for (const _ of [1, 2, 3]) await gateway.post(`/api/leads/${leadId}/discard`, { reason });
      const all = await trailOf(leadId);
      const read = [];
      for (let cursor = ''; ;) {
        const { body } = await gateway.get(`/api/audit?leadId=${leadId}&limit=4${cursor && `&cursor=${cursor}`}`);
        read.push(...body.entries);
        if (!body.nextCursor) break;
        cursor = body.nextCursor;
      }
      expect([read.length, read]).toEqual([6, all]);
      const { status, body } = await gateway.get('/api/audit?cursor=nonsense');
      expect([status, body.error.details]).toEqual([400, [{ field: 'cursor', message: 'must be the nextCursor of a previous page' }]]);
    });

    it('is recorded without an invalid lead id', async () => {
      expect((await gateway.post('/api/leads/ann.lee@example.org/resend', { reason })).status).toBe(404);
      const { body } = await gateway.get('/api/audit?limit=1');
      expect(body.entries).toEqual([expect.objectContaining({ action: 'resend', outcome: 'NOT_FOUND' })]);
      expect(JSON.stringify(body)).not.toContain('ann.lee');
      // Without a lead there is no person by whose hash an erasure would find the reason.
      expect(body.entries[0]).not.toHaveProperty('evidence');
    });

    it.each(['discard', 'resend', 'redrive'])('is refused if it cannot be recorded: %s', async (verb) => {
      const leadId = await parkedLead();
      await gateway.stopTrail();
      rmSync(dir(), { recursive: true, force: true });
      writeFileSync(dir(), 'no directory');
      try {
        const refused = await gateway.post(`/api/leads/${leadId}/${verb}`, { reason });
        expect([refused.status, refused.body.error.code, refused.headers.get('retry-after')]).toEqual([503, 'NOT_ACCEPTED', '5']);
        expect((await gateway.get(`/api/leads/${leadId}`)).body.state).toBe('parked');
      } finally {
        rmSync(dir());
      }
      expect((await gateway.post(`/api/leads/${leadId}/discard`, { reason })).status).toBe(200);
      expect(readdirSync(dir())).toEqual([expect.stringMatching(/\.jsonl$/), 'evidence']);
      expect(await verifyTrail(dir(), gateway.keys)).toMatchObject({ problems: [] });
    });

    it('is refused if its evidence cannot be kept', async () => {
      const leadId = await parkedLead();
      const place = join(dir(), 'evidence');
      rmSync(place, { recursive: true, force: true });
      writeFileSync(place, 'no directory');
      try {
        const refused = await gateway.post(`/api/leads/${leadId}/discard`, { reason });
        expect([refused.status, refused.body.error.code, refused.headers.get('retry-after')]).toEqual([503, 'NOT_ACCEPTED', '5']);
        expect((await gateway.get(`/api/leads/${leadId}`)).body.state).toBe('parked');
        expect((await trailOf(leadId)).map(({ outcome }: { outcome: string }) => outcome)).toEqual(['NOT_ACCEPTED', 'asked']);
      } finally {
        rmSync(place);
      }
    });
  });

  describe('the evidence of an action', () => {
    const pieces = () => readdirSync(join(dir(), 'evidence'));
    const clearReads = async (leadId: string) =>
      (await gateway.get(`/api/audit?action=read+in+clear&leadId=${leadId}`)).body.entries.filter(
        ({ route }: { route: string }) => route === '/api/audit',
      );
    const evidenceOf = async (query: string) => (await gateway.get(`/api/audit?${query}&limit=1`)).body.entries[0].evidence;

    it('of a redrive has the changed fields before and after, masked unless in clear, which is recorded', async () => {
      const lead = newLead('', { instanceName: 'erg-oct.key-404', lastName: 'Featherstone' });
      const { leadId } = (await gateway.post(noPrescreen, lead)).body;
      const fields = { instanceName: 'erg-oct', lastName: 'Feather', zipCode: null, weight: 70 };
      expect((await gateway.post(`/api/leads/${leadId}/redrive`, { reason, fields })).status).toBe(200);
      const changed = {
        instanceName: { before: 'erg-oct.key-404', after: 'erg-oct' },
        lastName: { before: 'F…', after: 'F…' },
        weight: { after: '•••' },
      };
      const asked = `action=redrive&leadId=${leadId}`;
      expect(await evidenceOf(asked)).toMatchObject({ reason, changed });
      expect(JSON.stringify(await trailOf(leadId))).not.toContain('Feather');
      expect(await clearReads(leadId)).toEqual([]);
      for (const _ of [1, 2])
        expect(await evidenceOf(`${asked}&clear=true`)).toMatchObject({
          reason,
          changed: { ...changed, lastName: { before: 'Featherstone', after: 'Feather' }, weight: { after: 70 } },
        });
      expect(await clearReads(leadId)).toMatchObject([{ who: 'local', outcome: 'done', leadId }]);
    });

    it('of a confirm has the upstream id and the state before and after', async () => {
      const { leadId, record } = (await gateway.post(noPrescreen, newLead('comment-422'))).body;
      const upstreamId = String(record.rtResponse.PatientID);
      expect((await gateway.post(`/api/leads/${leadId}/confirm`, { reason, upstreamId })).status).toBe(200);
      const changed = { state: { before: 'parked', after: 'running' } };
      expect(await evidenceOf(`leadId=${leadId}&action=confirm`)).toEqual({ reason, upstreamId: '•••', changed });
      expect(await evidenceOf(`leadId=${leadId}&action=confirm&clear=true`)).toEqual({ reason, upstreamId, changed });
    });

    it('of a bulk order has its reason and fields, of a pause and an erasure the reason', async () => {
      const filter = { instanceName: 'erg-nowhere' };
      await gateway.post('/api/redrives', { filter, reason: 'counted', fields: { lastName: 'Feather' } });
      expect(await evidenceOf('action=redrive-many')).toEqual({ reason: 'counted', changed: { lastName: { after: 'F…' } } });
      expect(await evidenceOf('action=redrive-many&clear=true')).toEqual({
        reason: 'counted',
        changed: { lastName: { after: 'Feather' } },
      });
      expect((await gateway.get('/api/audit?limit=1')).body.entries).toMatchObject([{ action: 'read in clear', route: '/api/audit' }]);
      await gateway.post('/api/upstreams/pause', { upstream: 'V2', instance: 'ERG/erg-nowhere', reason: 'it moves' });
      await gateway.post('/api/upstreams/resume', { upstream: 'V2', instance: 'ERG/erg-nowhere', reason: 'it has moved' });
      expect([await evidenceOf('action=pause+upstream'), await evidenceOf('action=resume+upstream')]).toEqual([
        { reason: 'it moves' },
        { reason: 'it has moved' },
      ]);
      await gateway.post('/api/erase', { email: newLead().email, reason: 'she asked', dryRun: true });
      expect(await evidenceOf('action=erase')).toEqual({ reason: 'she asked' });
    });

    it('is readable after the run of its lead is deleted', async () => {
      const leadId = await parkedLead();
      await gateway.post(`/api/leads/${leadId}/discard`, { reason });
      const { workflowId, runId } = await newestRun(gateway.client, leadId);
      await deleteRun(gateway.client, { workflowId, runId });
      await until(async () => (await gateway.get(`/api/leads/${leadId}`)).status === 404, 'its run is deleted');
      expect(await evidenceOf(`leadId=${leadId}`)).toEqual({ reason, changed: { state: { before: 'parked', after: 'discarded' } } });
    });

    it('keeps no credential', async () => {
      const lead = {
        clientId: 'c',
        siteId: 's',
        environment: 'canada',
        firstName: 'Ann',
        lastName: 'Lee',
        bearerToken: 'first-token',
        email: newLead('recruit-refused').email,
      };
      const { leadId } = (await gateway.post('/api/recruit/send-to-recruit', lead)).body;
      await gateway.post(`/api/leads/${leadId}/redrive`, { reason, fields: { bearerToken: 'second-token' } });
      const shown = JSON.stringify(await evidenceOf(`leadId=${leadId}&action=redrive&clear=true`));
      expect(shown).toContain('bearerToken');
      for (const token of ['first-token', 'second-token']) expect(shown).not.toContain(token);
    });

    it('says why it cannot be read if its file was removed', async () => {
      const leadId = await parkedLead();
      const before = pieces();
      await gateway.post(`/api/leads/${leadId}/discard`, { reason });
      const [piece = ''] = pieces().filter((each) => !before.includes(each));
      const path = join(dir(), 'evidence', piece);
      const bytes = readFileSync(path);
      rmSync(path);
      expect(await evidenceOf(`leadId=${leadId}`)).toEqual({ unreadable: 'Its file is missing, and no erasure has removed it' });
      writeFileSync(path, bytes);
    });
  });

  describe('without gateway keys, operator actions are only for this machine', () => {
    const ask = async (headers: Record<string, string>, method = 'POST', path = '/api/leads/x/discard', url = gateway.url) => {
      const body = method === 'GET' ? undefined : JSON.stringify({ reason });
      return (await askAs(url, path, { method, headers: { 'content-type': 'application/json', ...headers }, body })).status;
    };

    it.each<[string, Record<string, string>, number]>([
      ['this machine', {}, 404],
      ['this machine by its name', { Host: 'localhost:8080' }, 404],
      ['this machine over IPv6', { Host: '[::1]:8080' }, 404],
      ['a proxy', { 'X-Forwarded-For': '203.0.113.9' }, 403],
      ['a proxy that says it is this machine', { 'X-Forwarded-For': '127.0.0.1' }, 403],
      ['a proxy by the standard header', { Forwarded: 'for=127.0.0.1' }, 403],
      ['a page whose name was made to point here', { Host: 'evil.example' }, 403],
    ])('from %s', async (_, headers, status) => {
      expect(await ask(headers)).toBe(status);
      for (const path of ['/api/audit', '/api/erasures', '/api/retention'])
        expect([path, await ask(headers, 'GET', path)]).toEqual([path, status === 403 ? 403 : 200]);
    });

    const [elsewhere] = Object.values(networkInterfaces()).flatMap((addresses = []) =>
      addresses.flatMap(({ internal, family, address }) => (internal || family !== 'IPv4' ? [] : [address])),
    );
    (elsewhere ? it : it.skip)('a request from another machine is rejected, whatever its Host', async () => {
      const open = await startGateway({
        settings: { HOST: '0.0.0.0', LEADGATE_KEYS: gateway.config.LEADGATE_KEYS ?? '' },
        withoutWorker: true,
      });
      try {
        expect(logged.filter((line) => line.includes('put a TLS proxy in front of it, see docs/tls.md'))).toHaveLength(1);
        const url = open.url.replace('0.0.0.0', elsewhere ?? '');
        const answer = await fetch(`${url}/api/audit`);
        expect([answer.status, await answer.json()]).toEqual([
          403,
          expect.objectContaining({ message: expect.stringContaining('GATEWAY_API_KEYS'), error: { code: 'FORBIDDEN', retryable: false } }),
        ]);
        const host = 'localhost:8080';
        expect(await ask({ host }, 'GET', '/api/audit', url)).toBe(403);
        expect(await ask({ host }, 'GET', '/api/leads?site=nobody', url)).toBe(200);
      } finally {
        await open.stop();
      }
    });

    it.each([
      ...['Forwarded', 'Via', 'X-Forwarded', 'X-Forwarded-Proto', 'X-Forwarded-Port', 'X-Forwarded-Prefix', 'X-Forwarded-Client-Cert'],
      ...['X-Real-IP', 'X-Client-IP', 'True-Client-IP', 'CF-Connecting-IP', 'CF-Ray', 'Fastly-Client-IP', 'X-Cluster-Client-IP'],
      ...['X-Original-Forwarded-For', 'X-Original-Host', 'X-Original-URL', 'X-Envoy-External-Address', 'X-Azure-ClientIP', 'X-Remote-IP'],
      ...['Client-IP', 'X-ProxyUser-Ip', 'WL-Proxy-Client-IP', 'Fly-Client-IP', 'X-Amzn-Trace-Id', 'CDN-Loop', 'x-forwarded-for'],
    ])('%s, even if it is empty, says that a proxy has passed the request on', async (name) => {
      for (const value of ['127.0.0.1', ''])
        for (const path of ['/api/leads/x/discard', '/api/leads/x/redrive', '/api/redrives', '/api/upstreams/pause', '/api/erase'])
          expect([path, await ask({ [name]: value }, 'POST', path)]).toEqual([path, 403]);
    });

    it.each(['X-Request-Id', 'Traceparent', 'X-Forward', 'Origin', 'User-Agent'])('%s is not a header of a proxy', async (name) =>
      expect(await ask({ [name]: 'one' })).toBe(404),
    );

    it('sending and reading leads stays possible from elsewhere', async () =>
      expect(await ask({ 'X-Forwarded-For': '203.0.113.9' }, 'GET', '/api/leads?site=nobody')).toBe(200));
  });

  describe('a request with unsafe headers is rejected', () => {
    const written = (path: string, headers: readonly string[], body = '') =>
      [
        `POST ${path} HTTP/1.1`,
        'Connection: close',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        ...headers,
        '',
        body,
      ].join('\r\n');
    const padding = (count: number) => Array.from({ length: count }, (_, at) => `a${at}:`);
    /** The status and body of the only answer. */
    async function answerTo(bytes: string) {
      const answered = await askRaw(gateway.url, bytes);
      return { status: statusesIn(answered), body: JSON.parse(answered.split('\r\n\r\n')[1] ?? '') };
    }
    const refused = (status: number) => ({
      status: [status],
      body: { success: false, message: expect.any(String), error: { code: 'VALIDATION_ERROR', retryable: false } },
    });

    it('with more than 200 headers', async () => {
      const path = '/api/leads/x/discard';
      for (const count of [198, 2_010]) {
        const headers = ['Host: localhost', ...padding(count), 'X-Forwarded-For: 203.0.113.9'];
        expect(await answerTo(written(path, headers, '{"reason":"r"}'))).toMatchObject(refused(431));
      }
      const most = ['Host: localhost', ...padding(196)];
      expect((await answerTo(written(path, most, '{"reason":"r"}'))).status).toEqual([404]);
    });

    it('so that a dry run with its header after the limit sends nothing', async () => {
      const lead = newLead();
      const headers = ['Host: localhost', ...padding(2_010), 'X-Dry-Run: true'];
      expect(await answerTo(written(noPrescreen, headers, JSON.stringify(lead)))).toMatchObject(refused(431));
      expect((await gateway.sandbox()).requests.filter(({ body }) => body.includes(encodeURIComponent(lead.email)))).toEqual([]);
    });

    it('with more bytes than Node accepts', async () =>
      expect(await answerTo(written(noPrescreen, ['Host: localhost', `A: ${'x'.repeat(20_000)}`]))).toMatchObject(refused(431)));

    it.each([
      ['Host: localhost', 'Host: evil.example'],
      ['Host: localhost', 'host: localhost'],
      ['Host: evil.example', 'HOST: localhost'],
    ])('with two Hosts: %s, %s', async (...hosts) => {
      for (const path of ['/api/leads/x/discard', '/health/live']) expect(await answerTo(written(path, hosts))).toMatchObject(refused(400));
    });

    it.each([
      ['two lengths', ['Content-Length: 7']],
      ['a length and chunks', ['Transfer-Encoding: chunked']],
      ['a name with a space', ['X-Forwarded-For : 1']],
      ['a folded line', ['A: 1', ' X-Dry-Run: true']],
    ])('with %s', async (_, headers) =>
      expect(await answerTo(written(noPrescreen, ['Host: localhost', ...headers], '{}'))).toMatchObject(refused(400)),
    );
  });

  it('returns the retention times', async () => {
    expect((await gateway.post('/api/leads/nobody/discard', { reason })).status).toBe(404);
    expect((await gateway.get('/api/retention')).body).toEqual({
      success: true,
      closedRuns: { keptH: 24, keptSince: expect.any(String) },
      idempotencyKeys: { keptH: 72 },
      audit: { keptD: 2192, oldest: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) },
    });
  });
});

describe('other pages', () => {
  const noPrescreen = '/api/clinicsys/no-prescreen';
  const page = 'https://forms.example';
  let gateway: Gateway;
  let other: Gateway;
  beforeAll(async () => {
    [gateway, other] = await Promise.all([
      startGateway({ settings: { CORS_ORIGINS: `${page}/, http://localhost:3000`, GATEWAY_API_KEYS: callers('forms:leads') } }),
      startGateway(),
    ]);
  });
  afterAll(() => Promise.all([gateway.stop(), other.stop()]));

  const preflight = (from: Gateway, origin: string, method = 'POST', path = noPrescreen) =>
    fetch(from.url + path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type,idempotency-key,x-gateway-key',
      },
    });

  describe('a page of CORS_ORIGINS', () => {
    it('can send a lead with a key, and read its id', async () => {
      const asked = await preflight(gateway, page);
      expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, page]);
      expect(asked.headers.get('access-control-allow-headers')).toBe('content-type,idempotency-key,x-gateway-key');
      const { status, headers } = await gateway.post(noPrescreen, newLead(), { origin: page, 'x-gateway-key': keyOf('forms') });
      expect([status, headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([200, page, 'Origin']);
      expect(headers.get('access-control-expose-headers')).toContain('X-Lead-Id');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    });

    it('can change a card', async () => {
      const { headers } = await preflight(gateway, page, 'PATCH', '/api/taskboard/todos/todo-call-the-site');
      expect(headers.get('access-control-allow-methods')?.split(',')).toContain('PATCH');
    });

    it('can read why a lead was rejected', async () => {
      const { status, headers } = await gateway.post(noPrescreen, {}, { origin: 'http://localhost:3000', 'x-gateway-key': keyOf('forms') });
      expect([status, headers.get('access-control-allow-origin')]).toEqual([400, 'http://localhost:3000']);
    });
  });

  describe('any other page', () => {
    it.each(['https://evil.example', `${page}.evil.example`, 'null'])('%s gets no CORS headers', async (origin) => {
      const asked = await preflight(gateway, origin);
      const { headers } = await gateway.post(noPrescreen, {}, { origin });
      expect([asked, { headers }].map((answer) => answer.headers.get('access-control-allow-origin'))).toEqual([null, null]);
    });

    it('gets no CORS headers without the setting', async () => {
      const asked = await preflight(other, page);
      expect([...asked.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    });
  });

  it('is rejected without keys, because any page would have operator rights', () =>
    expect(() => parseConfig({ CORS_ORIGINS: page })).toThrow('CORS_ORIGINS: needs GATEWAY_API_KEYS'));
});
