/** Nothing warns while all is well: a lead that arrives logs the line of its request alone, and nothing in its run has failed. */
import { endpoints } from '../../src/contract';
import { logged, newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';

const { noPrescreen, withPrescreen, sendToRecruit, sendToLeadforms, sendPatient } = endpoints;

let gateway: Gateway;
let receiver: Upstream;
beforeAll(async () => {
  receiver = await openUpstream();
  const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
  gateway = await startGateway({
    settings: { EVENTS_WEBHOOK_URL: receiver.url, EVENTS_WEBHOOK_SECRET: secret, UPSTREAM_LIMITS: 'V1=100/s' },
  });
});
afterAll(async () => {
  await gateway.stop();
  await receiver.close();
});

const lines = () => logged.map((line) => JSON.parse(line));
const warnings = () => lines().filter(({ level }) => level !== 'info');

/** Event types that the Temporal UI shows as failed or cancelled. A wait that ends early cancels its timer. */
const unwell = /Failed|TimedOut|(?<!^timer)Cancel/;

async function expectWell(headers: Headers): Promise<void> {
  const { events } = await gateway.client.workflow.getHandle(headers.get('x-workflow-id') ?? '').fetchHistory();
  expect(events?.length).toBeGreaterThan(5);
  expect(events?.filter((event) => Object.keys(event).some((name) => unwell.test(name)))).toEqual([]);
  expect(events?.filter((event) => event.markerRecordedEventAttributes?.failure)).toEqual([]);
}

it.each([noPrescreen, withPrescreen, sendToRecruit, sendToLeadforms, sendPatient])('$path', async ({ path, example }) => {
  const { status, headers } = await gateway.post(path, example);
  expect(status).toBe(200);
  expect(warnings()).toEqual([]);
  expect(lines().filter(({ leadId }) => leadId === headers.get('x-lead-id'))).toEqual([
    expect.objectContaining({ level: 'info', message: 'request', route: path, status: 200 }),
  ]);
  await expectWell(headers);
});

/** Pauses an upstream until a lead waits at it, and reads the lead after its end. */
async function pausedAt(upstream: 'key-service' | 'V1') {
  const pausing = { upstream, reason: 'a test' };
  await gateway.post('/api/upstreams/pause', pausing);
  const { status, headers } = await gateway.post(noPrescreen.path, newLead(), { prefer: 'wait=1' });
  expect(status).toBe(202);
  const path = `/api/leads/${headers.get('x-lead-id')}`;
  await until(async () => (await gateway.get(path)).body.waitsFor?.upstream === upstream, 'it waits');
  await gateway.post('/api/upstreams/resume', pausing);
  const { body } = await gateway.get(`${path}?wait=60`);
  return { headers, path, body };
}

it.each(['key-service', 'V1'] as const)('a lead that waits while a person pauses its upstream: %s', async (upstream) => {
  const { headers, path, body } = await pausedAt(upstream);
  expect(body).toMatchObject({ state: 'delivered', steps: body.steps.map(() => ({ attempts: 1 })) });
  expect(warnings()).toEqual([]);
  await expectWell(headers);
  // The lead's story still tells it.
  const { exchanges } = (await gateway.get(`${path}/exchanges`)).body;
  expect(exchanges.filter(({ error }: { readonly error?: object }) => error)).toEqual([
    expect.objectContaining({ error: { code: 'NOT_SENT', message: expect.stringMatching(/is paused, so nothing was sent to it$/) } }),
  ]);
});
