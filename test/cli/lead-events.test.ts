/** The events of a lead from the command line. */
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';
import { leadgate } from './support';

const EVENTS_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 4).toString('base64')}`;

let gateway: Gateway;
let receiver: Upstream;
beforeAll(async () => {
  receiver = await openUpstream();
  gateway = await startGateway({ settings: { EVENTS_HOSTS: '127.0.0.1', EVENTS_WEBHOOK_SECRET } });
});
afterAll(async () => {
  await gateway?.stop();
  await receiver?.close();
});

const here = (...argv: string[]) => leadgate(argv, { settings: { LEADGATE_URL: gateway.url } });
const sent = async (headers = {}) => {
  const answer = await gateway.post('/api/clinicsys/no-prescreen', newLead(), headers);
  return String(answer.headers.get('x-lead-id'));
};

it('are listed with the state of each, and sent again', async () => {
  receiver.answerWith({ status: 500, body: {} });
  const id = await sent({ 'x-callback-url': receiver.url });
  const told =
    /^\S+ \S+ {2}lead.accepted {3}callback {2}told {2}[2-9] tries {2}answered 200\n\S+ \S+ {2}lead.delivered {2}callback {2}told {2}\d (?:try|tries) .*\n$/;
  await until(async () => told.test((await here('lead', 'events', id)).out), 'both are told');
  expect(await here('lead', 'events', id, '--again')).toMatchObject({ status: 0, out: `2 events of ${id} are sent again\n` });
  await until(() => receiver.received.length === 5, 'they are told again');
  expect(JSON.parse((await here('lead', 'events', id, '--json')).out)).toMatchObject({ leadId: id, events: [{}, {}] });
});

it('are none of a lead that nobody asked to be told of', async () => {
  const id = await sent();
  expect(await here('lead', 'events', id)).toMatchObject({ status: 0, out: expect.stringContaining('nobody was to be told') });
  expect(await here('lead', 'events', id, '--again')).toMatchObject({ status: 1, err: expect.stringContaining('WRONG_STATE') });
});
