/** An upstream with a limit gets no more than that over all workers: every lead arrives once, and what waits is not counted as sent. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tsToMs } from '@temporalio/common/lib/time';
import { endpoints } from '../../src/contract';
import { limitedQueue } from '../../src/domain/limits';
import { parseConfig } from '../../src/config';
import { csvOf } from '../support/csv';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

const { sendPatient, noPrescreen } = endpoints;

/** Keeps who came when, and how many were there at once. */
async function openScreening(answerAfterMs: number) {
  const arrived: { readonly email: string }[] = [];
  const seen = { open: 0, mostAtOnce: 0 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    seen.mostAtOnce = Math.max(seen.mostAtOnce, ++seen.open);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      arrived.push({ email: JSON.parse(Buffer.concat(chunks).toString()).email });
      setTimeout(() => {
        seen.open--;
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ success: true, id: arrived.length }));
      }, answerAfterMs);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrived, seen, close };
}

let gateway: Gateway;
let other: Gateway | undefined;
let screening: Awaited<ReturnType<typeof openScreening>>;

const settingsOf = (limits: string) => ({
  SCREENING_URL: screening.url,
  SCREENING_API_KEY: 'mine',
  ...(limits && { UPSTREAM_LIMITS: limits }),
});

async function start(limits: string, { answerAfterMs = 0, settings = {} } = {}): Promise<void> {
  screening = await openScreening(answerAfterMs);
  gateway = await startGateway({ settings: { ...settingsOf(limits), ...settings } });
}

afterEach(async () => {
  await other?.stop();
  other = undefined;
  await gateway.stop();
  await screening.close();
});

const { questions: _, ...flat } = sendPatient.example;
const lead = () => ({ ...flat, email: newLead().email });
const post = (email: string) => gateway.post(sendPatient.path, { ...lead(), email }, { prefer: 'respond-async' });
const emails = (count: number) => Array.from({ length: count }, () => lead().email);
const stateOf = async (leadId: string) => (await gateway.get(`/api/leads/${leadId}`)).body.state as string;
const arrivals = () => screening.arrived.map(({ email }) => email);
const pollersOf = async (taskQueue: string) => {
  const { pollers } = await gateway.client.workflowService.describeTaskQueue({
    namespace: gateway.engine.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: 2,
  });
  return pollers?.length ?? 0;
};

/** By the engine's clock: here the arrivals of a busy moment may come together. */
async function handedOutAt(leadId: string): Promise<number> {
  const { events } = await gateway.client.workflow.getHandle(`lead-${leadId.split('-')[0]}`).fetchHistory();
  return tsToMs(events?.find(({ activityTaskStartedEventAttributes: started }) => started)?.eventTime);
}

it('5 a second and one at once in each of two workers: so it is, and each lead arrives once', async () => {
  const perS = 5;
  const limits = `screening=${perS}/s*1`;
  await start(limits, { answerAfterMs: 150 });
  const { TASK_QUEUE, LEADGATE_KEYS = '' } = gateway.config;
  // A connection has one worker of a queue at most: the second one is a gateway's of its own.
  other = await startGateway({ settings: { ...settingsOf(limits), TASK_QUEUE, LEADGATE_KEYS } });
  const people = emails(15);
  const leadIds = (await Promise.all(people.map(post))).map(({ body }) => body.leadId as string);
  await until(async () => (await Promise.all(leadIds.map(stateOf))).every((state) => state === 'delivered'), 'all are delivered', 40_000);
  expect(arrivals().toSorted()).toEqual(people.toSorted());
  expect(screening.seen.mostAtOnce).toBeLessThanOrEqual(2);
  // What was not used in the second before may be used at once; one more for the time that the engine takes to write it down.
  const times = (await Promise.all(leadIds.map(handedOutAt))).toSorted((one, next) => one - next);
  const tooMany = times.filter((from, first) => times.some((to, last) => last - first + 1 > perS * ((to - from) / 1000) + perS + 2));
  expect(tooMany).toEqual([]);
}, 60_000);

it('a lead that comes in alone goes before those of a file that wait', async () => {
  await start('screening=4/s');
  const rows = emails(16).map((email) => ({ ...lead(), email }));
  const file = fetch(`${gateway.url}/api/imports?flow=screening&ratePerS=50`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: csvOf(rows),
  }).then((answer) => answer.text());
  const { workflow } = gateway.client;
  const begun = async () => (await workflow.count(`TaskQueue = '${gateway.config.TASK_QUEUE}'`)).count;
  await until(async () => (await begun()) >= rows.length, 'all of them are under way');
  const before = screening.arrived.length;
  const alone = lead().email;
  await post(alone);
  await until(() => arrivals().includes(alone), 'it arrived');
  // One or two may have been on their way already.
  expect(arrivals().indexOf(alone) - before).toBeLessThanOrEqual(3);
  expect(await file).toContain('"complete":true');
  expect(arrivals().toSorted()).toEqual([alone, ...rows.map(({ email }) => email)].toSorted());
}, 60_000);

it('a turn that does not come in time is not sent, and a person decides', async () => {
  await start('screening=1/min', { settings: { LEAD_TTL_H: '0.001' } });
  await gateway.post(sendPatient.path, lead());
  const { body } = await post(lead().email);
  const parked = await until(async () => {
    const { body: found } = await gateway.get(`/api/leads/${body.leadId}`);
    return found.state === 'parked' ? found : undefined;
  }, 'it is parked');
  expect(parked.steps[0].error).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringContaining('Its turn did not come in time') });
  expect(screening.arrived).toHaveLength(1);
});

it('every request to a limited upstream waits in its queue, reads too, and no other does', async () => {
  await start('V1=50/s, V2=50/s');
  const { status, headers } = await gateway.post(noPrescreen.path, newLead());
  expect(status).toBe(200);
  const { events } = await gateway.client.workflow.getHandle(headers.get('x-workflow-id') ?? '').fetchHistory();
  const queues = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
    scheduled ? [[scheduled.activityType?.name, scheduled.taskQueue?.name]] : [],
  );
  const { TASK_QUEUE } = gateway.config;
  expect(queues).toEqual([
    ['checkEmail', limitedQueue(TASK_QUEUE, 'V2')],
    ['sendToRt', limitedQueue(TASK_QUEUE, 'V1')],
    ['sendComments', limitedQueue(TASK_QUEUE, 'V2')],
  ]);
});

it.each([
  ['', 0],
  ['screening=5/s', 1],
  ['screening=off', 1],
])('with the limits "%s" %i further worker asks for work', async (limits, further) => {
  await start(limits);
  const { TASK_QUEUE } = gateway.config;
  await until(async () => (await pollersOf(TASK_QUEUE)) > 0, 'the worker asks');
  if (further > 0) await until(async () => (await pollersOf(limitedQueue(TASK_QUEUE, 'screening'))) > 0, 'the limited one asks');
  const asking = await Promise.all(['screening', 'V1'].map((name) => pollersOf(`${TASK_QUEUE}:${name}`)));
  expect(asking.map(Boolean)).toEqual([further > 0, false]);
});

it.each(['V1', 'V1=', 'V3=5/s', 'V1=5', 'V1=0/s', 'V1=5/s*0', 'V1=-1/s', 'V1=5/h', 'V1=5/s,V1=6/s', 'V1=5/s=6'])(
  'refuses the limits "%s" in words',
  (limits) => expect(() => parseConfig({ UPSTREAM_LIMITS: limits })).toThrow('UPSTREAM_LIMITS: must be name=limit entries'),
);
