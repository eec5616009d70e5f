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

/** Event types that the Temporal UI shows as failed or cancelled. */
const unwell = /Failed|TimedOut|Cancel/;

it.each([noPrescreen, withPrescreen, sendToRecruit, sendToLeadforms, sendPatient])('$path', async ({ path, example }) => {
  const { status, headers } = await gateway.post(path, example);
  expect(status).toBe(200);
  expect(warnings()).toEqual([]);
  expect(lines().filter(({ leadId }) => leadId === headers.get('x-lead-id'))).toEqual([
    expect.objectContaining({ level: 'info', message: 'request', route: path, status: 200 }),
  ]);
  const { events } = await gateway.client.workflow.getHandle(headers.get('x-workflow-id') ?? '').fetchHistory();
  expect(events?.length).toBeGreaterThan(5);
  expect(events?.filter((event) => Object.keys(event).some((name) => unwell.test(name)))).toEqual([]);
  expect(events?.filter((event) => event.markerRecordedEventAttributes?.failure)).toEqual([]);
});

it('a lead that waits while a person pauses its upstream', async () => {
  const pausing = { upstream: 'V1', reason: 'a test' };
  await gateway.post('/api/upstreams/pause', pausing);
  const { status, headers } = await gateway.post(noPrescreen.path, newLead(), { prefer: 'wait=1' });
  expect(status).toBe(202);
  const path = `/api/leads/${headers.get('x-lead-id')}`;
  await until(async () => (await gateway.get(path)).body.waitsFor?.upstream === 'V1', 'it waits');
  await gateway.post('/api/upstreams/resume', pausing);
  await until(async () => (await gateway.get(path)).body.state === 'delivered', 'it is sent');
  expect(warnings()).toEqual([]);
});
