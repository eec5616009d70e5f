/** What /metrics tells, and that the dashboard and the alert rules ask for nothing that it does not tell. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { projectDir } from '../../src/config/config';
import { endpoints } from '../../src/contract';
import { freePort } from '../../src/config/ports';
import { version } from '../../src/config/version';
import { createWorkerMetrics } from '../../src/runtime/worker-metrics';
import { serveMetrics } from '../../src/runtime/worker-port';
import { redrivenAfterContinuing } from '../support/continued';
import { newLead, sameInstallation, startGateway, type Gateway } from '../support/gateway';
import { ownNamespace } from '../support/namespace';
import { readExpression } from '../support/promql';
import { until } from '../support/until';

const { noPrescreen, sendToRecruit } = endpoints;
/** An answer tells what became of a lead, however busy the machine is. */
const SYNC_WAIT_MS = '60000';

/** Name and labels of every line. */
interface Line {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', said = '']) => [label, said] as const);
      return { name, labels: Object.fromEntries(pairs), value: Number(value) };
    });

let gateway: Gateway;
let lines: Line[];
let scrapedAt: number;
const valueOf = (name: string, labels: Readonly<Record<string, string>> = {}, from = lines) =>
  from.find((line) => line.name === name && Object.entries(labels).every(([label, value]) => line.labels[label] === value))?.value;
const valuesFrom = async (from: Gateway) => linesOf((await from.get('/metrics')).body as string);
/** A scrape leaves the counts out if the engine did not answer in time. */
const countsFrom = (from: Gateway) =>
  until(async () => {
    const told = await valuesFrom(from);
    return told.some(({ name }) => name === 'leadgate_leads') ? told : undefined;
  }, 'the leads are counted');

beforeAll(async () => {
  // Nobody listens there: what is told does not arrive.
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const ALERT_WEBHOOK_SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
  gateway = await startGateway({ settings: { ALERT_WEBHOOK_URL: nowhere, ALERT_WEBHOOK_SECRET, SYNC_WAIT_MS } });
  await gateway.post(noPrescreen.path, newLead());
  await gateway.post(noPrescreen.path, newLead('lookup-422'));
  const { email } = newLead('recruit-500');
  expect((await gateway.post(sendToRecruit.path, { ...sendToRecruit.example, email })).status).toBe(502);
  const { client, config } = gateway;
  const listed = `TaskQueue = '${config.TASK_QUEUE}' AND LeadState IN ('delivered', 'failed', 'parked')`;
  await until(async () => (await client.workflow.count(listed)).count === 3, 'the engine lists them');
  await until(async () => valueOf('leadgate_alert_messages_total', {}, await valuesFrom(gateway)), 'the alerting tries to tell it');
  lines = await countsFrom(gateway);
  scrapedAt = Date.now();
});
afterAll(() => gateway.stop());

describe('/metrics', () => {
  it('counts the leads by flow and state, as the engine lists them', async () => {
    // What was counted before is kept for a while, so the counts are asked of a gateway that has not counted yet.
    const fresh = await startGateway({ settings: sameInstallation(gateway), withoutWorker: true });
    try {
      const counted = await countsFrom(fresh);
      expect(valueOf('leadgate_leads', { flow: 'recruit', state: 'parked' }, counted)).toBe(1);
      expect(valueOf('leadgate_leads', { flow: 'no-prescreen', state: 'delivered' }, counted)).toBe(1);
      expect(valueOf('leadgate_leads', { flow: 'no-prescreen', state: 'failed' }, counted)).toBe(1);
      expect(valueOf('leadgate_leads', { flow: 'screening', state: 'parked' }, counted)).toBe(0);
      expect(valueOf('leadgate_oldest_open_lead_age_seconds', {}, counted)).toBeGreaterThan(0);
      expect(valueOf('leadgate_stuck_runs', {}, counted)).toBe(0);
      expect(valueOf('leadgate_engine_reachable', {}, counted)).toBe(1);
      expect(valueOf('leadgate_build_info', { version }, counted)).toBe(1);
      expect(valueOf('leadgate_worker_polling', {}, counted)).toBe(1);
    } finally {
      await fresh.stop();
    }
  });

  it('counts a redriven lead once, as the console does', async () => {
    const TEMPORAL_NAMESPACE = await ownNamespace(`metrics-${process.pid}`);
    const alone = await startGateway({ settings: { TEMPORAL_NAMESPACE, SYNC_WAIT_MS } });
    try {
      const failing = ['key-404', 'key-404', 'key-404'].map((word) => newLead('', { instanceName: `erg-oct.${word}` }));
      const [first, second] = await Promise.all(
        failing.map(async (lead) => (await alone.post(noPrescreen.path, lead)).body.leadId as string),
      );
      for (const [leadId, instanceName, state] of [
        [first, 'erg-oct', 'delivered'],
        [second, 'erg-oct.key-404', 'failed'],
        [second, 'erg-oct.key-404', 'failed'],
      ]) {
        expect((await alone.post(`/api/leads/${leadId}/redrive`, { reason: 'a test', fields: { instanceName } })).status).toBe(200);
        expect((await alone.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe(state);
      }
      const { counts } = (await alone.get('/api/leads/counts?flow=no-prescreen')).body;
      expect(counts).toMatchObject({ delivered: 1, failed: 2 });
      const told = await countsFrom(alone);
      expect(Object.keys(counts).map((state) => [state, valueOf('leadgate_leads', { flow: 'no-prescreen', state }, told)])).toEqual(
        Object.entries(counts),
      );
    } finally {
      await alone.stop();
    }
  });

  it('counts a redriven lead once if its run continued as new', async () => {
    const own = await startGateway({ settings: { SYNC_WAIT_MS } });
    try {
      await redrivenAfterContinuing(own);
      const ended = `TaskQueue = '${own.config.TASK_QUEUE}' AND LeadState IN ('delivered', 'failed')`;
      await until(async () => (await own.client.workflow.count(ended)).count === 2, 'the engine lists both attempts');
      const counted = await countsFrom(own);
      expect(['delivered', 'failed'].map((state) => valueOf('leadgate_leads', { flow: 'no-prescreen', state }, counted))).toEqual([1, 0]);
    } finally {
      await own.stop();
    }
  });

  it('records the latency of the upstreams by outcome', () => {
    const count = (upstream: string, outcome: string) => valueOf('leadgate_upstream_request_duration_seconds_count', { upstream, outcome });
    expect(count('V1', 'delivered')).toBe(1);
    expect(count('V2', 'refused')).toBe(1);
    expect(count('recruitment', 'unknown')).toBe(1);
  });

  it('has metrics of the worker and of the alerting', () => {
    expect(valueOf('leadgate_worker_running')).toBe(1);
    expect(valueOf('leadgate_worker_slots', { kind: 'workflow' })).toBe(100);
    expect(valueOf('leadgate_worker_tasks_in_flight', { kind: 'activity' })).toBeGreaterThanOrEqual(0);
    expect(valueOf('leadgate_alerts_last_look_timestamp_seconds')).toBeGreaterThan(scrapedAt / 1000 - 60);
    expect(valueOf('leadgate_alert_messages_total', { channel: 'webhook', arrived: 'false' })).toBeGreaterThan(0);
  });

  it('has a bounded number of lines', () => {
    expect(lines.filter(({ name }) => name.startsWith('leadgate_')).length).toBeLessThan(500);
    expect(JSON.stringify(lines)).not.toMatch(/@|Ann|erg-oct|555\D{0,2}201/);
  });
});

it('serves the metrics of a separate worker at its own address, and nothing else', async () => {
  const port = await freePort();
  expect(await serveMetrics({ WORKER_METRICS_PORT: 0, HOST: '127.0.0.1' }, new Registry())).toBeUndefined();
  const served = await serveMetrics({ WORKER_METRICS_PORT: port, HOST: '127.0.0.1' }, createWorkerMetrics().registry);
  try {
    const said = await (await fetch(served?.url ?? '')).text();
    expect(said).toMatch(
      /leadgate_worker_running 0[\s\S]*process_resident_memory_bytes|process_resident_memory_bytes[\s\S]*leadgate_worker_running 0/,
    );
    expect((await fetch(`http://127.0.0.1:${port}/other`)).status).toBe(404);
  } finally {
    await served?.close();
  }
});

const read = (path: string) => readFileSync(join(projectDir, path), 'utf8');

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const dashboard = JSON.parse(read('docs/grafana/leadgate.json')) as { panels: readonly Panel[] };
const panels = dashboard.panels.flatMap(({ title, targets }) => targets.map((target) => ({ from: `panel ${title}`, ...target })));
const rules = [...read('docs/prometheus/leadgate-rules.yml').matchAll(/- alert: (\w+)\n +expr: (.+)\n/g)].map(
  ([, name = '', expr = '']) => ({
    from: `rule ${name}`,
    expr,
    legendFormat: '',
  }),
);

/** Prometheus itself adds these to what it scrapes. */
const scrapeLabels = ['job', 'instance'];
const scrapeMetrics = ['up'];

function wrongNames(expr: string, legendFormat = ''): string[] {
  const { selectors: asked, grouped } = readExpression(expr.replaceAll('$__rate_interval', '5m'));
  const told = (metric: string) => lines.filter(({ name }) => name === metric);
  const has = (metric: string, label: string) => scrapeLabels.includes(label) || told(metric).some(({ labels }) => label in labels);
  const fits =
    (op: string, value: string) =>
    (said = '') =>
      op.includes('~') ? new RegExp(`^(?:${value})$`).test(said) : said === value;
  return [
    ...asked.flatMap(({ metric }) => (told(metric).length > 0 || scrapeMetrics.includes(metric) ? [] : [`no metric ${metric}`])),
    ...asked.flatMap(({ metric, matches }) =>
      matches.flatMap(({ label, op, value }) => {
        if (scrapeLabels.includes(label)) return [];
        if (!has(metric, label)) return [`${metric} has no label ${label}`];
        return told(metric).some(({ labels }) => fits(op, value)(labels[label])) ? [] : [`${metric} has no ${label} ${value}`];
      }),
    ),
    ...grouped.flatMap(({ label, metrics }) =>
      metrics.some((metric) => has(metric, label)) ? [] : [`${metrics.join()} have no label ${label}`],
    ),
    ...[...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].flatMap(([, label = '']) =>
      asked.some(({ metric }) => has(metric, label)) ? [] : [`no label ${label} for the legend`],
    ),
  ];
}

describe('the dashboard and the alert rules', () => {
  it('are there', () => expect([panels.length, rules.length]).toEqual([19, 15]));

  it.each([...panels, ...rules])('$from uses only existing metrics', ({ expr, legendFormat }) =>
    expect(wrongNames(expr, legendFormat)).toEqual([]),
  );

  it.each([
    ['sum(leadgate_lead)', 'no metric leadgate_lead'],
    ['rate(leadgate_http_requests_total{code="500"}[5m])', 'leadgate_http_requests_total has no label code'],
    ['leadgate_leads{state="park"} > 0', 'leadgate_leads has no state park'],
    ['sum by (site) (leadgate_leads)', 'leadgate_leads have no label site'],
    [
      'histogram_quantile(0.9, sum by (le) (rate(leadgate_upstream_request_duration_seconds[$__rate_interval])))',
      'no metric leadgate_upstream_request_duration_seconds',
    ],
  ])('would be seen to be wrong: %s', (expr, problem) => expect(wrongNames(expr)).toContain(problem));

  it('detects invalid PromQL', () => expect(() => wrongNames('sum(')).toThrow('Invalid PromQL'));
});
