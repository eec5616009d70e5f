import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { auditDir } from '../../src/audit/lines';
import { verifyTrail } from '../../src/audit/verify';
import { askAs } from '../support/ask-as';
import { logged, newLead, startGateway, type Gateway } from '../support/gateway';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
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

describe('what an operator does is on the audit trail', () => {
  it('before it is done and after, with the name and without the reason', async () => {
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
    expect(JSON.stringify(entries)).not.toContain('Ann');
    expect(logged.join('')).toContain(entries[0].hash);
    expect(await verifyTrail(dir(), gateway.keys)).toMatchObject({ problems: [] });
  });

  it('and is read page by page, with nothing left out and nothing twice', async () => {
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
    expect([status, body.error.details]).toEqual([400, [{ field: 'cursor', message: 'must be a nextCursor' }]]);
  });

  it('and nothing that a caller writes in place of an id', async () => {
    expect((await gateway.post('/api/leads/ann.lee@example.org/resend', { reason })).status).toBe(404);
    const { body } = await gateway.get('/api/audit?limit=1');
    expect(body.entries).toEqual([expect.objectContaining({ action: 'resend', outcome: 'NOT_FOUND' })]);
    expect(JSON.stringify(body)).not.toContain('ann.lee');
  });

  it.each(['discard', 'resend', 'redrive'])('or %s is not done', async (verb) => {
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
    expect(readdirSync(dir())).toHaveLength(1);
  });
});

describe('without gateway keys what operators do is for this machine alone', () => {
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
  (elsewhere ? it : it.skip)('and whoever comes over the network is refused in words, whatever the Host says', async () => {
    const open = await startGateway({
      settings: { HOST: '0.0.0.0', LEADGATE_KEYS: gateway.config.LEADGATE_KEYS ?? '' },
      withoutWorker: true,
    });
    try {
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

  it('and sending and reading leads is as open as ever', async () =>
    expect(await ask({ 'X-Forwarded-For': '203.0.113.9' }, 'GET', '/api/leads?site=nobody')).toBe(200));
});

it('says how long what is kept', async () => {
  expect((await gateway.post('/api/leads/nobody/discard', { reason })).status).toBe(404);
  expect((await gateway.get('/api/retention')).body).toEqual({
    success: true,
    closedRuns: { keptH: 24, keptSince: expect.any(String) },
    idempotencyKeys: { keptH: 72 },
    audit: { keptD: 2190, oldest: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) },
  });
});
