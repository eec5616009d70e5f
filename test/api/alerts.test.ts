import { Worker } from '@temporalio/worker';
import { randomBytes, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { freePort } from '../../src/config/ports';
import { endpoints } from '../../src/contract';
import { alertIdOf, alertsIdOf, type AlertState, type OpenAlert } from '../../src/domain/alerts';
import { createAlertCheck, type AlertCheckNeeds } from '../../src/leads/alert-checks';
import { createHolds } from '../../src/leads/holds';
import { workerConverter } from '../../src/temporal/engine';
import { leadgate } from '../cli/support';
import { testEngine } from '../support/engine';
import { openMailServer } from '../support/mail-server';
import { newLead, sameInstallation, startGateway, type Gateway } from '../support/gateway';
import { startWarmedGateway, stopsAfterAll } from '../support/concurrent';
import { callers } from '../support/keys';
import { until, untilHolds } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';

const stops = stopsAfterAll();

let noAlerts: Gateway;
beforeAll(async () => void (noAlerts = await startWarmedGateway(stops)));

/** Alerts: said once when something is not well and once when it is mended, whatever is started again meanwhile. */
describe('alerts', () => {
  const ALERT_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
  const { noPrescreen, sendPatient } = endpoints;

  const webhook = ({ url }: Upstream) => ({ ALERT_WEBHOOK_URL: `${url}/alerts`, ALERT_WEBHOOK_SECRET });

  interface Told {
    readonly id: string;
    readonly type: string;
    readonly data: { readonly alertId: string; readonly kind: string; readonly [name: string]: unknown };
  }

  /** The troubles that one look finds. */
  const look = (needs: AlertCheckNeeds) => createAlertCheck(needs)();

  const parkedAlert = (): OpenAlert => ({
    ...{ alertId: randomUUID(), kind: 'parked', upstream: 'V1', count: 1, leadIds: [], reason: 'look' },
    ...{ openedAt: new Date().toISOString(), link: 'https://leads.example.org/console' },
  });

  /** A gateway of the test's own, and the receiver of its alerts. */
  async function start(settingsOf: (receiver: Upstream) => Record<string, string> = () => ({})) {
    const receiver = await openUpstream();
    stops.push(receiver.close);
    const gateway = await startGateway({ settings: settingsOf(receiver), withoutWorker: true, alertClearMs: 1_000 });
    stops.push(gateway.stop);

    /** The messages at the webhook. The published verifier reads them, and throws if a signature is wrong. */
    const told = (): Told[] =>
      receiver.received
        .filter(({ url }) => url === '/alerts')
        .map(({ text, headers }) => ({
          ...(new Webhook(ALERT_WEBHOOK_SECRET).verify(text, headers as Record<string, string>) as Told),
          id: String(headers['webhook-id']),
        }));
    const toldOf = (type: 'opened' | 'closed') => told().filter((each) => each.type === `leadgate.alert.${type}`);

    /** A lead whose comment is refused, so that a person must decide. */
    const parkedLead = async (): Promise<string> => (await gateway.post(noPrescreen.path, newLead('comment-422'))).body.leadId;
    const discard = (leadId: string) => gateway.post(`/api/leads/${leadId}/discard`, { reason: 'a test' });
    const alertRuns = async () =>
      (
        await gateway.client.workflow.count(
          `WorkflowType = 'alerts' AND ExecutionStatus = 'Running' AND TaskQueue = '${gateway.config.TASK_QUEUE}'`,
        )
      ).count;
    return { gateway, receiver, told, toldOf, parkedLead, discard, alertRuns };
  }

  it.concurrent('opens one alert for parked leads and closes it once, also over a restart of the worker', async () => {
    const settings = {
      LEADGATE_URL: 'https://leads.example.org',
      TASK_QUEUE: `alerts-${randomUUID()}`,
      LEADGATE_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    };
    const { gateway, receiver, told, toldOf, parkedLead, discard, alertRuns } = await start((to) => ({ ...webhook(to), ...settings }));
    const stopWorker = await gateway.startWorker();
    const first = await parkedLead();
    await until(() => toldOf('opened').length === 1, 'it is said');
    const data = {
      kind: 'parked',
      upstream: 'V2',
      count: 1,
      leadIds: [first],
      link: 'https://leads.example.org/console#/leads?state=parked',
    };
    expect(told()).toMatchObject([{ type: 'leadgate.alert.opened', data }]);

    await stopWorker();
    await gateway.startWorker();
    // Another machine with the same engine and task queue.
    const other = await startGateway({
      settings: { ...webhook(receiver), ...settings, ...sameInstallation(gateway) },
      alertClearMs: 1_000,
    });
    stops.push(other.stop);
    const parked = (count: number) => async () =>
      (await gateway.client.workflow.count(`TaskQueue = '${gateway.config.TASK_QUEUE}' AND LeadState = 'parked'`)).count === count;
    const second = await parkedLead();
    await until(parked(2), 'the engine lists both');
    await discard(first);
    await until(parked(1), 'one is left');
    expect(told()).toHaveLength(1);

    await discard(second);
    await until(() => toldOf('closed').length === 1, 'that it is mended is said');
    expect(told()).toHaveLength(2);
    const [one, two] = told();
    expect(two?.data).toMatchObject({ alertId: one?.data.alertId, kind: 'parked', closedAt: expect.any(String) });
    expect(two?.data.reason).toBe('No lead waits for a person any more');
    expect(two?.id).not.toBe(one?.id);
    expect(await alertRuns()).toBe(1);
    expect(receiver.received.map(({ text }) => text).join()).not.toMatch(/Ann|Lee|ann-|555\D{0,2}201/);
  });

  it.concurrent('retries a failing receiver with the same message and id', async () => {
    const { gateway, receiver, told, parkedLead } = await start(webhook);
    await gateway.startWorker();
    receiver.answerWith({ status: 500, body: {} });
    receiver.answerWith({ status: 302, body: {}, headers: { location: '/elsewhere' } });
    await parkedLead();
    await until(() => told().length === 3, 'it is told a third time');
    expect(new Set(told().map(({ id }) => id)).size).toBe(1);
    expect(receiver.received.some(({ url }) => url === '/elsewhere')).toBe(false);
    const sentAt = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(sentAt.at(-1)).toBeGreaterThan(sentAt[0] ?? 0);
  });

  it.concurrent('reaches the chat and the mailbox in plain words, and closes there as an answer to the first message', async () => {
    const mail = await openMailServer();
    const { gateway, receiver, parkedLead, discard } = await start((to) => ({
      ALERT_SLACK_URL: `${to.url}/chat`,
      ...{ ALERT_SMTP_URL: mail.url, ALERT_EMAIL: 'leadgate@example.org:ops@example.org, night@example.org' },
      LEADGATE_URL: 'https://leads.example.org',
    }));
    await gateway.startWorker();
    receiver.answerWith({ status: 500, body: {} });
    const chats = () => receiver.received.filter(({ url }) => url === '/chat');
    const leadId = await parkedLead();
    // The first post is answered 500, so the engine repeats it.
    await until(() => chats().length === 2 && mail.received.length === 1, 'both are told');
    await discard(leadId);
    await until(() => chats().length === 3 && mail.received.length === 2, 'both are told that it is over');
    await mail.close();

    const link = 'https://leads.example.org/console#/leads?state=parked';
    const since = expect.stringMatching(/^Since \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    const [, opened, closed] = chats().map(({ body }) => Object.values(body).map((text) => String(text).split('\n')));
    expect(opened).toEqual([['1 lead parked at V2', expect.stringContaining('resend, confirm or discard'), since, link]]);
    expect(closed).toEqual([['Resolved: 1 lead parked at V2', 'No lead waits for a person any more', since, link]]);

    const [first, second] = mail.received;
    expect(first).toMatchObject({ from: 'leadgate@example.org', to: ['ops@example.org', 'night@example.org'] });
    expect([first, second].map((each) => each?.header('subject'))).toEqual([
      'Leadgate: 1 lead parked at V2',
      'Re: Leadgate: 1 lead parked at V2',
    ]);
    expect(first?.text).toContain(leadId);
    expect(first?.text).toContain('https://leads.example.org/console#/leads?state');
    expect(second?.text).toMatch(/^Resolved: 1 lead parked at V2\r\n\r\nNo lead waits for a person any more/);
    const id = first?.header('message-id');
    expect(id).toMatch(/^<[0-9a-f-]{36}\.opened@example\.org>$/);
    expect([second?.header('in-reply-to'), second?.header('references')]).toEqual([id, id]);
    expect(second?.header('message-id')).toBe(id?.replace('opened', 'closed'));
    expect(JSON.stringify([mail.received, chats()])).not.toMatch(/Ann|Lee|ann-|555\D{0,2}201/);
  });

  it.concurrent('closes an alert of an earlier alerting run, once', async () => {
    const { gateway, told } = await start(webhook);
    const { client, config } = gateway;
    const taskQueue = config.TASK_QUEUE;
    const open = parkedAlert();
    const state: AlertState = { open: [open], keysTriedUntil: 0 };
    await client.workflow.start('tellAlert', { workflowId: alertIdOf(open), taskQueue, args: [open, ['webhook']] });
    await client.workflow.start('alerts', { workflowId: alertsIdOf(taskQueue), taskQueue, args: [state] });
    await gateway.startWorker();
    await client.workflow.getHandle(alertIdOf(open)).result();
    expect(told().map(({ id }) => id)).toEqual([`${open.alertId}.opened`, `${open.alertId}.closed`]);
  });

  it.concurrent('opens an alert with the reason for a held upstream, and sends heartbeats', async () => {
    const startedAt = Date.now();
    const screening = await openUpstream();
    const { gateway, receiver, told, toldOf } = await start((to) => ({
      ...webhook(to),
      ALERT_HEARTBEAT_URL: `${to.url}/heart`,
      SCREENING_URL: screening.url,
      SCREENING_API_KEY: 'mine',
    }));
    await gateway.startWorker();
    await screening.close();
    const leadIds: string[] = [];
    for (const { email } of [newLead(), newLead(), newLead()]) {
      const { body } = await gateway.post(sendPatient.path, { ...sendPatient.example, email }, { prefer: 'respond-async' });
      leadIds.push(body.leadId);
    }
    await until(() => toldOf('opened').length === 1, 'it is said');
    expect(told()).toMatchObject([
      {
        data: {
          kind: 'held',
          upstream: 'screening',
          leadIds: [expect.stringMatching(leadIds.join('|'))],
          reason: expect.stringMatching(
            /^It failed \d+ times in a row, the last error: the \S.*could not be reached.*; its leads wait unsent/,
          ),
        },
      },
    ]);
    const beats = receiver.received.filter(({ url, method }) => url === '/heart' && method === 'GET').length;
    expect(beats).toBeGreaterThan(0);
    expect(beats).toBeLessThanOrEqual(1 + (Date.now() - startedAt) / 60_000);
  });

  it.concurrent('opens one alert for guessed keys, from any number of addresses', async () => {
    const { gateway, told, toldOf, alertRuns } = await start((to) => ({ ...webhook(to), GATEWAY_API_KEYS: callers('ops:operator') }));
    await gateway.startWorker();
    await until(async () => (await alertRuns()) === 1, 'the alerting runs');
    const wrong = () => gateway.get('/api/leads', { 'x-gateway-key': 'a-key-that-nobody-has' });
    await until(async () => (await wrong()).status === 429, 'they are too many');
    await until(() => toldOf('opened').length === 1, 'it is said');
    expect(told()).toMatchObject([
      { data: { kind: 'keys', count: 0, reason: expect.stringContaining('audit trail'), link: expect.stringMatching(/console#\/audit/) } },
    ]);
    await gateway.client.workflow.getHandle(alertsIdOf(gateway.config.TASK_QUEUE)).signal('wrongKeys');
    expect(toldOf('opened')).toHaveLength(1);
  });

  it.concurrent(
    'creates one card for an alert even if the answer of the board is lost, and marks it done when the alert closes',
    async () => {
      const { gateway, parkedLead, discard } = await start(() => ({
        ALERT_BOARD: 'project-template/list-up-next',
        // A word for the simulator, which stands in the text of the card.
        LEADGATE_URL: 'https://leads.example.org/card-reset-after',
      }));
      await gateway.startWorker();
      const cards = async (): Promise<{ title: string; text: string; done: boolean }[]> =>
        (await gateway.get('/api/taskboard/todos?projectId=project-template&todoListId=list-up-next')).body.cards.filter(
          ({ title }: { title: string }) => title.includes('parked'),
        );
      const leadId = await parkedLead();
      const [card] = await until(async () => ((await cards()).length === 1 ? cards() : undefined), 'the card');
      expect(card).toMatchObject({ title: '1 lead parked at V2', text: expect.stringContaining(leadId), done: false });
      await discard(leadId);
      await until(async () => (await cards())[0]?.done, 'it is done');
      expect(await cards()).toHaveLength(1);
      expect((await gateway.sandbox()).calls.card).toBe(1);
    },
  );

  it.concurrent('looks for the card that a dead worker may have created, and creates no second one', async () => {
    const { gateway } = await start();
    const { client, config, engine, keys } = gateway;
    const { connection, namespace } = engine;
    const taskQueue = config.TASK_QUEUE;
    const alert = parkedAlert();
    const run = await client.workflow.start('tellAlert', { workflowId: alertIdOf(alert), taskQueue, args: [alert, ['card']] });
    const worker = await Worker.create({
      ...{ connection, namespace, taskQueue, dataConverter: workerConverter(keys) },
      workflowBundle: { codePath: testEngine().bundlePath },
    });
    const activities = async () =>
      ((await run.fetchHistory()).events ?? []).flatMap(({ activityTaskScheduledEventAttributes: of }) => of?.activityType?.name ?? []);
    await worker.runUntil(async () => {
      // Takes the task, and is not heard of again.
      await client.workflowService.pollActivityTaskQueue({ namespace, taskQueue: { name: taskQueue }, identity: 'dead' });
      await until(async () => (await activities()).length === 2, 'the engine gives it up');
    });
    expect(await activities()).toEqual(['makeAlertCard', 'findAlertCard']);
    await run.terminate();
  });

  it.concurrent('starts no alerting run without an alert channel', async () => {
    const { gateway, parkedLead, alertRuns } = await start();
    await gateway.startWorker();
    await parkedLead();
    expect(await alertRuns()).toBe(0);
  });

  it.concurrent('opens no alert for a paused upstream', async () => {
    const { gateway } = await start();
    await gateway.startWorker();
    const { client, config } = gateway;
    const holds = createHolds(client, config.TASK_QUEUE).list;
    const held = async () =>
      (await look({ client, taskQueue: config.TASK_QUEUE, holds, leadAgeMin: 0 })).filter(({ kind }) => kind === 'held').length;
    const send = () => gateway.post(noPrescreen.path, newLead('', { instanceName: 'erg-oct.key-429' }), { prefer: 'respond-async' });
    await Promise.all([send(), send(), send()]);
    await until(async () => (await held()) === 1, 'it is held');
    const { status } = await gateway.post('/api/upstreams/pause', {
      upstream: 'key-service',
      instance: 'ERG/erg-oct.key-429',
      reason: 'a test',
    });
    expect([status, await held()]).toEqual([200, 0]);
  });

  it.concurrent('opens an alert for a disk that may be full tomorrow, and not for one with space', async () => {
    const { gateway } = await start();
    const { client, config } = gateway;
    const lookFor = (leastBytes: number) =>
      look({
        ...{ client, taskQueue: config.TASK_QUEUE, holds: () => Promise.resolve([]), leadAgeMin: 0 },
        disk: { dataDir: config.LEADGATE_DATA_DIR, leastBytes },
      });
    expect(await lookFor(0)).toEqual([]);
    expect(await lookFor(Number.MAX_SAFE_INTEGER)).toMatchObject([{ kind: 'disk', count: 0, reason: expect.stringContaining('GiB free') }]);
  });

  it.concurrent('opens an alert for a lead that is open for too long, unless it is parked', async () => {
    const { gateway, parkedLead } = await start();
    await gateway.startWorker();
    const { client, config } = gateway;
    const holds = createHolds(client, config.TASK_QUEUE).list;
    const lookFor = (leadAgeMin: number, isLate = false) =>
      look({ client, taskQueue: config.TASK_QUEUE, holds, leadAgeMin, isCopyLate: async () => isLate });
    await parkedLead();
    const { body } = await gateway.post(noPrescreen.path, newLead('', { instanceName: 'erg-oct.key-500' }), { prefer: 'respond-async' });
    // The index lags: it counts the parked lead as an open one for a moment.
    await untilHolds(async () => {
      const seen = (await lookFor(0.001)).filter(({ kind }) => kind !== 'held');
      expect(seen).toMatchObject([
        { kind: 'parked', count: 1 },
        { kind: 'overdue', count: 1, leadIds: [body.leadId] },
      ]);
    }, 'both are seen');
    expect((await lookFor(60)).some(({ kind }) => kind === 'overdue')).toBe(false);
    expect((await lookFor(0)).some(({ kind }) => kind === 'overdue')).toBe(false);
    expect((await lookFor(0)).some(({ kind }) => kind === 'backup')).toBe(false);
    expect((await lookFor(0, true)).some(({ kind }) => kind === 'backup')).toBe(true);
  });
});

/** A test of the alerts goes the way that alerts go, through the run of the alerting, and tells what became of it. */
describe('a test alert', () => {
  const ALERT_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
  const board = { ALERT_BOARD: 'project-template/list-up-next' };

  const webhook = ({ url }: Upstream) => ({ ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET });

  interface Message {
    readonly type: string;
    readonly data: { readonly alertId: string; readonly [name: string]: unknown };
  }

  /** A gateway whose alerting runs, and the receiver of its alerts. */
  async function alerting(settingsOf: (receiver: Upstream) => Record<string, string>) {
    const receiver = await openUpstream();
    stops.push(receiver.close);
    const gateway = await startGateway({ settings: settingsOf(receiver) });
    stops.push(gateway.stop);
    const { client, config } = gateway;
    await until(() => client.workflow.getHandle(alertsIdOf(config.TASK_QUEUE)).describe(), 'the alerting runs');
    const told = () =>
      receiver.received.map(
        ({ text, headers }) => new Webhook(ALERT_WEBHOOK_SECRET).verify(text, headers as Record<string, string>) as Message,
      );
    return { ...gateway, receiver, told };
  }

  it.concurrent('arrives on every channel, opened and closed, and is recorded on the audit trail', async () => {
    const chat = await openUpstream();
    const mail = await openMailServer();
    const { post, get, told } = await alerting((to) => ({
      ...{ ...webhook(to), ...board, ALERT_SLACK_URL: chat.url },
      ...{ ALERT_SMTP_URL: mail.url, ALERT_EMAIL: 'leadgate@example.org:ops@example.org' },
    }));
    const { status, body } = await post('/api/alerts/test', {});
    await Promise.all([chat.close(), mail.close()]);
    expect([chat.received.length, mail.received.length]).toEqual([2, 2]);
    const arrived = ['webhook', 'slack', 'email', 'card'].map((channel) => ({ channel, arrived: true }));
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

  it.concurrent('is reported with the reason if it does not arrive, and not retried', async () => {
    const [chatPort, mailPort] = [await freePort(), await freePort()];
    const { post, url, receiver, told } = await alerting((to) => ({
      ...{ ...webhook(to), ALERT_BOARD: 'no-such-project/list-up-next', ALERT_SLACK_URL: `http://127.0.0.1:${chatPort}` },
      ...{ ALERT_SMTP_URL: `smtp://127.0.0.1:${mailPort}`, ALERT_EMAIL: 'leadgate@example.org:ops@example.org' },
    }));
    receiver.answerWith({ status: 500, body: {} });
    const { status, body } = await post('/api/alerts/test', {});
    expect([status, body.channels]).toEqual([
      200,
      [
        { channel: 'webhook', arrived: false, reason: 'The alert webhook answered 500' },
        { channel: 'slack', arrived: false, reason: 'The chat could not be reached (ECONNREFUSED)' },
        { channel: 'email', arrived: false, reason: 'The mail server could not be reached (ECONNREFUSED)' },
        { channel: 'card', arrived: false, reason: expect.any(String) },
      ],
    ]);
    expect(told()).toHaveLength(1);
    receiver.answerWith({ status: 404, body: {} });
    const said = await leadgate(['alerts', 'test'], { settings: { LEADGATE_URL: url } });
    expect(said).toMatchObject({ status: 1, err: '' });
    expect(said.out).toMatch(
      /^webhook {2}did not arrive: The alert webhook answered 404\nslack {4}.+\nemail {4}.+\ncard {5}did not arrive: .+\nIts id is \S+\n$/,
    );
  });

  it.concurrent('is reported by the command line', async () => {
    const { url, told } = await alerting(webhook);
    const said = await leadgate(['alerts', 'test'], { settings: { LEADGATE_URL: url } });
    expect(said).toEqual({ status: 0, err: '', out: expect.stringMatching(/^webhook {2}arrived\nIts id is \S+\n$/) });
    expect(told().map(({ type }) => type)).toEqual(['leadgate.alert.opened', 'leadgate.alert.closed']);
  });

  it.concurrent.each([
    ['no alert is set', async () => noAlerts],
    ['only the heartbeat is set', () => alerting(() => ({ ALERT_HEARTBEAT_URL: 'http://127.0.0.1:9/heart' }))],
  ])('where %s, it says which setting is missing', async (_name, started: () => Promise<Gateway>) => {
    const gateway = await started();
    const said = await leadgate(['alerts', 'test'], { settings: { LEADGATE_URL: gateway.url } });
    expect(said).toMatchObject({ status: 2, out: '', err: expect.stringMatching(/^leadgate: CONFIG_ERROR: .*ALERT_WEBHOOK_URL/) });
  });
});
