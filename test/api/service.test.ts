/** What the service tells of itself. */
import type { WorkflowHandle } from '@temporalio/client';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTraffic } from '../../src/api/monitoring/traffic';
import { welcome } from '../../src/api/welcome';
import { parseConfig, projectDir } from '../../src/config/config';
import { upstreamsOf } from '../../src/config/upstreams';
import { version } from '../../src/config/version';
import { flows } from '../../src/contract/flows';
import { upstreamNames } from '../../src/domain/upstreams';
import { leadCodes, states } from '../../src/domain/lead';
import { leadgate } from '../cli/support';
import { fill, mountDisk } from '../faults/disk';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { startFailing } from '../support/stuck-runs';
import { until, untilHolds } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';
import { callers, keyOf } from '../support/keys';

describe('the start', () => {
  const at = { api: 'http://127.0.0.1:8080', namespace: 'leadgate' };
  const welcomeWith = (settings: Record<string, string>, sandbox?: number) => {
    const config = parseConfig(settings);
    return welcome(config, upstreamsOf(config, sandbox), { ...at, sandbox });
  };
  const sample =
    "curl -s http://127.0.0.1:8080/api/clinicsys/no-prescreen -H 'Content-Type: application/json' -H 'Idempotency-Key: sample-1' ";

  it('shows a sample lead if the sandbox stands in for all upstreams', () => {
    const said = welcomeWith({}, 8099);
    expect(said).toContain(`${sample}-d '{`);
    expect(said).toContain('http://127.0.0.1:8099');
  });

  it('names the version that runs', () =>
    expect(welcomeWith({})).toMatch(new RegExp(`^ +Version +${version.replaceAll('.', '\\.')}$`, 'm')));

  it.each<[string, Record<string, string>, number | undefined]>([
    ['the key service is real', { KEY_SERVICE_URL: 'https://keys.example.com' }, 8099],
    ['V1 of one account is real', { CLINICSYS_V1_APPLY_URL_FUTURO: 'https://site-system.example.com/apply' }, 8099],
    ['V2 is real', { CLINICSYS_V2_URL: 'https://site-system.example.com' }, 8099],
    ['the sandbox is off', {}, undefined],
  ])('the sample lead is a dry run where %s', (_, settings, sandbox) =>
    expect(welcomeWith(settings, sandbox)).toContain(`${sample}-H 'X-Dry-Run: true' -d '{`),
  );

  it('shows where the key goes if one is required', () =>
    expect(welcomeWith({ GATEWAY_API_KEYS: callers('clinic') }, 8099)).toContain(`${sample}-H 'x-gateway-key: YOUR-KEY' -d '{`));
});

const answered = { method: 'POST', route: '/api/clinicsys/no-prescreen' };
type Minutes = readonly { readonly at: string; readonly done: number; readonly p50Ms?: number; readonly p95Ms?: number }[];

describe('the traffic in memory', () => {
  it('has a row per minute, with median and 95th percentile', () => {
    const traffic = createTraffic(() => 0);
    for (let tookMs = 1; tookMs <= 100; tookMs++) traffic.observe({ ...answered, status: 200, tookMs });
    expect(traffic.read()).toMatchObject({ minutes: [{ done: 100, accepted: 0, refused: 0, failed: 0, p50Ms: 50, p95Ms: 95 }] });
  });

  it('distinguishes done, accepted, refused and failed', () => {
    const traffic = createTraffic(() => 0);
    for (const status of [200, 202, 400, 422, 502]) traffic.observe({ ...answered, status, tookMs: 1 });
    expect(traffic.read()).toMatchObject({ minutes: [{ done: 1, accepted: 1, refused: 2, failed: 1 }] });
  });

  it('keeps one hour, and a sample of a busy minute', () => {
    let now = 0;
    const traffic = createTraffic(() => now);
    for (let minute = 0; minute < 90; minute++) {
      now = minute * 60_000;
      for (let each = 0; each < 50; each++) traffic.observe({ ...answered, status: 200, tookMs: each });
    }
    const { minutes, since } = traffic.read() as { minutes: Minutes; since: string };
    expect([minutes.length, minutes[0]?.at, since]).toEqual([60, new Date(30 * 60_000).toISOString(), new Date(0).toISOString()]);
  });

  it('does not count polling', () => {
    const traffic = createTraffic(() => 0);
    traffic.observe({ method: 'GET', route: '/api/leads', status: 200, tookMs: 1 });
    expect((traffic.read() as { minutes: Minutes }).minutes[0]).toMatchObject({ done: 0 });
  });
});

/** /health/ready says whether leads can be taken in, so it is 503 while this process can write nothing. */
describe('readiness', () => {
  let parent: string;
  let dataDir: string;
  let disk: ReturnType<typeof mountDisk>;
  let gateway: Gateway;
  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), 'leadgate-writable-'));
    disk = mountDisk(parent, 'small disk');
    dataDir = disk?.dataDir ?? join(parent, 'data');
    mkdirSync(dataDir);
    gateway = await startGateway({ settings: { LEADGATE_DATA_DIR: dataDir } });
  });
  afterAll(async () => {
    await gateway.stop();
    disk?.unmount();
    rmSync(parent, { recursive: true });
  });

  const ready = () => gateway.get('/health/ready');
  const refusal = async (message: string) => {
    const { status, headers, body } = await ready();
    return status === 503 && headers.get('retry-after') === '1' && body.error.code === 'NOT_ACCEPTED' && body.message === message;
  };

  it('is ready if files can be written, and leaves none behind', async () => {
    await gateway.untilReady();
    expect(readdirSync(dataDir).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('is not ready while the disk of the data directory is full', async () => {
    // Only root may mount a disk that can be filled.
    if (!disk) return;
    const ballast = join(dataDir, 'ballast');
    fill(ballast);
    await until(() => refusal('The data directory is not writable (ENOSPC)'), 'the full disk is told');
    expect((await gateway.get('/health/live')).status).toBe(200);
    rmSync(ballast);
    await gateway.untilReady();
  });

  it('is not ready while the data directory is a file, or gone', async () => {
    const aside = `${dataDir}-aside`;
    renameSync(dataDir, aside);
    await until(() => refusal('The data directory is not writable (ENOENT)'), 'the missing directory is told');
    writeFileSync(dataDir, '');
    await until(() => refusal('The data directory is not writable (ENOTDIR)'), 'the file in its place is told');
    rmSync(dataDir);
    renameSync(aside, dataDir);
    await untilHolds(async () => expect((await ready()).status).toBe(200), 'it is ready again');
  });

  it('answers many concurrent requests', async () => {
    // A process that stands still may be unready for a moment, but not again and again.
    await untilHolds(async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, ready));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    }, 'all hear that it is ready');
  });
});

/** A run whose workflow tasks keep failing goes on for ever and does nothing: everything that looks for trouble says so. */
describe('a stuck run', () => {
  const TEMPORAL_UI_URL = 'https://temporal.example.org/ui/';

  let gateway: Gateway;
  let receiver: Upstream;
  let run: WorkflowHandle;
  beforeAll(async () => {
    receiver = await openUpstream();
    const ALERT_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
    gateway = await startGateway({
      settings: { ALERT_WEBHOOK_URL: receiver.url, ALERT_WEBHOOK_SECRET, TEMPORAL_UI_URL },
      alertClearMs: 1_000,
    });
    run = await startFailing(gateway.client, gateway.config.TASK_QUEUE);
    const reported = `WorkflowId = '${run.workflowId}' AND TemporalReportedProblems IS NOT NULL`;
    await until(async () => (await gateway.client.workflow.count(reported)).count === 1, 'the engine reports it');
  });
  afterAll(async () => {
    await gateway.stop();
    await receiver.close();
  });

  const told = () => receiver.received.map(({ text }) => JSON.parse(text) as { type: string; data: object });

  it('is reported by leadgate doctor, with what to do', async () => {
    const { TEMPORAL_ADDRESS = '', TEMPORAL_NAMESPACE, TASK_QUEUE, LEADGATE_DATA_DIR } = gateway.config;
    const settings = { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TASK_QUEUE, LEADGATE_DATA_DIR, LEADGATE_URL: gateway.url };
    const { status, out } = await leadgate(['doctor'], { settings });
    expect(out).toMatch(/!! {2}Runs +1 is stuck: its workflow tasks keep failing or timing out\n +.*TemporalReportedProblems IS NOT NULL/);
    expect(status).toBe(1);
  });

  it('is counted by /metrics', async () =>
    untilHolds(async () => expect((await gateway.get('/metrics')).body).toMatch(/^leadgate_stuck_runs 1$/m), 'it is counted'));

  it('is in the counts for the console, with its URL in the Temporal UI', async () => {
    const { body } = await gateway.get('/api/leads/counts?groups=true');
    expect(body.stuckRuns).toMatchObject({ count: 1 });
    const { origin, pathname, searchParams } = new URL(body.stuckRuns.temporalUrl);
    expect(`${origin}${pathname}`).toBe(`https://temporal.example.org/ui/namespaces/${gateway.config.TEMPORAL_NAMESPACE}/workflows`);
    expect((await gateway.client.workflow.count(searchParams.get('query') ?? '')).count).toBe(1);
  });

  it('opens an alert, which closes when the run has ended', async () => {
    await until(() => told().length === 1, 'it is told');
    expect(told()).toMatchObject([
      { type: 'leadgate.alert.opened', data: { kind: 'stuck', summary: '1 run stuck', count: 1, leadIds: [] } },
    ]);
    await run.terminate();
    await until(() => told().length === 2, 'its end is told');
    expect(told()[1]).toMatchObject({
      type: 'leadgate.alert.closed',
      data: { kind: 'stuck', reason: 'The workflow tasks of every run succeed again' },
    });
  });
});

describe('the console', () => {
  const folder = join(projectDir, 'tools/console');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.'));
  const noPrescreen = '/api/clinicsys/no-prescreen';
  const key = { 'x-gateway-key': keyOf('chief') };
  let gateway: Gateway;
  beforeAll(async () => void (gateway = await startGateway({ settings: { GATEWAY_API_KEYS: callers('chief:leads+operator', 'tool') } })));
  afterAll(() => gateway.stop());

  describe('the page', () => {
    it('needs no key, and can load only its own files', async () => {
      const { status, headers, body } = await gateway.get('/console');
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(body).toContain('<script type="module" src="/console/main.js">');
    });

    it('preloads all its modules', async () => {
      const { headers } = await gateway.get('/console');
      const preloaded = [...(headers.get('link') ?? '').matchAll(/<\/console\/([^>]+)>; rel=modulepreload/g)].map(([, name]) => name);
      expect(preloaded.sort()).toEqual(files.filter((name) => name.endsWith('.js') && !/^(docs|signed-in)/.test(name)).sort());
    });

    it.each(files)('serves %s unchanged', async (name) => {
      const { status, headers, body } = await gateway.get(`/console/${name}`);
      expect([status, headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
      expect(body).toBe(readFileSync(join(folder, name), 'utf8'));
    });

    it.each(['..%2fmain.ts', 'main.ts', 'constructor', '%2e%2e/config.ts', ''])('does not serve %j', async (name) =>
      expect((await gateway.get(`/console/x${name}`)).status).not.toBe(200),
    );

    it('has no inline code and loads nothing from another host', () => {
      const html = readFileSync(join(folder, 'index.html'), 'utf8');
      expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?![^>]*src="\/console\/)/i);
      for (const name of files.filter((name) => name.endsWith('.js') || name.endsWith('.css'))) {
        const text = readFileSync(join(folder, name), 'utf8').replaceAll('http://www.w3.org/2000/svg', '');
        expect([name, /https?:|innerHTML|eval\(|@import|url\(/.test(text)]).toEqual([name, false]);
      }
    });

    it('has a label for each state and error of a lead, and offers each flow and upstream', async () => {
      const script = `import(${JSON.stringify(join(folder, 'words.js'))}).then(({ states, meaningOf, codes, flows, upstreams }) =>
        console.log(JSON.stringify({ means: states.map((state) => [state, meaningOf(state)]), codes, flows, upstreams })))`;
      const { stdout } = await promisify(execFile)(process.execPath, ['-e', script]);
      const words = JSON.parse(stdout) as Record<'means' | 'codes' | 'flows' | 'upstreams', object>;
      const means = new Map(words.means as [state: string, means: string][]);
      expect([...means.keys()].sort()).toEqual([...states].sort());
      expect([...means.values()]).not.toContain('');
      expect(Object.keys(words.codes).sort()).toEqual([...leadCodes].sort());
      expect((words.flows as string[]).toSorted()).toEqual([...flows].sort());
      expect(words.upstreams).toEqual(upstreamNames);
    });

    it('has labels for exactly the existing calls', () => {
      const [, calls = ''] = /const calls = \{([^}]*)\}/.exec(readFileSync(join(folder, 'words.js'), 'utf8')) ?? [];
      const named = [...calls.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name);
      const activities = join(projectDir, 'src/activities');
      const code = readdirSync(activities).map((name) => (name.endsWith('.ts') ? readFileSync(join(activities, name), 'utf8') : ''));
      expect(named.length).toBeGreaterThan(0);
      expect(named.filter((name) => !new RegExp(`\\b${name}[:,(]`).test(code.join('\n')))).toEqual([]);
    });

    it('accepts only GET', async () => expect((await gateway.post('/console', {})).status).toBe(405));
  });

  describe('the number of leads in each state', () => {
    it('covers all leads, or those that a filter matches', async () => {
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

    it('matches the list, which has the business terms of each lead', async () => {
      const lead = newLead();
      await gateway.post(noPrescreen, lead, key);
      const [listed] = await until(async () => {
        const { body } = await gateway.get(`/api/leads?email=${encodeURIComponent(lead.email)}`, key);
        return body.leads.length === 1 && body.leads;
      }, 'the lead is listed');
      expect(listed).toMatchObject({ site: 'erg-oct', studyId: '12', protocol: 'AD-301' });
    });
  });

  describe('the traffic of the last hour', () => {
    it('counts leads and calls, but not polling', async () => {
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

    it('is for operators', async () => expect((await gateway.get('/api/traffic', { 'x-gateway-key': keyOf('tool') })).status).toBe(403));
  });
});
