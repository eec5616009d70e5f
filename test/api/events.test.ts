/** Events: each change of a lead is told to its receivers, in order and at least once, and nothing of the person with it. */
import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { Webhook } from 'standardwebhooks';
import { endpoints } from '../../src/contract';
import { eventMessage } from '../../src/contract/events';
import { eventOf, eventsQueue, pendingEvent, type EventOrder, type OutboxInput, type StoredEvent } from '../../src/domain/events';
import { createEventOutbox } from '../../src/events/outbox';
import { describe as find } from '../../src/temporal/ask';
import { dataConverter } from '../../src/temporal/engine';
import { csvOf } from '../support/csv';
import { testEngine } from '../support/engine';
import { patientOf } from '../support/background';
import { newLead, startGateway, type GatewayAnswer, type Gateway } from '../support/gateway';
import { until, untilHolds } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';

const EVENTS_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
/** The secret that the receivers are to change to. */
const nextSecret = `whsec_${Buffer.alloc(32, 10).toString('base64')}`;
const { noPrescreen } = endpoints;
/** The body of an event as the reference shows it, with no field more. */
const messageForm = eventMessage.extend({ data: eventMessage.shape.data.strict() }).strict();

interface Told {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: { readonly leadId: string; readonly [name: string]: unknown };
}

let gateway: Gateway;
let receiver: Upstream;
beforeAll(async () => {
  receiver = await openUpstream();
  gateway = await startGateway({
    settings: {
      EVENTS_WEBHOOK_URL: `${receiver.url}/all`,
      EVENTS_WEBHOOK_SECRET: `${nextSecret},${EVENTS_WEBHOOK_SECRET}`,
      EVENTS_HOSTS: '127.0.0.1',
    },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await Promise.all([receiver, ...callbacks].map((each) => each?.close()));
});

/** A receiver of its own, with the header that names it. */
const callbacks: Upstream[] = [];
async function callback() {
  const opened = await openUpstream();
  callbacks.push(opened);
  return { opened, headers: { 'x-callback-url': `${opened.url}/hook?of=one` } };
}

/** A receiver that asks to be tried again much later. */
async function awayCallback() {
  const away = await callback();
  away.opened.answerAlways({ status: 503, body: {}, headers: { 'retry-after': '3000' } });
  return away;
}

/** What a receiver got about a lead, as the published verifier reads it: it throws where a signature is not right. */
const toldOf = (leadId: string, { received } = receiver): Told[] =>
  received
    .filter(({ body }) => body.data.leadId === leadId)
    .map(({ text, headers }) => ({
      ...(new Webhook(EVENTS_WEBHOOK_SECRET).verify(text, headers as Record<string, string>) as Told),
      id: String(headers['webhook-id']),
    }));
const typesOf = (leadId: string, from?: Upstream) => toldOf(leadId, from).map(({ type }) => type.replace('lead.', ''));
const untilTold = (leadId: string, types: string, from?: Upstream) =>
  until(() => typesOf(leadId, from).join() === types, `${types} are told`).catch((error: unknown) => {
    throw new Error(`told: ${typesOf(leadId, from).join()}`, { cause: error });
  });

const send = (lead: object = newLead(), headers = {}, path: string = noPrescreen.path) => gateway.post(path, lead, headers);
const idOf = ({ headers }: GatewayAnswer) => headers.get('x-lead-id') ?? '';

const act = (leadId: string, verb: string, body: object = {}) =>
  gateway.post(`/api/leads/${leadId}/${verb}`, { reason: 'a test', ...body });
const eventsOf = async (leadId: string) => (await gateway.get(`/api/leads/${leadId}/events`)).body.events;
/** Until the callback's first event waits for its next try. A worker that loses a try has one more, so their number is left open. */
const untilItWaits = (leadId: string) => {
  const waits = { receiver: 'callback', state: 'waiting', answer: 'answered 503', tries: expect.any(Number) };
  return until(async () => expect((await eventsOf(leadId))[0].deliveries[1]).toEqual(waits) ?? true, 'it waits');
};
const again = (leadId: string) => gateway.post(`/api/leads/${leadId}/events`, {});

it.concurrent('sends lead.accepted and lead.delivered for a delivered lead', async () => {
  const leadId = idOf(await send());
  await untilTold(leadId, 'accepted,delivered');
  const [accepted, delivered] = toldOf(leadId);
  const data = { leadId, flow: 'no-prescreen', site: 'erg-oct', studyId: '12', protocol: 'AD-301', statusUrl: `/api/leads/${leadId}` };
  const timestamp = expect.any(String);
  expect(accepted).toEqual({ id: `${leadId}-1-1-accepted`, type: 'lead.accepted', timestamp, data: { ...data, state: 'running' } });
  expect(delivered).toEqual({
    ...{ id: `${leadId}-1-2-delivered`, type: 'lead.delivered', timestamp },
    data: { ...data, state: 'delivered', step: 'send-comments' },
  });
});

it.concurrent('signs an event with the new and the old secret, and its body is the one of the reference', async () => {
  const leadId = idOf(await send());
  await untilTold(leadId, 'accepted,delivered');
  const posts = receiver.received.filter(({ body }) => body.data.leadId === leadId);
  for (const { text, headers } of posts) {
    const [byNew, byOld] = [nextSecret, EVENTS_WEBHOOK_SECRET].map((secret) =>
      new Webhook(secret).verify(text, headers as Record<string, string>),
    );
    expect(byNew).toEqual(byOld);
    expect(messageForm.safeParse(byNew).error).toBeUndefined();
  }
  expect(posts).toHaveLength(2);
});

it.concurrent('sends lead.skipped for a skipped lead', async () => {
  const leadId = idOf(await send(newLead('', { email: 'ann@example.org', instanceName: 'erg-oct.skip' })));
  await untilTold(leadId, 'accepted,skipped');
  expect(toldOf(leadId).at(-1)?.data).toMatchObject({ state: 'skipped', flow: 'no-prescreen' });
});

it.concurrent.each([
  ['confirm', 'delivered'],
  ['resend', 'delivered'],
  ['discard', 'discarded'],
])('a parked lead is told as parked, and after %s as it ended', async (verb, end) => {
  // Of an instance of its own: leads that fail at one instance at the same time would be held.
  const leadId = idOf(await send(newLead('comment-500-once+readback-405', { instanceName: `erg-oct.${verb}` })));
  await untilTold(leadId, 'accepted,parked');
  const error = { code: 'OUTCOME_UNKNOWN', message: expect.stringContaining('must not be sent again') };
  expect(toldOf(leadId).at(-1)?.data).toMatchObject({ state: 'parked', step: 'send-comments', error });
  const body = verb === 'confirm' ? { upstreamId: await patientOf(gateway, leadId) } : {};
  expect((await act(leadId, verb, body)).status).toBe(200);
  await untilTold(leadId, `accepted,parked,${end}`);
});

it.concurrent('sends an event once even if it is handed over twice', async () => {
  const leadId = idOf(await send(newLead('comment-422')));
  await untilTold(leadId, 'accepted,parked');
  const outbox = gateway.client.workflow.getHandle(`events-${leadId}`);
  const [accepted] = await outbox.query<StoredEvent[]>('events');
  await outbox.signal('event', accepted);
  await act(leadId, 'discard');
  await untilTold(leadId, 'accepted,parked,discarded');
  expect(await outbox.result()).toHaveLength(3);
});

it.concurrent('sends the events of a redrive with the same lead id and the next attempt', async () => {
  const { opened, headers } = await callback();
  const leadId = idOf(await send(newLead('', { instanceName: 'erg-oct.key-404' }), headers));
  await untilTold(leadId, 'accepted,failed');
  expect(toldOf(leadId).at(-1)?.data).toMatchObject({ error: { code: 'UPSTREAM_REJECTED' } });
  await act(leadId, 'redrive', { fields: { instanceName: 'erg-oct' } });
  await untilTold(leadId, 'accepted,failed,redriven,delivered');
  await untilTold(leadId, 'accepted,failed,redriven,delivered', opened);
  expect(toldOf(leadId).map(({ id }) => id)).toEqual(
    ['1-1-accepted', '1-2-failed', '2-1-redriven', '2-2-delivered'].map((end) => `${leadId}-${end}`),
  );
  const listed = await until(async () => {
    const events = await eventsOf(leadId);
    return events.length === 4 ? events : undefined;
  }, 'all four are listed');
  expect(listed[3]).toMatchObject({ type: 'lead.delivered', attempt: 2, deliveries: [{ receiver: 'webhook' }, { receiver: 'callback' }] });
});

it.concurrent('retries a failing receiver in order, with the same id, and does not delay another receiver', async () => {
  const { opened, headers } = await callback();
  opened.answerWith({ status: 500, body: {} });
  opened.answerWith({ status: 302, body: {}, headers: { location: '/elsewhere' } });
  const leadId = idOf(await send(newLead(), headers));
  expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe('delivered');
  await untilTold(leadId, 'accepted,delivered');
  await untilTold(leadId, 'accepted,accepted,accepted,delivered', opened);
  expect(new Set(toldOf(leadId, opened).map(({ id }) => id)).size).toBe(2);
  expect(opened.received.map(({ url }) => url)).toEqual(Array.from({ length: 4 }, () => '/hook?of=one'));
  const [, first] = (await eventsOf(leadId))[0].deliveries;
  expect(first).toMatchObject({ receiver: 'callback', state: 'told', answer: 'answered 200' });
  expect(first.tries).toBeGreaterThanOrEqual(3);
});

it.concurrent('keeps the first callback URL if a repeat has another', async () => {
  const [first, second] = await Promise.all([callback(), callback()]);
  const lead = newLead();
  const key = { 'idempotency-key': `events-${lead.email}` };
  const leadId = idOf(await send(lead, { ...first.headers, ...key }));
  const repeat = await send(lead, { ...second.headers, ...key });
  expect([idOf(repeat), repeat.headers.get('idempotency-replayed')]).toEqual([leadId, 'true']);
  await untilTold(leadId, 'accepted,delivered', first.opened);
  expect(second.opened.received).toEqual([]);
});

it.concurrent('sends no events for a dry run or a call', async () => {
  const { opened, headers } = await callback();
  const lead = newLead();
  expect((await send(lead, { ...headers, 'x-dry-run': 'true' })).status).toBe(200);
  const call = await gateway.post('/api/clinicsys/toolkit/get-subjects', { instanceName: 'erg-oct', email: lead.email }, headers);
  expect(call).toMatchObject({ status: 400, body: { error: { details: [{ field: 'X-Callback-URL' }] } } });
  const leadId = idOf(await send(lead, headers));
  await untilTold(leadId, 'accepted,delivered', opened);
  expect(opened.received).toHaveLength(2);
});

it.concurrent.each(['https://hooks.example/in', 'http://localhost/in', 'https://ann:word@127.0.0.1/in', 'ftp://127.0.0.1/in', 'no-url'])(
  'the callback %s is refused, and nothing is started',
  async (url) => {
    const lead = newLead();
    const refused = await send(lead, { 'x-callback-url': url });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { code: 'VALIDATION_ERROR', details: [{ field: 'X-Callback-URL', message: expect.any(String) }] } },
    });
    expect(JSON.stringify(refused.body)).not.toContain(url);
    expect((await gateway.get(`/api/leads?email=${encodeURIComponent(lead.email)}`)).body.count).toBe(0);
  },
);

it.concurrent('accepts a callback URL for an import', async () => {
  const { opened, headers } = await callback();
  const { email, ...lead } = newLead();
  const file = csvOf([{ ...lead, email }]);
  const { body: rows } = await gateway.post('/api/imports?flow=no-prescreen', file, { 'content-type': 'text/csv', ...headers });
  const [, leadId = ''] = /"leadId":"([^"]+)"/.exec(String(rows)) ?? [];
  await untilTold(leadId, 'accepted,delivered', opened);
  await untilTold(leadId, 'accepted,delivered');
  expect(toldOf(leadId, opened).map(({ id }) => id)).toEqual(toldOf(leadId).map(({ id }) => id));
});

it.concurrent('sends all events again with their original ids if an operator asks', async () => {
  const leadId = idOf(await send());
  await untilTold(leadId, 'accepted,delivered');
  await until(
    async () => (await eventsOf(leadId)).every(({ deliveries: [one] }: { deliveries: Told[] }) => one && 'endedAt' in one),
    'told',
  );
  expect(await again(leadId)).toMatchObject({ status: 200, body: { success: true, leadId, count: 2 } });
  await untilTold(leadId, 'accepted,delivered,accepted,delivered');
  const ids = toldOf(leadId).map(({ id }) => id);
  expect(ids.slice(2)).toEqual(ids.slice(0, 2));
  const { entries } = (await gateway.get(`/api/audit?leadId=${leadId}`)).body;
  expect(entries).toContainEqual(expect.objectContaining({ action: 'send-events-again', outcome: 'done', leadId }));
});

it.concurrent('sends an event that waits for a retry immediately if an operator asks', async () => {
  const { opened, headers } = await awayCallback();
  const leadId = idOf(await send(newLead(), headers));
  await untilItWaits(leadId);
  const before = typesOf(leadId, opened);
  opened.answerAlways({ body: {} });
  expect((await again(leadId)).status).toBe(200);
  await untilTold(leadId, [...before, 'accepted', 'delivered'].join(), opened);
});

it.concurrent('deletes waiting events in an erasure', async () => {
  const { opened, headers } = await awayCallback();
  const lead = newLead('', { instanceName: 'erg-oct.key-500' });
  const leadId = idOf(await send(lead, { ...headers, prefer: 'respond-async' }));
  await untilItWaits(leadId);
  const tries = opened.received.length;
  const erased = async () => (await gateway.post('/api/erase', { email: lead.email, reason: 'a test' })).status === 200;
  await until(erased, 'it is erased');
  expect([(await gateway.get(`/api/leads/${leadId}/events`)).status, (await again(leadId)).status]).toEqual([404, 404]);
  const runs = () => gateway.client.workflow.count(`WorkflowId = 'events-${leadId}'`);
  await until(async () => (await runs()).count === 0, 'the index has forgotten it, too');
  expect(opened.received).toHaveLength(tries);
});

it.concurrent('ends and deletes an outbox that starts after its lead was erased', async () => {
  const leadId = `k${'0'.repeat(20)}-${'1'.repeat(25)}`;
  const { client, config, keys } = gateway;
  const { handOver } = createEventOutbox({ client, keys, taskQueue: config.TASK_QUEUE });
  const change = { type: 'lead.accepted', leadId, flow: 'recruit', state: 'running', attempt: 1, number: 1, at: '' } as const;
  await handOver(change, { receivers: ['webhook'], terms: {} }, { workflowId: 'lead-erased', runId: randomUUID() });
  const isGone = async () => (await find(client, `events-${leadId}`)) === undefined;
  expect(await until(isGone, 'it is gone')).toBe(true);
});

it.concurrent('gives up an event after three days and sends the next one', async () => {
  const { client, config } = gateway;
  const leadId = idOf(await send());
  await untilTold(leadId, 'accepted,delivered');
  const { opened, headers } = await callback();
  opened.answerWith({ status: 410, body: {} });
  const order: EventOrder = { receivers: ['callback'], callbackUrl: headers['x-callback-url'], terms: {} };
  const change = { leadId: `${leadId}-old`, flow: 'recruit', attempt: 1, at: new Date().toISOString() };
  const events = [
    { ...pendingEvent(eventOf({ ...change, type: 'lead.accepted', state: 'running', number: 1 }, order), order, 0), giveUpAt: Date.now() },
    pendingEvent(eventOf({ ...change, type: 'lead.delivered', state: 'delivered', number: 2 }, order), order, Date.now()),
  ];
  const input: OutboxInput = { leadId, order, events };
  const { TASK_QUEUE: taskQueue } = config;
  const outbox = await client.workflow.start('leadEvents', { workflowId: `events-${leadId}-old`, taskQueue, args: [input] });
  const [first, second] = ((await outbox.result()) as StoredEvent[]).map(({ deliveries }) => deliveries[0]);
  expect(first).toMatchObject({ state: 'given-up', answer: 'answered 410' });
  expect(second).toMatchObject({ state: 'told', answer: 'answered 200' });
});

it.concurrent('gives up an event if the settings of events are removed', async () => {
  const { client, engine, keys } = gateway;
  const taskQueue = `no-events-${randomUUID()}`;
  const shared = { ...engine, dataConverter: dataConverter(keys) };
  const worker = await Worker.create({ ...shared, taskQueue, workflowBundle: { codePath: testEngine().bundlePath } });
  const order: EventOrder = { receivers: ['webhook'], terms: {} };
  const change = { leadId: 'any', flow: 'recruit', attempt: 1, number: 1, at: new Date().toISOString() };
  const event = pendingEvent(eventOf({ ...change, type: 'lead.delivered', state: 'delivered' }, order), order, 0);
  const input: OutboxInput = { leadId: 'any', order, events: [{ ...event, giveUpAt: 0 }] };
  let hasTried = () => {};
  const isTried = new Promise<void>((done) => (hasTried = done));
  const postEvent = async () => {
    hasTried();
    throw ApplicationFailure.create({ details: [{ tries: 1, answer: 'answered 503' }] });
  };
  const told = await worker.runUntil(async () => {
    const outbox = await client.workflow.start('leadEvents', { workflowId: `events-${taskQueue}`, taskQueue, args: [input] });
    const posts = await Worker.create({ ...shared, taskQueue: eventsQueue(taskQueue), activities: { postEvent } });
    await posts.runUntil(isTried);
    return (await outbox.result()) as StoredEvent[];
  });
  expect(told[0]?.deliveries).toMatchObject([{ state: 'given-up', tries: 1, answer: 'answered 503' }]);
});

it.concurrent('counts the tries, and the leads with undelivered events', async () => {
  const leadId = idOf(await send());
  await untilTold(leadId, 'accepted,delivered');
  const metrics = async () => String((await gateway.get('/metrics')).body);
  await until(
    async () => /^leadgate_events_total\{receiver="webhook",result="told"\} [1-9]/m.test(await metrics()),
    'the tries are counted',
  );
  // A scrape leaves this count out if the engine did not answer in time.
  await untilHolds(async () => expect(await metrics()).toMatch(/^leadgate_leads_with_events_to_tell \d/m), 'the leads are counted');
});
