/** The end of a lead whose run was ended outside of Leadgate is told once, after the lead's other events. */
import type { StoredEvent } from '../../src/domain/events';
import { workflowIdOf } from '../../src/domain/ids';
import { createEndedEvents } from '../../src/intake/ended-events';
import type { Stop } from '../../src/runtime/process';
import { eraseUntilDone } from '../support/background';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';

const EVENTS_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const path = '/api/clinicsys/no-prescreen';

let gateway: Gateway;
let receiver: Upstream;
let stopWorker: Stop;
beforeAll(async () => {
  receiver = await openUpstream();
  gateway = await startGateway({
    withoutWorker: true,
    settings: { EVENTS_WEBHOOK_URL: `${receiver.url}/all`, EVENTS_WEBHOOK_SECRET, EVENTS_HOSTS: '127.0.0.1' },
  });
  stopWorker = await gateway.startWorker();
});
afterAll(async () => {
  await gateway?.stop();
  await receiver?.close();
});

const toldOf = (leadId: string) =>
  receiver.received
    .filter(({ body }) => body.data.leadId === leadId)
    .map(({ body, headers }) => ({ id: String(headers['webhook-id']), ...(body as { type: string; data: object }) }));
const untilTold = (leadId: string, types: string) =>
  until(
    () =>
      toldOf(leadId)
        .map(({ type }) => type.replace('lead.', ''))
        .join() === types,
    `${types} are told`,
  );

async function endedLead(lead = newLead('comment-422')) {
  const { headers } = await gateway.post(path, lead);
  const leadId = headers.get('x-lead-id') ?? '';
  await untilTold(leadId, 'accepted,parked');
  await gateway.client.workflow.getHandle(workflowIdOf(leadId)).terminate('a test');
  return { leadId, lead };
}

async function untilEndListed(leadId: string) {
  const isListed = `WorkflowId = '${workflowIdOf(leadId)}' AND ExecutionStatus != 'Running'`;
  await until(async () => (await gateway.client.workflow.count(isListed)).count > 0, 'its end is listed');
}

/** What a worker does every minute. */
async function look(leadId: string) {
  await untilEndListed(leadId);
  await createEndedEvents(gateway).look();
}

it('a worker that starts tells it, also to the callback of the lead', async () => {
  const callback = await openUpstream();
  try {
    const { headers } = await gateway.post(path, newLead('comment-422'), { 'x-callback-url': `${callback.url}/hook` });
    const leadId = headers.get('x-lead-id') ?? '';
    await untilTold(leadId, 'accepted,parked');
    await gateway.client.workflow.getHandle(`events-${leadId}`).result();
    await stopWorker();
    await gateway.client.workflow.getHandle(workflowIdOf(leadId)).terminate('a test');
    await untilEndListed(leadId);
    stopWorker = await gateway.startWorker();
    await untilTold(leadId, 'accepted,parked,failed');
    await until(() => callback.received.length === 3, 'the callback is told');
    const { updatedAt, attempts } = (await gateway.get(`/api/leads/${leadId}`)).body;
    const [{ error }] = attempts;
    expect(error.code).toBe('RUN_ENDED');
    expect(toldOf(leadId).at(-1)).toMatchObject({
      id: `${leadId}-1-3-failed`,
      timestamp: updatedAt,
      data: { leadId, flow: 'no-prescreen', state: 'failed', step: 'send-comments', site: 'erg-oct', protocol: 'AD-301', error },
    });
  } finally {
    await callback.close();
  }
});

it('tells it once, however often it is looked for, and after the outbox has ended, too', async () => {
  const { leadId } = await endedLead();
  await gateway.client.workflow.getHandle(`events-${leadId}`).result();
  await Promise.all([look(leadId), look(leadId)]);
  await look(leadId);
  await untilTold(leadId, 'accepted,parked,failed');
  const stored = await gateway.client.workflow.getHandle<() => Promise<StoredEvent[]>>(`events-${leadId}`).result();
  await look(leadId);
  expect(stored.map(({ id }) => id)).toEqual(['1-accepted', '2-parked', '3-failed'].map((end) => `${leadId}-1-${end}`));
  const { events } = (await gateway.get(`/api/leads/${leadId}/events`)).body;
  expect(events.map(({ type }: { type: string }) => type)).toEqual(['lead.accepted', 'lead.parked', 'lead.failed']);
  expect(toldOf(leadId)).toHaveLength(3);
});

it('a redrive that comes before the look tells it first', async () => {
  const { leadId } = await endedLead();
  const order = { reason: 'not there', notThere: true, fields: newLead() };
  expect((await gateway.post(`/api/leads/${leadId}/redrive`, order)).status).toBe(200);
  await untilTold(leadId, 'accepted,parked,failed,redriven,delivered');
  await look(leadId);
  expect(toldOf(leadId).map(({ id }) => id)).toEqual(
    ['1-1-accepted', '1-2-parked', '1-3-failed', '2-1-redriven', '2-2-delivered'].map((end) => `${leadId}-${end}`),
  );
});

it('a lead that failed by itself, or that was erased, is told nothing more', async () => {
  const { headers } = await gateway.post(path, newLead('v1-refused'));
  const failedId = headers.get('x-lead-id') ?? '';
  await untilTold(failedId, 'accepted,failed');
  const { leadId, lead } = await endedLead();
  await eraseUntilDone(gateway, { email: lead.email });
  await look(failedId);
  expect(toldOf(failedId)).toHaveLength(2);
  expect(toldOf(leadId)).toHaveLength(2);
});
