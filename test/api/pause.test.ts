/** A person pauses an upstream: none of its leads is sent until a person resumes it, and then each is sent once. */
import { WithStartWorkflowOperation } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { endpoints } from '../../src/contract';
import { pausesId, pausesIn, type PauseChange, type PauseResult } from '../../src/domain/pauses';
import { noPauses, type PausesState } from '../../src/domain/pauses';
import { stopsAfterAll } from '../support/concurrent';
import { newLead, startGateway, type GatewayOptions } from '../support/gateway';
import { openUpstream } from '../support/upstream';
import { until } from '../support/until';
import { callers, keyOf } from '../support/keys';

const { sendPatient } = endpoints;
const pause = '/api/upstreams/pause';
const resume = '/api/upstreams/resume';
const asOperator = { authorization: `Bearer ${keyOf('ops')}` };
const later = { status: 429, body: { error: 'busy' }, headers: { 'retry-after': '300' } };

const stops = stopsAfterAll();
// Packages load some modules with their first call. Jest lets nothing load while concurrent tests run.
beforeAll(async () => {
  const { delivered, post, accept, ask } = await start();
  accept(1);
  await delivered([await post()]);
  await ask(resume, { upstream: 'V1' });
});

/** A gateway of the test's own, and its screening platform. */
async function start(settings = {}, options: GatewayOptions = {}) {
  const screening = await openUpstream();
  stops.push(screening.close);
  const gateway = await startGateway({
    settings: { SCREENING_URL: screening.url, SCREENING_API_KEY: 'mine', GATEWAY_API_KEYS: callers('ops:leads+operator'), ...settings },
    ...options,
  });
  stops.push(gateway.stop);

  const ask = async (path: string, asked: object, headers = {}) =>
    gateway.post(path, { reason: 'its database moves', ...asked }, { ...asOperator, ...headers });
  const get = async (path: string) => (await gateway.get(path, asOperator)).body;
  const accept = (count: number) => {
    for (let id = 0; id < count; id++) screening.answerWith({ body: { success: true, id } });
  };
  async function post(): Promise<string> {
    const lead = { ...sendPatient.example, email: newLead().email };
    return (await gateway.post(sendPatient.path, lead, { ...asOperator, prefer: 'respond-async' })).body.leadId;
  }
  const postMany = (count: number) => Promise.all(Array.from({ length: count }, post));
  const read = (leadId: string) => get(`/api/leads/${leadId}`);
  const waits = (leadIds: readonly string[], what: string) =>
    until(async () => (await Promise.all(leadIds.map(read))).every(({ waitsFor }) => waitsFor?.what === what), `they wait for a ${what}`);
  const delivered = async (leadIds: readonly string[]) => {
    for (const leadId of leadIds) expect((await get(`/api/leads/${leadId}?wait=60`)).state).toBe('delivered');
  };
  const row = async (upstream: string, instance?: string) =>
    (await get('/api/upstreams')).upstreams.find(
      (each: Record<string, unknown>) => each.upstream === upstream && each.instance === instance,
    );
  const metric = async (state: string) =>
    new RegExp(`^leadgate_upstreams_${state}\\{upstream="screening"\\} (\\d+)$`, 'm').exec(String(await get('/metrics')))?.[1];
  return { gateway, screening, ask, get, accept, post, postMany, read, waits, delivered, row, metric };
}

it.concurrent('sends no lead during a pause and each once after it, over a restart of the worker', async () => {
  const { gateway, screening, ask, get, accept, post, postMany, read, waits, delivered, row } = await start({}, { withoutWorker: true });
  const stopWorker = await gateway.startWorker();
  accept(1);
  // The worker has just read that nothing is paused.
  await delivered([await post()]);
  expect(await ask(pause, { upstream: 'screening' })).toMatchObject({ status: 200, body: { upstream: 'screening', state: 'paused' } });
  const leads = await postMany(6);
  await waits(leads, 'pause');
  expect(await read(leads[0] ?? '')).toMatchObject({
    state: 'waiting',
    waitsFor: { words: 'Waits: screening is paused by ops', upstream: 'screening' },
    steps: [{ attempts: 0, error: { code: 'UPSTREAM_PAUSED', upstream: 'screening' } }],
  });
  await until(async () => (await row('screening')).waiting === 6, 'all stand in the line');
  expect(await row('screening')).toMatchObject({ state: 'paused', by: 'ops', reason: 'its database moves', since: expect.any(String) });

  await stopWorker();
  expect(await row('screening')).not.toHaveProperty('waiting');
  await gateway.startWorker();
  leads.push(await post());
  await waits(leads, 'pause');
  expect(screening.received).toHaveLength(1);

  accept(7);
  expect(await ask(resume, { upstream: 'screening' })).toMatchObject({ status: 200, body: { upstream: 'screening', state: 'resumed' } });
  await delivered(leads);
  expect(screening.received).toHaveLength(8);
  expect(new Set(screening.received.map(({ body }) => body.email)).size).toBe(8);
  await until(async () => (await row('screening')).state === 'open', 'it is open');
  const { entries } = await get('/api/audit');
  const said = entries.map(({ who, action, outcome, upstream }: Record<string, string>) => [who, action, outcome, upstream]);
  for (const action of ['pause upstream', 'resume upstream'])
    for (const outcome of ['asked', 'done']) expect(said).toContainEqual(['ops', action, outcome, 'screening']);
});

it.concurrent('keeps every waiting lead of a held upstream during a pause, and allows no try', async () => {
  const { screening, ask, accept, postMany, waits, delivered, row, metric } = await start();
  for (let sent = 0; sent < 3; sent++) screening.answerWith(later);
  const first = await postMany(3);
  await waits(first, 'retry');
  const held = await postMany(2);
  await waits(held, 'hold');
  await ask(pause, { upstream: 'screening' });
  await waits(held, 'pause');
  await until(async () => {
    const { state, waiting } = await row('screening');
    return state === 'paused' && waiting === 2;
  }, 'both stand in the line of the pause');
  await until(async () => (await metric('paused')) === '1' && (await metric('held')) === '0', 'the metrics count a pause, and no hold');
  expect(await ask(`/api/leads/${held[0]}/try`, {})).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('screening is paused by ops'), error: { code: 'WRONG_STATE' } },
  });
  // A lead that waited for its own retry meets the pause.
  await ask(`/api/leads/${first[0]}/try`, {});
  await waits([first[0] ?? ''], 'pause');
  expect(screening.received).toHaveLength(3);

  accept(5);
  await ask(resume, { upstream: 'screening' });
  await delivered([...held, first[0] ?? '']);
  for (const leadId of first.slice(1)) await ask(`/api/leads/${leadId}/try`, {});
  await delivered(first);
  expect(screening.received).toHaveLength(8);
  expect(new Set(screening.received.slice(3).map(({ body }) => body.email)).size).toBe(5);
});

it.concurrent('pauses one instance or a whole upstream, but no calls', async () => {
  const { gateway, ask, waits, delivered } = await start();
  const send = async (instanceName: string) =>
    (await gateway.post('/api/clinicsys/no-prescreen', newLead('', { instanceName }), { ...asOperator, prefer: 'respond-async' })).body
      .leadId;
  await ask(pause, { upstream: 'V1', instance: 'ERG/erg-oct.v1-paused' });
  const [one, other] = [await send('erg-oct.v1-paused'), await send('erg-oct')];
  await delivered([other]);
  await waits([one], 'pause');
  await ask(pause, { upstream: 'V2' });
  const third = await send('erg-oct');
  await waits([third], 'pause');
  const subjects = await gateway.post('/api/clinicsys/toolkit/get-sites', { instanceName: 'erg-oct' }, asOperator);
  expect(subjects.status).toBe(200);
  await ask(resume, { upstream: 'V2' });
  await ask(resume, { upstream: 'V1', instance: 'ERG/erg-oct.v1-paused' });
  await delivered([one, third]);
});

it.concurrent('tells the caller that a lead waits for the resume', async () => {
  const { gateway, ask, waits } = await start();
  await ask(pause, { upstream: 'screening' });
  const lead = { ...sendPatient.example, email: newLead().email };
  const sendIt = async () => gateway.post(sendPatient.path, lead, { ...asOperator, prefer: 'respond-async' });
  const { leadId } = (await sendIt()).body;
  await waits([leadId], 'pause');
  // While no worker of a busy machine answers, the engine tells the state alone.
  const told = await until(async () => {
    const { status, body } = await sendIt();
    expect([status, body.leadId, body.state]).toEqual([202, leadId, 'waiting']);
    return String(body.message).includes('an operator has paused') && body;
  }, 'the pause is told');
  expect(told.message).toMatch(/an operator has paused its upstream\. It is sent after the resume/);
});

it.concurrent('holds an upstream that still fails after the resume', async () => {
  const { screening, ask, postMany, waits, row } = await start();
  await ask(pause, { upstream: 'screening' });
  const leads = await postMany(8);
  await waits(leads, 'pause');
  for (let sent = 0; sent < 40; sent++) screening.answerWith(later);
  await ask(resume, { upstream: 'screening' });
  await until(async () => ['held', 'probing'].includes((await row('screening')).state), 'it is held');
  expect(screening.received.length).toBeLessThan(8);
});

it.concurrent('parks a lead unsent with the reason if its time is up during a pause', async () => {
  const { screening, ask, get, post } = await start({ LEAD_TTL_H: '0.001' });
  await ask(pause, { upstream: 'screening' });
  const leadId = await post();
  const parked = await get(`/api/leads/${leadId}?wait=60`);
  expect(parked).toMatchObject({ state: 'parked', steps: [{ state: 'parked', error: { code: 'UPSTREAM_PAUSED' } }] });
  expect(screening.received).toHaveLength(0);
});

it.concurrent('carries out an order once, and rejects an invalid one', async () => {
  const { gateway, ask, row } = await start({ GATEWAY_API_KEYS: callers('ops:leads+operator', 'sender:leads') });
  const wrong = (asked: object) => ask(pause, asked);
  expect((await wrong({ upstream: 'V1', instance: 'erg-oct' })).body.error.details).toMatchObject([{ field: 'instance' }]);
  expect((await wrong({ upstream: 'task-board' })).body.error.details).toMatchObject([{ field: 'upstream' }]);
  expect((await wrong({ upstream: 'V1', reason: '' })).body.error.details).toMatchObject([{ field: 'reason' }]);
  expect((await gateway.post(pause, { upstream: 'V1', reason: 'mine' }, { authorization: `Bearer ${keyOf('sender')}` })).status).toBe(403);
  expect((await ask(resume, { upstream: 'V1' })).body).toMatchObject({ message: 'V1 is not paused', error: { code: 'WRONG_STATE' } });

  const key = { 'idempotency-key': 'once' };
  expect((await ask(pause, { upstream: 'V1' }, key)).headers.get('idempotency-replayed')).toBeNull();
  const again = await ask(pause, { upstream: 'V1' }, key);
  expect([again.status, again.headers.get('idempotency-replayed'), again.body.state]).toEqual([200, 'true', 'paused']);
  expect((await ask(pause, { upstream: 'V2' }, key)).body.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
  expect((await row('V2')).state).toBe('open');
  expect((await ask(pause, { upstream: 'V1' })).body.message).toMatch(/^V1 is already paused by ops, since /);
  await ask(resume, { upstream: 'V1' });
  expect((await ask(pause, { upstream: 'V1' }, key)).status).toBe(200);
  expect((await row('V1')).state).toBe('open');
});

it.concurrent('warns of a mistyped name if no lead was sent to a paused instance', async () => {
  const { gateway, ask, get } = await start();
  const paused = async (instance?: string) => (await ask(pause, { upstream: 'V1', instance })).body;
  expect(await paused('ERG/erg-otc')).toMatchObject({
    state: 'paused',
    warning: expect.stringMatching(/sent to ERG\/erg-otc: check its name/),
  });
  const lead = newLead('', { instanceName: 'erg-oct' });
  await gateway.post('/api/clinicsys/no-prescreen', lead, asOperator);
  await until(async () => (await get('/api/leads?instanceName=erg-oct')).count === 1, 'the lead is listed');
  expect((await paused('ERG/erg-oct')).warning).toBeUndefined();
  expect((await paused()).warning).toBeUndefined();
});

it.concurrent('lists past pauses and resumes with names and reasons', async () => {
  const { ask, get, row } = await start();
  const changes = async () => (await get('/api/upstreams')).changes;
  expect(await changes()).toEqual([]);
  const instance = 'ERG/erg-oct';
  await ask(pause, { upstream: 'V1', instance, reason: 'an update' });
  await ask(pause, { upstream: 'screening', reason: 'it moves' });
  await ask(resume, { upstream: 'V1', instance, reason: 'it is updated' });
  await ask(resume, { upstream: 'screening', reason: 'it has moved' });
  const at = expect.any(String);
  const all = [
    { at, verb: 'resume', upstream: 'screening', by: 'ops', reason: 'it has moved' },
    { at, verb: 'resume', upstream: 'V1', instance, by: 'ops', reason: 'it is updated' },
    { at, verb: 'pause', upstream: 'screening', by: 'ops', reason: 'it moves' },
    { at, verb: 'pause', upstream: 'V1', instance, by: 'ops', reason: 'an update' },
  ];
  expect(await changes()).toEqual(all);
  expect(await row('V1')).toMatchObject({ state: 'open' });
  expect((await ask(pause, { upstream: 'V1', reason: 'long '.repeat(101) })).body.error.details).toMatchObject([{ field: 'reason' }]);
  expect((await ask(resume, { upstream: 'V1' })).status).toBe(409);
  expect(await changes()).toEqual(all);
});

it.concurrent('lists every upstream and the task board, and for which of them the sandbox stands in', async () => {
  const { get } = await start({}, { withoutWorker: true });
  const { upstreams } = await get('/api/upstreams');
  const told = Object.fromEntries(upstreams.map(({ upstream, sandbox }: Record<string, unknown>) => [upstream, sandbox === true]));
  expect(told).toMatchObject({ screening: false, V1: true, 'task-board': true });
});

it.concurrent('keeps a pause that arrives while another order is being answered', async () => {
  const { gateway } = await start();
  const { client, config } = gateway;
  const place = { workflowId: `${pausesId(config.TASK_QUEUE)}:last`, taskQueue: config.TASK_QUEUE };
  const order = { orderId: 'first', orderDigest: 'first', keptUntil: Date.now() + 1_000 };
  const last: PausesState = { ...noPauses, orders: [order] };
  const run = await client.workflow.start('pauses', { ...place, args: [last] });
  const change = (asked: Pick<PauseChange, 'upstream' | 'order'>) =>
    client.workflow.executeUpdateWithStart<Workflow, PauseResult, [PauseChange]>('change', {
      args: [{ verb: 'pause', instance: '', reason: 'a test', keyFingerprint: '', ...asked }],
      startWorkflowOperation: new WithStartWorkflowOperation('pauses', { ...place, workflowIdConflictPolicy: 'USE_EXISTING' }),
    });
  const repeated = change({ upstream: 'V1', order });
  await until(async () => ((await run.describe()).memo?.pauses as unknown[] | undefined)?.length === 0, 'the order is forgotten');
  await change({ upstream: 'V2' });
  expect(await repeated).toMatchObject({ isRepeat: true });
  expect(pausesIn(await client.workflow.getHandle(place.workflowId).describe())).toMatchObject([{ upstream: 'V2' }]);
});
