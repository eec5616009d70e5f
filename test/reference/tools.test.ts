/** What workflow tools and people are given to run. */
import { execFile, spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { projectDir } from '../../src/config/config';
import { endpointTable } from '../../src/contract';
import { alertsIdOf } from '../../src/domain/alerts';
import { createDocs } from '../../tools/reference/docs';
import { openApi } from '../../tools/reference/openapi';
import { reference } from '../../tools/reference/written-files';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { ownNamespace } from '../support/namespace';
import { until } from '../support/until';
import { openUpstream, type UpstreamAnswer } from '../support/upstream';
import { callers, keyOf } from '../support/keys';

/** The files for workflow tools are what the contract says, and do what they are for; the n8n one in a real n8n: `npm run proofs -- n8n`. */
describe('files', () => {
  const collectionPath = 'docs/tools/leadgate.postman_collection.json';
  const workflowPath = 'docs/tools/n8n-lead.json';

  const written = reference();
  const generatedPaths = Object.keys(written).filter((path) => path.includes('/generated/'));

  it.each([collectionPath, workflowPath, ...generatedPaths])('%s is up to date; otherwise run npm run reference', (path) =>
    expect(readFileSync(join(projectDir, path), 'utf8') === written[path]).toBe(true),
  );

  interface Named {
    readonly key: string;
    readonly value: string;
    readonly disabled?: boolean;
  }

  interface Item {
    readonly id: string;
    readonly name: string;
    readonly request: {
      readonly method: string;
      readonly header: readonly Named[];
      readonly url: { readonly raw: string; readonly variable?: readonly Named[] };
      readonly body?: { readonly raw: string };
    };
  }

  describe('the Postman collection', () => {
    const folders = (JSON.parse(written[collectionPath] ?? '') as { item: { name: string; item: Item[] }[] }).item;
    const items = folders.flatMap(({ item }) => item);
    let gateway: Gateway;
    beforeAll(async () => {
      const board = { ALERT_BOARD: 'project-template/list-up-next' };
      gateway = await startGateway({ settings: { ...board, TEMPORAL_NAMESPACE: await ownNamespace(`tools-${process.pid}`) } });
      const { client, config } = gateway;
      await until(() => client.workflow.getHandle(alertsIdOf(config.TASK_QUEUE)).describe(), 'the alerting runs');
    });
    afterAll(() => gateway.stop());

    it('has every route, in the folder of its group', () => {
      for (const [name, { group }] of endpointTable)
        expect([name, folders.find(({ item }) => item.some(({ id }) => id === name))?.name]).toEqual([name, group]);
    });

    /** As Postman sends it with nothing changed: variables filled in, what is off left out. */
    async function send({ request: { method, header, url, body } }: Item) {
      const filled = (url.variable ?? []).reduce(
        (raw, { key, value }) => raw.replace(`:${key}`, encodeURIComponent(value.replace(/\{\{(\w+)\}\}/, '$1'))),
        url.raw,
      );
      const headers = header.flatMap(({ key, value, disabled }): [string, string][] =>
        disabled ? [] : [[key, value.replace('{{$guid}}', crypto.randomUUID())]],
      );
      const address = filled.replace('{{baseUrl}}', gateway.url);
      const response = await fetch(address, { method, headers: [...headers, ['x-gateway-key', '']], body: body?.raw, redirect: 'manual' });
      return { status: response.status, text: await response.text() };
    }

    /** This one answers only with a setting. */
    const isSet = ({ id }: Item) => id !== 'securityTxt';
    const needsLead = ({ request: { url } }: Item) => (url.variable ?? []).some(({ value }) => value.startsWith('{{'));

    it('has requests that are accepted unchanged, unless they need an existing lead', async () => {
      const answers = [];
      for (const item of items.filter((one) => !needsLead(one) && isSet(one))) answers.push({ ...(await send(item)), id: item.id });
      expect(answers.length).toBeGreaterThan(50);
      const refused = answers.filter(({ status }) => status !== 200 && status !== 202);
      expect(refused.map(({ id, status, text }) => [id, status, text.slice(0, 200)])).toEqual([]);
    });

    it('lacks only the lead in requests that need one', async () => {
      const answers = await Promise.all(items.filter(needsLead).map(async (item) => [item.id, (await send(item)).status]));
      expect(answers.length).toBeGreaterThan(5);
      expect(answers.filter(([, status]) => status !== 404)).toEqual([]);
    });
  });

  describe('the n8n workflow', () => {
    const { nodes, connections } = JSON.parse(written[workflowPath] ?? '') as {
      nodes: { id: string; name: string; type: string; parameters: object }[];
      connections: Record<string, { main: { node: string }[][] }>;
    };
    const names = nodes.map(({ name }) => name);

    it('connects all its nodes, and only existing ones', () => {
      const targets = Object.values(connections).flatMap(({ main }) => main.flat().map(({ node }) => node));
      expect(targets.filter((name) => !names.includes(name))).toEqual([]);
      const unreached = nodes.filter(({ name, type }) => !targets.includes(name) && !/webhook$|stickyNote$/.test(type));
      expect(unreached.map(({ name }) => name)).toEqual([]);
    });

    it('has unique names and ids, and refers only to existing nodes', () => {
      expect(new Set(names).size).toBe(nodes.length);
      expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
      const spoken = [...JSON.stringify(nodes).matchAll(/\$\('([^']+)'\)/g)].map(([, name]) => name);
      expect(spoken.length).toBeGreaterThan(3);
      expect(spoken.filter((name) => !names.includes(name ?? ''))).toEqual([]);
    });

    it('contains no secret and only the default address', () => {
      const text = JSON.stringify(nodes);
      expect(text).not.toMatch(/credentials|gatewayKey/);
      expect(new Set(text.match(/https?:\/\/[^/'"\\ ]+/g))).toEqual(new Set(['http://127.0.0.1:8080']));
    });
  });
});

/** What docs/tools tells people to type does what it says. */
describe('pages', () => {
  const page = (name: string) => readFileSync(join(projectDir, 'docs/tools', name), 'utf8');
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-tools-'));
  const eventsKey = Buffer.alloc(32, 8);
  const EVENTS_WEBHOOK_SECRET = `whsec_${eventsKey.toString('base64')}`;
  let gateway: Gateway;
  /** Answers 202 soon. */
  let hasty: Gateway;
  beforeAll(async () => {
    const TEMPORAL_NAMESPACE = await ownNamespace(`pages-${process.pid}`);
    gateway = await startGateway({ settings: { TEMPORAL_NAMESPACE, EVENTS_HOSTS: '127.0.0.1', EVENTS_WEBHOOK_SECRET } });
    hasty = await startGateway({ settings: { SYNC_WAIT_MS: '300' } });
  });
  afterAll(async () => {
    await gateway.stop();
    await hasty.stop();
    rmSync(dir, { recursive: true });
  });

  const usualUrl = 'http://127.0.0.1:8080';

  interface Ran {
    readonly status: number;
    readonly out: string;
    readonly told: string;
  }

  function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    return new Promise((done, refuse) => {
      const child = execFile(command, args, { cwd: dir, env: { ...process.env, ...env }, timeout: 50_000 }, (_error, out, told) =>
        child.exitCode === null ? refuse(new Error(`${command} did not end: ${told}`)) : done({ status: child.exitCode, out, told }),
      );
    });
  }

  const blocks = (text: string) => [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block ?? '');
  const sendsOf = async (email: string, at = gateway) =>
    (await at.sandbox()).requests.filter(({ call, body }) => call === 'v1' && body.includes(encodeURIComponent(email))).length;

  /** They belong to the machine and not to the project: what is not there is not tried. */
  const has = (...commands: string[]) => commands.every((command) => spawnSync(command, ['--version']).status === 0);
  const withShell = has('bash', 'curl') ? it : it.skip;
  const withPython = has('python3') ? describe : describe.skip;

  withShell('the commands of curl.md give the statuses that stand behind them', async () => {
    const script = blocks(page('curl.md')).join('');
    const { status, out, told } = await run('bash', ['--norc', '-euc', script.replaceAll(usualUrl, gateway.url)]);
    expect([status, told]).toEqual([0, '']);
    const promised = [...script.matchAll(/# status (\d+)/g)].map(([, code]) => code);
    expect([...out.matchAll(/^status (\d+)$/gm)].map(([, code]) => code)).toEqual(promised);
    expect(promised.length).toBeGreaterThan(6);
    expect(await sendsOf('cora.ray@example.org')).toBe(1);
    expect(out).toContain('"state":"delivered"');
  });

  withPython('send_lead.py', () => {
    const program = join(projectDir, 'docs/tools/send_lead.py');
    let orders = 0;

    async function send(lead: object, order = `order-${process.pid}-${++orders}`, env = {}) {
      const file = join(dir, `${order}.json`);
      writeFileSync(file, JSON.stringify(lead));
      const ran = await run('python3', [program, order, file], { LEADGATE_URL: gateway.url, ...env });
      return { ...ran, answer: JSON.parse(ran.out || '{}') as Record<string, unknown> };
    }

    it('sends a lead, and a repeat is the same lead', async () => {
      const lead = newLead();
      const first = await send(lead, 'order-x');
      const again = await send(lead, 'order-x');
      expect(first).toMatchObject({ status: 0, answer: { rtResponse: { status: 0 } } });
      expect(again.answer).toEqual(first.answer);
      expect(await sendsOf(lead.email)).toBe(1);
    });

    it('waits for a lead that takes longer', async () => {
      const delivered = { state: 'delivered', result: { rtResponse: { status: 0 } } };
      const lead = newLead('v1-slow-1500');
      expect(await send(lead, undefined, { LEADGATE_URL: hasty.url })).toMatchObject({ status: 0, answer: delivered });
      expect(await sendsOf(lead.email, hasty)).toBe(1);
    });

    it('reports invalid fields', async () => {
      const { status, told } = await send(newLead('', { dob: '02/30/1980' }));
      expect([status, told]).toEqual([1, expect.stringMatching(/^dob: must be a real date/)]);
    });

    it('reports a rejected lead, and sends it once', async () => {
      const lead = newLead('v1-refused');
      expect(await send(lead)).toMatchObject({ status: 1, answer: { error: { code: 'UPSTREAM_REJECTED' } } });
      expect(await sendsOf(lead.email)).toBe(1);
    });

    it('reports a parked lead with the URL for the decision', async () => {
      const { status, told, answer } = await send(newLead('comment-422'));
      expect([status, told.trim()]).toEqual([2, `look here: ${gateway.url}/console#/leads/${String(answer.leadId)}`]);
    });

    /** What the program says to these answers, and the keys of its requests. */
    async function answered(...answers: UpstreamAnswer[]) {
      const upstream = await openUpstream();
      answers.forEach(upstream.answerWith);
      const { status, told } = await send(newLead(), undefined, { LEADGATE_URL: upstream.url, GIVE_UP_AFTER_S: '20' });
      await upstream.close();
      return { status, told, asked: upstream.received.map(({ method, headers }) => [method, headers['idempotency-key'] !== undefined]) };
    }
    const post = ['POST', true];
    const done = { body: { success: true } };
    const html = (status: number, headers = {}) => ({ status, headers: { 'content-type': 'text/html', ...headers }, body: '<h1>!</h1>' });
    const error = (status: number, code: string, more = {}) => ({
      status,
      headers: { 'retry-after': '1' },
      body: { success: false, message: '!', error: { code, retryable: status === 429 }, ...more },
    });

    it.each([
      ['sends again what a proxy answered for the gateway', [html(502), done], { status: 0, asked: [post, post] }],
      [
        'sends again what was not started when the engine stopped answering',
        [error(502, 'OUTCOME_UNKNOWN', { leadId: 'p1' }), error(404, 'NOT_FOUND'), done],
        { status: 0, asked: [post, ['GET', false], post] },
      ],
      ['waits when too much comes in', [error(429, 'RATE_LIMITED'), done], { status: 0, told: '429: again in 1 s\n', asked: [post, post] }],
      ['takes no other server for Leadgate', [html(200)], { status: 3, asked: [post] }],
      ['follows no redirect', [html(302, { location: '/elsewhere' })], { status: 3, asked: [post] }],
      ['says that a setting is missing, and sends nothing again', [error(503, 'CONFIG_ERROR')], { status: 1, asked: [post] }],
    ])('%s', async (_name, answers, expected) => expect(await answered(...answers)).toMatchObject(expected));

    it('stops in the end if nobody answers', async () => {
      const { status, told } = await send(newLead(), 'order-y', { LEADGATE_URL: 'http://127.0.0.1:9', GIVE_UP_AFTER_S: '1' });
      expect([status, told]).toEqual([3, expect.stringContaining('no answer')]);
    });
  });

  withPython('receive_events.py', () => {
    const program = join(projectDir, 'docs/tools/receive_events.py');
    let receiver: ChildProcessByStdio<null, Readable, Readable>;
    let url = '';
    let printed = '';

    beforeAll(async () => {
      receiver = spawn('python3', [program, '0'], { env: { ...process.env, EVENTS_WEBHOOK_SECRET }, stdio: ['ignore', 'pipe', 'pipe'] });
      receiver.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
      const [said] = (await once(receiver.stderr, 'data')) as [Buffer];
      url = said.toString().trim().replace('listens on ', '');
    });
    afterAll(() => void receiver?.kill());

    it('prints each event of a lead once, even if it is sent again', async () => {
      const { headers } = await gateway.post('/api/clinicsys/no-prescreen', newLead(), { 'x-callback-url': url });
      const leadId = headers.get('x-lead-id');
      const deliveries = async () =>
        (await gateway.get(`/api/leads/${leadId}/events`)).body.events.flatMap((event: { deliveries: object[] }) => event.deliveries);
      const taken = { state: 'told', answer: 'answered 204' };
      const isTold = async () => expect(await deliveries()).toMatchObject([taken, taken]) ?? true;
      await until(isTold, 'both are taken');
      await gateway.post(`/api/leads/${leadId}/events`, {});
      await until(isTold, 'both are taken again');
      const events = () =>
        printed
          .trim()
          .split('\n')
          .map((event) => JSON.parse(event))
          .filter(({ data }) => data?.leadId === leadId);
      await until(() => events().length > 1, 'both are printed');
      expect(events()).toMatchObject([
        { type: 'lead.accepted', data: { leadId } },
        { type: 'lead.delivered', data: { leadId } },
      ]);
    });

    it.each([
      ['a foreign signature', Buffer.alloc(32, 1), 0, 401],
      ['an old one', eventsKey, -600, 401],
      ['one from the future', eventsKey, 600, 401],
      ['a good one', eventsKey, 0, 204],
    ])('answers %s with its status', async (_what, signedBy, lateS, expected) => {
      const id = `of-${lateS}-${expected}`;
      const sentAt = String(Math.floor(Date.now() / 1000) + lateS);
      const body = '{"type":"lead.accepted"}';
      const signature = createHmac('sha256', signedBy).update(`${id}.${sentAt}.${body}`).digest('base64');
      const headers = { 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': `v2,other v1,${signature}` };
      expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(expected);
    });
  });
});

/** The requests in the reference run as they stand. */
describe('samples', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ settings: { GATEWAY_API_KEYS: callers('all:leads+board+operator') } });
  });
  afterAll(() => gateway.stop());

  const docs = createDocs(openApi('1.2.3'), true);
  const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

  function sampleOf(page: string, id: string, language: string): string {
    const html = docs.page(page, gateway.url) ?? '';
    const [, article = ''] = html.split(`<article id="${id}"`);
    const [, sample = ''] = new RegExp(`<div class="block ${language}"><pre>([^<]+)</pre>`).exec(article) ?? [];
    return sample.replaceAll(/&(#?\w+);/g, (_, name: string) => characters[name] ?? '').replace('YOUR_KEY', keyOf('all'));
  }

  const run = (command: string, args: readonly string[]): Promise<string> =>
    new Promise((done, refuse) => {
      execFile(command, args, { timeout: 50_000 }, (error, out) => (error ? refuse(error) : done(out)));
    });

  /** Runs a sample; what it prints holds the status and the answer. */
  const runs: Readonly<Record<string, (sample: string) => Promise<string>>> = {
    curl: (sample) => run('bash', ['-c', `${sample} -w ' %{http_code}'`]),
    javascript: (sample) => run(process.execPath, ['--input-type=module', '-e', sample]),
    python: (sample) => run('python3', ['-c', sample]),
  };

  /** They belong to the machine: a test of one that is not there is skipped. */
  const commands: Readonly<Record<string, string>> = { curl: 'curl', javascript: process.execPath, python: 'python3' };
  const has = (language: string) => spawnSync(commands[language] ?? '', ['--version']).status === 0;

  const cases = [
    ['site-system', 'noPrescreen', '200', '"rtV2Response"'],
    ['task-board', 'listProjects', '200', '"projects"'],
    ['leads', 'getLead', '404', 'NOT_FOUND'],
    ['leads', 'startRedrive', '200', '"count"'],
  ] as const;

  describe.each(Object.keys(runs))('in %s', (language) => {
    (has(language) ? it : it.skip).each(cases)('%s, %s: %s', async (page, id, status, words) => {
      const out = (await runs[language]?.(sampleOf(page, id, language))) ?? '';
      expect(out).toMatch(new RegExp(`\\b${status}\\b`));
      expect(out).toContain(words);
    });
  });
});
