/** A test of the alerts goes the way that alerts go, through the run of the alerting, and tells what became of it. */
import { Webhook } from 'standardwebhooks';
import { alertsIdOf } from '../../src/domain/alerts';
import { startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';
import { leadgate } from '../cli/support';

const ALERT_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const board = { ALERT_BOARD_PROJECT: 'project-template', ALERT_BOARD_LIST: 'list-up-next' };

let receiver: Upstream;
let gateway: Gateway | undefined;
beforeEach(async () => {
  receiver = await openUpstream();
});
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  await receiver.close();
});

const webhook = () => ({ ALERT_WEBHOOK_URL: receiver.url, ALERT_WEBHOOK_SECRET });

/** A gateway whose alerting runs. */
async function alerting(settings: Record<string, string>): Promise<Gateway> {
  const started = (gateway = await startGateway({ settings }));
  const { client, config } = started;
  await until(() => client.workflow.getHandle(alertsIdOf(config.TASK_QUEUE)).describe(), 'the alerting runs');
  return started;
}

interface Message {
  readonly type: string;
  readonly data: { readonly alertId: string; readonly [name: string]: unknown };
}

const told = () =>
  receiver.received.map(
    ({ text, headers }) => new Webhook(ALERT_WEBHOOK_SECRET).verify(text, headers as Record<string, string>) as Message,
  );

it('arrives at the webhook and as a card, opened and closed, and is on the audit trail', async () => {
  const { post, get } = await alerting({ ...webhook(), ...board });
  const { status, body } = await post('/api/alerts/test', {});
  const arrived = ['webhook', 'card'].map((channel) => ({ channel, arrived: true }));
  expect([status, body]).toEqual([200, { success: true, alertId: expect.any(String), channels: arrived }]);
  const data = { kind: 'test', alertId: body.alertId, leadIds: [] };
  expect(told()).toMatchObject([
    { type: 'leadgate.alert.opened', data: { ...data, summary: 'A test of the alerts' } },
    { type: 'leadgate.alert.closed', data: { ...data, closedAt: expect.any(String) } },
  ]);
  const { cards } = (await get('/api/taskboard/todos?projectId=project-template&todoListId=list-up-next')).body;
  const card = { title: 'A test of the alerts', done: true, text: expect.stringContaining(String(body.alertId)) };
  expect(cards).toEqual(expect.arrayContaining([expect.objectContaining(card)]));
  const { entries } = (await get('/api/audit?action=test alerts')).body;
  expect(entries).toMatchObject([{ outcome: 'done' }, { outcome: 'asked' }]);
});

it('that does not arrive is told with the reason, and not tried again', async () => {
  const { post, url } = await alerting({ ...webhook(), ...board, ALERT_BOARD_PROJECT: 'no-such-project' });
  receiver.answerWith({ status: 500, body: {} });
  const { status, body } = await post('/api/alerts/test', {});
  expect([status, body.channels]).toEqual([
    200,
    [
      { channel: 'webhook', arrived: false, reason: 'The alert webhook answered 500' },
      { channel: 'card', arrived: false, reason: expect.any(String) },
    ],
  ]);
  expect(told()).toHaveLength(1);
  receiver.answerWith({ status: 404, body: {} });
  const said = await leadgate(['alerts', 'test'], { settings: { LEADGATE_URL: url } });
  expect(said).toMatchObject({ status: 1, err: '' });
  expect(said.out).toMatch(/^webhook {2}did not arrive: The alert webhook answered 404\ncard {5}did not arrive: .+\nIts id is \S+\n$/);
});

it('the command line says that it arrived', async () => {
  const { url } = await alerting(webhook());
  const said = await leadgate(['alerts', 'test'], { settings: { LEADGATE_URL: url } });
  expect(said).toEqual({ status: 0, err: '', out: expect.stringMatching(/^webhook {2}arrived\nIts id is \S+\n$/) });
  expect(told().map(({ type }) => type)).toEqual(['leadgate.alert.opened', 'leadgate.alert.closed']);
});

it.each([
  ['no alert is set', {}],
  ['only the heartbeat is set', { ALERT_HEARTBEAT_URL: 'http://127.0.0.1:9/heart' }],
])('where %s, it says which setting is missing', async (_name, settings) => {
  gateway = 'ALERT_HEARTBEAT_URL' in settings ? await alerting(settings) : await startGateway();
  const said = await leadgate(['alerts', 'test'], { settings: { LEADGATE_URL: gateway.url } });
  expect(said).toMatchObject({ status: 2, out: '', err: expect.stringMatching(/^leadgate: CONFIG_ERROR: .*ALERT_WEBHOOK_URL/) });
});
