/** The Temporal UI shows runs and changes none. Only its own pages on this machine may ask it, and no page reaches the engine around it. */
import { Client, Connection } from '@temporalio/client';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { startEngine, type EmbeddedEngine } from '../../src/engine/start';
import { askAs, askRaw, statusesIn, type RawRequest } from '../support/ask-as';
import { testEngine } from '../support/engine';
import { until } from '../support/until';
import { enginesWith } from './processes';

const runs = '/api/v1/namespaces/default/workflows';
let engine: EmbeddedEngine;
let connection: Connection;
let client: Client;
let port: string;

beforeAll(async () => {
  const config = { TEMPORAL_PORT: 0, TEMPORAL_UI_PORT: 0, LEADGATE_DATA_DIR: '' };
  engine = await startEngine(config, { isInMemory: true, executable: testEngine().executable, codecEndpoint: 'http://127.0.0.1:1' });
  connection = await Connection.connect({ address: engine.address });
  client = new Client({ connection });
  port = new URL(engine.uiUrl ?? '').port;
  await until(async () => (await ask('/api/v1/namespaces')).status === 200, 'the UI has found its engine');
});
afterAll(async () => {
  await connection.close();
  await engine.stop();
});

const ask = (path: string, asked: RawRequest = {}) => askAs(engine.uiUrl ?? '', path, asked);

/** As the UI's own page asks for a change: with the token of its cookie. */
async function post(path: string, headers: Record<string, string> = {}) {
  const cookie = /_csrf=([^;]+)/.exec(String((await ask('/')).headers['set-cookie']))?.[1] ?? '';
  return ask(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: `_csrf=${cookie}`, 'x-csrf-token': cookie, ...headers },
    body: '{}',
  });
}

const statusOf = async (workflowId: string) => (await client.workflow.getHandle(workflowId).describe()).status.name;

it('shows runs to its own pages, with each host name of this machine', async () => {
  for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
    const { workflowId } = await client.workflow.start('any', { workflowId: `run-${name}`, taskQueue: 'none' });
    const headers = { host: `${name}:${port}`, origin: `http://${name}:${port}` };
    const page = await ask('/namespaces/default/workflows', { headers: { host: headers.host } });
    expect([page.status, page.body]).toEqual([200, expect.stringContaining('<html')]);
    expect(JSON.parse((await ask(`${runs}/${workflowId}`, { headers })).body)).toMatchObject({
      workflowExecutionInfo: { execution: { workflowId } },
    });
    expect(JSON.parse((await ask('/api/v1/settings', { headers })).body)).toMatchObject({ Codec: { Endpoint: 'http://127.0.0.1:1' } });
    // The engine answers: it does not know this run.
    expect((await post(`${runs}/none/query/__stack_trace`, headers)).status).toBe(404);
  }
});

it.each(['terminate', 'cancel', 'reset', 'signal/any', 'update/any', 'query/any/terminate'])(
  'changes no run by %s, not even for its own page, because that is not on the audit trail',
  async (change) => {
    const { workflowId } = await client.workflow.start('any', { taskQueue: 'none', workflowId: `kept-${Math.random()}` });
    expect((await post(`${runs}/${workflowId}/${change}`)).status).toBe(403);
    const { historyLength, status } = await client.workflow.getHandle(workflowId).describe();
    expect([status.name, historyLength]).toEqual(['RUNNING', 2]);
  },
);

it('starts no run and ends none in a batch, and its page offers neither', async () => {
  expect((await post(`${runs}/new`)).status).toBe(403);
  expect((await post('/api/v1/namespaces/default/batch-operations/all')).status).toBe(403);
  // As a browser asks for the page.
  const settings = await ask('/api/v1/settings?', { headers: { 'accept-encoding': 'gzip' } });
  expect(JSON.parse(settings.body)).toMatchObject({ DisableWriteActions: true });
});

it.each([
  ['a page whose name was pointed here', { host: 'evil.example:8233', origin: 'http://evil.example:8233' }],
  ['a name that was pointed here, without an Origin', { host: 'evil.example' }],
  ['a page of another origin', { origin: 'https://evil.example' }],
  ['a page of another port of this machine', { origin: 'http://127.0.0.1:1' }],
  ['a page without an origin of its own', { origin: 'null' }],
])('%s is refused', async (_, headers) => {
  const { workflowId } = await client.workflow.start('any', { taskQueue: 'none', workflowId: `kept-${Math.random()}` });
  for (const path of ['/', '/api/v1/settings', runs, `${runs}/${workflowId}`]) {
    const answer = await ask(path, { headers });
    expect([path, answer.status, answer.headers['set-cookie']]).toEqual([path, 403, undefined]);
  }
  expect((await post(`${runs}/${workflowId}/terminate`, headers)).status).toBe(403);
  expect(await statusOf(workflowId)).toBe('RUNNING');
});

describe('a request that hides another one behind it', () => {
  const closes = 'Connection: close\r\n';

  /** The change to hide, as the UI's own page would ask for it. */
  async function hidden(workflowId: string): Promise<string> {
    const token = /_csrf=([^;]+)/.exec(String((await ask('/')).headers['set-cookie']))?.[1] ?? '';
    const body = JSON.stringify({ namespace: 'default', workflowExecution: { workflowId } });
    const head = [
      `POST ${runs}/${workflowId}/terminate HTTP/1.1`,
      ...['Host: x', 'Content-Type: application/json', `Cookie: _csrf=${token}`, `X-CSRF-Token: ${token}`],
      `Content-Length: ${body.length}`,
    ];
    return `${head.join('\r\n')}\r\n\r\n${body}`;
  }
  const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

  it.each<[string, (change: string) => string]>([
    ['a chunked GET', (change) => `GET / HTTP/1.1\r\nHost: HERE\r\n${closes}Transfer-Encoding: chunked\r\n\r\n${chunked(change)}`],
    ['a chunked HEAD', (change) => `HEAD / HTTP/1.1\r\nHost: HERE\r\n${closes}Transfer-Encoding: chunked\r\n\r\n${chunked(change)}`],
    ['a GET with a length', (change) => `GET / HTTP/1.1\r\nHost: HERE\r\n${closes}Content-Length: ${change.length}\r\n\r\n${change}`],
    [
      'a GET whose Connection header names its length',
      (change) => `GET / HTTP/1.1\r\nHost: HERE\r\nConnection: close, content-length\r\nContent-Length: ${change.length}\r\n\r\n${change}`,
    ],
    [
      'a GET with two lengths',
      (change) => `GET / HTTP/1.1\r\nHost: HERE\r\n${closes}Content-Length: 0\r\nContent-Length: ${change.length}\r\n\r\n${change}`,
    ],
    [
      'a GET with a length and chunks',
      (change) => `GET / HTTP/1.1\r\nHost: HERE\r\n${closes}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(change)}`,
    ],
    ['a GET that is upgraded', (change) => `GET / HTTP/1.1\r\nHost: HERE\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n${change}`],
    ['a tunnel', (change) => `CONNECT HERE HTTP/1.1\r\nHost: HERE\r\n\r\n${change}`],
    [
      'a query whose Connection header names its length',
      (change) =>
        `POST ${runs}/none/query/report HTTP/1.1\r\nHost: HERE\r\nConnection: close, content-length\r\nContent-Length: ${change.length}\r\n\r\n${change}`,
    ],
  ])('%s cannot end a run', async (_name, written) => {
    const { workflowId } = await client.workflow.start('any', { taskQueue: 'none', workflowId: `kept-${Math.random()}` });
    const bytes = written(await hidden(workflowId)).replaceAll('HERE', `127.0.0.1:${port}`);
    const answered = await askRaw(engine.uiUrl ?? '', bytes);
    // What was passed on would wait in a connection that the next requests use.
    for (const _ of [1, 2, 3]) await ask('/api/v1/namespaces');
    expect(await statusOf(workflowId)).toBe('RUNNING');
    expect(statusesIn(answered).filter((status) => status < 300)).toEqual([]);
  });
});

it.each([
  ['a whole address', `GET http://evil.example/api/v1/settings HTTP/1.1\r\nHost: HERE\r\nConnection: close\r\n\r\n`],
  ['two Hosts', `GET / HTTP/1.1\r\nHost: HERE\r\nHost: evil.example\r\nConnection: close\r\n\r\n`],
  [
    'a query that climbs out of its path',
    `POST ${runs}/x/query/.. HTTP/1.1\r\nHost: HERE\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
  ],
  [
    'a query with a hidden slash',
    `POST ${runs}/x/query/a%2f..%2f..%2fterminate HTTP/1.1\r\nHost: HERE\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
  ],
  [
    'a run that climbs out of its path',
    `POST ${runs}/../workflows/x/query/a HTTP/1.1\r\nHost: HERE\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
  ],
])('refuses a request with %s', async (_name, written) => {
  const answered = await askRaw(engine.uiUrl ?? '', written.replaceAll('HERE', `127.0.0.1:${port}`));
  expect([[400], [403]]).toContainEqual(statusesIn(answered));
});

it('forwards only the headers that the pages need', async () => {
  // The UI would answer another method than the one that was allowed here.
  const headers = { 'x-http-method-override': 'PUT', 'content-type': 'application/x-www-form-urlencoded' };
  expect((await post(`${runs}/none/query/__stack_trace`, headers)).status).toBe(404);
  expect((await ask('/api/v1/namespaces', { headers: { range: 'bytes=0-1', expect: '100-continue' } })).status).toBe(200);
});

/** Addresses that a process listens at, as the kernel writes them: address and port in hex. */
function listening(pid: number): { host: string; port: number }[] {
  const sockets = readdirSync(`/proc/${pid}/fd`).map((fd) => /socket:\[(\d+)\]/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1]);
  const rows = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').trim().split('\n').slice(1);
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.includes(inode))
    .map(([, address = '']) => {
      const bytes = Buffer.from(address.slice(0, 8), 'hex').toReversed();
      return { host: bytes.join('.'), port: Number.parseInt(address.slice(9), 16) };
    });
}

(process.platform === 'linux' ? it : it.skip)(
  'no port at 127.0.0.1 answers for the engine: its own UI listens where a page cannot guess it',
  async () => {
    const [own] = enginesWith(`--port ${new URL(`http://${engine.address}`).port} `);
    const open = listening(own?.pid ?? 0);
    const answers = await Promise.all(
      open.map(async ({ host, port: at }) => {
        const asked = askAs(`http://${host}:${at}`, '/api/v1/namespaces', { headers: { host: `evil.example:${at}` } });
        return { host, status: await asked.then(({ status }) => status).catch(() => 'no HTTP') };
      }),
    );
    expect(answers.filter(({ status }) => status === 200).map(({ host }) => host)).toEqual([expect.not.stringMatching(/^127\.0\.0\.1$/)]);
  },
);
