import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/config/config';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

const folder = join(projectDir, 'src/console');
const files = readdirSync(folder);
const noPrescreen = '/api/clinicsys/no-prescreen';
const key = { 'x-gateway-key': 'c-key' };
let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway({ settings: { GATEWAY_API_KEYS: 'chief:c-key:leads+operator,tool:t-key' } })));
afterAll(() => gateway.stop());

describe('the page', () => {
  it('is there without a key, and may load its own files only', async () => {
    const { status, headers, body } = await gateway.get('/console');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(body).toContain('<script type="module" src="/console/main.js">');
  });

  it('names all its modules, so that a browser asks for them at once', async () => {
    const { headers } = await gateway.get('/console');
    const preloaded = [...(headers.get('link') ?? '').matchAll(/<\/console\/([^>]+)>; rel=modulepreload/g)].map(([, name]) => name);
    expect(preloaded.sort()).toEqual(files.filter((name) => name.endsWith('.js') && !name.startsWith('docs')).sort());
  });

  it.each(files)('%s is served as it lies', async (name) => {
    const { status, headers, body } = await gateway.get(`/console/${name}`);
    expect([status, headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
    expect(body).toBe(readFileSync(join(folder, name), 'utf8'));
  });

  it.each(['..%2fmain.ts', 'main.ts', 'constructor', '%2e%2e/config.ts', ''])('%j is none of its files', async (name) =>
    expect((await gateway.get(`/console/x${name}`)).status).not.toBe(200),
  );

  it('has nothing inline and nothing from another host', () => {
    const html = readFileSync(join(folder, 'index.html'), 'utf8');
    expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?![^>]*src="\/console\/)/i);
    for (const name of files.filter((name) => name.endsWith('.js') || name.endsWith('.css'))) {
      const text = readFileSync(join(folder, name), 'utf8').replaceAll('http://www.w3.org/2000/svg', '');
      expect([name, /https?:|innerHTML|eval\(|@import|url\(/.test(text)]).toEqual([name, false]);
    }
  });

  it('has words for calls that there are, and for no others', () => {
    const [, calls = ''] = /const calls = \{([^}]*)\}/.exec(readFileSync(join(folder, 'words.js'), 'utf8')) ?? [];
    const named = [...calls.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name);
    const activities = join(projectDir, 'src/activities');
    const code = readdirSync(activities).map((name) => (name.endsWith('.ts') ? readFileSync(join(activities, name), 'utf8') : ''));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !new RegExp(`\\b${name}[:,(]`).test(code.join('\n')))).toEqual([]);
  });

  it('takes GET only', async () => expect((await gateway.post('/console', {})).status).toBe(405));
});

describe('how many leads are in each state', () => {
  it('is counted, of all or of those that are searched for', async () => {
    const lead = newLead();
    await gateway.post(noPrescreen, lead, key);
    await gateway.post(noPrescreen, { ...newLead(), instanceName: 'a.key-404' }, key);
    const query = `email=${encodeURIComponent(lead.email)}`;
    const counts = await until(async () => {
      const { body } = await gateway.get(`/api/leads/counts?${query}`, key);
      return body.counts.delivered === 1 && body.counts;
    }, 'the lead is counted');
    expect(counts).toEqual({ running: 0, waiting: 0, verifying: 0, parked: 0, delivered: 1, skipped: 0, failed: 0, discarded: 0 });
    expect((await gateway.get(`/api/leads/counts?${query}&until=2020-01-01`, key)).body.counts.delivered).toBe(0);
    expect((await gateway.get(`/api/leads/counts?${query}&flow=recruit`, key)).body.counts.delivered).toBe(0);
  });

  it('stands beside the business terms of each lead', async () => {
    const lead = newLead();
    await gateway.post(noPrescreen, lead, key);
    const [listed] = await until(async () => {
      const { body } = await gateway.get(`/api/leads?email=${encodeURIComponent(lead.email)}`, key);
      return body.leads.length === 1 && body.leads;
    }, 'the lead is listed');
    expect(listed).toMatchObject({ site: 'erg-oct', studyId: '12', protocol: 'AD-301' });
  });
});

describe('the last hour', () => {
  it('counts what was carried, and not who looked', async () => {
    const before = (await gateway.get('/api/traffic', key)).body;
    await gateway.post(noPrescreen, newLead(), key);
    await gateway.post(noPrescreen, {}, key);
    await gateway.get('/api/leads', key);
    const after = (await gateway.get('/api/traffic', key)).body;
    const sum = (of: { minutes: Record<string, number>[] }, kind: string) =>
      of.minutes.reduce((all, minute) => all + (minute[kind] ?? 0), 0);
    expect([sum(after, 'done') - sum(before, 'done'), sum(after, 'refused') - sum(before, 'refused')]).toEqual([1, 1]);
    const busy = after.minutes.find(({ done }: { done: number }) => done > 0);
    expect(busy).toMatchObject({ p50Ms: expect.any(Number), p95Ms: expect.any(Number) });
    expect(Date.parse(after.since)).toBeLessThanOrEqual(Date.now());
  });

  it('is for operators', async () => expect((await gateway.get('/api/traffic', { 'x-gateway-key': 't-key' })).status).toBe(403));
});
