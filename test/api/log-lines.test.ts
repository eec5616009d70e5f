/** Nothing warns while all is well: a lead that arrives logs the line of its request alone, and nothing in its run has failed. */
import { endpoints } from '../../src/contract';
import { logged, startGateway, type Gateway } from '../support/gateway';
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

/** Event types that the Temporal UI shows as failed or cancelled. */
const unwell = /Failed|TimedOut|Cancel/;

it.each([noPrescreen, withPrescreen, sendToRecruit, sendToLeadforms, sendPatient])('$path', async ({ path, example }) => {
  const { status, headers } = await gateway.post(path, example);
  expect(status).toBe(200);
  const lines = logged.map((line) => JSON.parse(line));
  expect(lines.filter(({ level }) => level !== 'info')).toEqual([]);
  expect(lines.filter(({ leadId }) => leadId === headers.get('x-lead-id'))).toEqual([
    expect.objectContaining({ level: 'info', message: 'request', route: path, status: 200 }),
  ]);
  const { events } = await gateway.client.workflow.getHandle(headers.get('x-workflow-id') ?? '').fetchHistory();
  expect(events?.length).toBeGreaterThan(5);
  expect(events?.filter((event) => Object.keys(event).some((name) => unwell.test(name)))).toEqual([]);
  expect(events?.filter((event) => event.markerRecordedEventAttributes?.failure)).toEqual([]);
});
