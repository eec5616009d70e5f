/**
 * Replays stored runs of every branch with the current workflows: a change that open runs could not replay fails here. After an intended
 * change, `RECORD_HISTORIES=1 npm test -- test/replay/replay` records them again. The people in them do not exist.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { alertsIdOf } from '../../src/domain/alerts';
import { holdId } from '../../src/domain/hold';
import { pausesId } from '../../src/domain/pauses';
import { historyToJson } from '../../tools/replay/history-json';
import { sendFailing } from '../support/failing-leads';
import { giveUpEvents } from '../support/given-up';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { replaying } from '../support/replays';
import { until } from '../support/until';
import { openUpstream } from '../support/upstream';
import { dir, LEADGATE_KEYS, replay, replayAll, stored } from './stored';

replaying();

/** Failed runs, exported by `leadgate fixture`: the person in each does not exist. */
const fixtures = join(__dirname, 'fixtures');

const clinicsys = (flow: string, sentinels = '', fields = {}) => ({ path: `/api/clinicsys/${flow}`, body: newLead(sentinels, fields) });

const recruitLead = (sentinel: string) => ({
  bearerToken: 'stored',
  clientId: '1',
  siteId: '1263',
  environment: 'us',
  firstName: 'Ann',
  lastName: 'Lee',
  email: `ann${sentinel}@example.org`,
});

const person = newLead('comment-422');

type LeadBranch = Pick<Branch, 'path' | 'body' | 'before' | 'after'>;

/** A lead that waits at a pause of its instance, until that is resumed. */
function pausedLead(instanceName: string, upstream = 'key-service'): LeadBranch {
  const paused = { upstream, instance: `ERG/${instanceName}`, reason: 'a test' };
  return {
    ...clinicsys('no-prescreen', '', { instanceName }),
    before: async (gateway) => {
      await gateway.post('/api/upstreams/pause', paused);
      const waits = async () => (await gateway.get(`/api/leads?state=waiting&instanceName=${instanceName}`)).body.count === 1;
      void until(waits, 'it waits').then(() => gateway.post('/api/upstreams/resume', paused));
    },
    after: (gateway, leadId) => gateway.get(`/api/leads/${leadId}?wait=30`),
  };
}

/** A lead that waits before its held key service, until that answers. */
const heldLead = (instanceName: string): LeadBranch => ({
  ...clinicsys('no-prescreen', '', { instanceName }),
  before: (gateway) => sendFailing(gateway, instanceName),
  after: (gateway, leadId) => gateway.get(`/api/leads/${leadId}?wait=30`),
});

/** A lead that a person tries now while the engine tries its look-up again. */
const triedLead = (instanceName: string): LeadBranch => ({
  ...clinicsys('no-prescreen', 'lookup-503-x6', { instanceName }),
  before: async (gateway) => {
    const newest = async () => (await gateway.get(`/api/leads?state=waiting&instanceName=${instanceName}`)).body.leads[0]?.leadId;
    const isTried = async (leadId: string) => (await gateway.get(`/api/leads/${leadId}`)).body.steps[1]?.attempts > 2;
    const tryNow = async () => {
      const leadId = await until(newest, 'it waits');
      await until(() => isTried(leadId), 'the engine tries it');
      await gateway.post(`/api/leads/${leadId}/try`, { reason: 'a test' });
    };
    void tryNow();
  },
  after: (gateway, leadId) => gateway.get(`/api/leads/${leadId}?wait=30`),
});

const failedTwo = { filter: { protocol: 'driven again' }, reason: 'mistyped', fields: { instanceName: 'erg-oct' } };

/** Posts of events are refused there. */
const nobodyHears = { EVENTS_WEBHOOK_URL: 'http://127.0.0.1:9/', EVENTS_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}` };

interface Branch {
  readonly path: string;
  readonly body: object;
  readonly before?: (gateway: Gateway) => Promise<unknown>;
  readonly after?: (gateway: Gateway, leadId: string) => Promise<unknown>;
  /** The run to record; by default that of the request. */
  readonly workflowId?: (gateway: Gateway, leadId: string) => string | Promise<string>;
  /** Settings of a separate gateway. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** An alert whose card is made, and then done. */
const parkedAndDiscarded: Branch = {
  ...clinicsys('no-prescreen', 'comment-422'),
  after: async (gateway, leadId) => {
    const board = '/api/taskboard/todos?projectId=project-template&todoListId=list-up-next';
    const told = async () =>
      ((await gateway.get(board)).body.cards as { done: boolean; text: string }[]).filter(({ text }) => text.includes(leadId));
    await until(async () => (await told()).length === 1, 'the card');
    await gateway.post(`/api/leads/${leadId}/discard`, { reason: 'a test' });
    await until(async () => (await told())[0]?.done, 'the card is done');
  },
  settings: { ALERT_BOARD: 'project-template/list-up-next' },
};

/** The run of the only alert. */
async function alertRun({ client, config }: Gateway): Promise<string> {
  const query = `WorkflowType = 'tellAlert' AND ExecutionStatus = 'Completed' AND TaskQueue = '${config.TASK_QUEUE}'`;
  const run = () => client.workflow.list({ query })[Symbol.asyncIterator]().next();
  return until(async () => (await run()).value?.workflowId, 'the run of the alert');
}

/** For each name, how the run is made, and its state when its history is recorded. */
const branches: Record<string, Branch> = {
  'no-prescreen-delivered': clinicsys('no-prescreen'),
  'no-prescreen-skipped': clinicsys('no-prescreen', '', { email: 'ann@example.org' }),
  'with-prescreen-delivered': clinicsys('with-prescreen', '', { q101: 'Yes', q102: null }),
  'key-refused': clinicsys('no-prescreen', '', { instanceName: 'erg-oct.key-404' }),
  'look-up-refused': clinicsys('no-prescreen', 'lookup-422'),
  'look-up-second-try': clinicsys('no-prescreen', 'lookup-500-once'),
  'look-up-tried-now': triedLead('erg-oct.tried'),
  'waited-for-key': clinicsys('no-prescreen', '', { instanceName: 'erg-oct.key-500-x2' }),
  'held-for-key': heldLead('erg-oct.key-500-x8'),
  'hold-of-key-service': {
    ...heldLead('erg-oct.key-429-x8'),
    workflowId: ({ config }) => holdId(config.TASK_QUEUE, { upstream: 'key-service', instance: 'ERG/erg-oct.key-429-x8' }),
  },
  'paused-delivered': pausedLead('erg-oct.paused'),
  'paused-before-send': pausedLead('erg-oct.unsent', 'V1'),
  'hold-of-pause': {
    ...pausedLead('erg-oct.line'),
    workflowId: ({ config }) => holdId(config.TASK_QUEUE, { upstream: 'key-service', instance: 'ERG/erg-oct.line' }),
  },
  'pauses-resumed': { ...pausedLead('erg-oct.pauses'), workflowId: ({ config }) => pausesId(config.TASK_QUEUE) },
  'key-renewed': clinicsys('no-prescreen', '', { instanceName: 'erg-oct.v1-revoked' }),
  'v1-refused': clinicsys('with-prescreen', 'v1-refused'),
  'v1-recovered': clinicsys('no-prescreen', 'v1-500-after'),
  'comment-read-back': clinicsys('no-prescreen', 'comment-500-after'),
  'comment-parked': clinicsys('no-prescreen', 'comment-422'),
  'comment-resent': {
    ...clinicsys('no-prescreen', 'comment-500-once+readback-405'),
    after: async (gateway, leadId) => {
      await gateway.post(`/api/leads/${leadId}/resend`, { reason: 'looked it up' });
      return gateway.get(`/api/leads/${leadId}?wait=10`);
    },
  },
  'comment-discarded': {
    ...clinicsys('no-prescreen', 'comment-422'),
    after: async (gateway, leadId) => {
      await gateway.post(`/api/leads/${leadId}/discard`, { reason: 'wrong person' });
      return gateway.get(`/api/leads/${leadId}?wait=10`);
    },
  },
  'two-driven-again': {
    path: '/api/redrives',
    body: { ...failedTwo, count: 2 },
    before: async (gateway) => {
      const failing = { instanceName: 'erg-oct.key-404', ...failedTwo.filter };
      for (const { path, body } of [clinicsys('no-prescreen', '', failing), clinicsys('with-prescreen', '', failing)])
        await gateway.post(path, body);
      await until(async () => (await gateway.post('/api/redrives', failedTwo)).body.count === 2, 'both are counted');
    },
    after: (gateway) => until(async () => (await gateway.get('/api/redrives')).body.redrives[0]?.state === 'done', 'both are started'),
  },
  reconciled: {
    path: '/api/reconciliations',
    body: { since: '2026-01-01T00:00:00Z', flows: ['with-prescreen'] },
    before: async (gateway) => {
      const order = { since: '2026-01-01T00:00:00Z', flows: ['with-prescreen'], dryRun: true };
      for (const lead of [clinicsys('with-prescreen', 'comment-forgotten'), clinicsys('with-prescreen', 'v1-doubled')])
        await gateway.post(lead.path, lead.body);
      await until(async () => (await gateway.post('/api/reconciliations', order)).body.count >= 2, 'they are counted');
    },
  },
  'recruit-delivered': { path: '/api/recruit/send-to-recruit', body: recruitLead('') },
  'recruit-refused': { path: '/api/recruit/send-to-recruit', body: recruitLead('+recruit-422') },
  'recruit-parked': { path: '/api/recruit/send-to-recruit', body: recruitLead('+recruit-500') },
  'board-list-made': { path: '/api/taskboard/projects', body: { name: 'Stored', fromTemplate: false } },
  'board-copied': { path: '/api/taskboard/projects', body: { name: 'Stored copy' } },
  'alerts-told': { ...parkedAndDiscarded, workflowId: ({ config }) => alertsIdOf(config.TASK_QUEUE) },
  'alert-closed': { ...parkedAndDiscarded, workflowId: alertRun },
  'alerts-tested': {
    path: '/api/alerts/test',
    body: {},
    before: (gateway) => until(async () => (await gateway.post('/api/alerts/test', {})).status === 200, 'the alerting runs'),
    workflowId: ({ config }) => alertsIdOf(config.TASK_QUEUE),
    settings: { ALERT_BOARD: 'project-template/list-up-next' },
  },
  'events-handed-over': {
    ...clinicsys('no-prescreen', 'comment-422'),
    after: async (gateway, leadId) => {
      await gateway.post(`/api/leads/${leadId}/discard`, { reason: 'wrong person' });
      return gateway.get(`/api/leads/${leadId}?wait=10`);
    },
    settings: nobodyHears,
  },
  'events-sent-again': {
    ...clinicsys('no-prescreen'),
    after: async (gateway, leadId) => {
      await gateway.post(`/api/leads/${leadId}/events`, {});
      const history = () => gateway.client.workflow.getHandle(`events-${leadId}`).fetchHistory();
      await until(async () => (await history()).events?.some((event) => event.activityTaskCanceledEventAttributes), 'the post is ended');
    },
    workflowId: (_gateway, leadId) => `events-${leadId}`,
    settings: nobodyHears,
  },
  'events-given-up': {
    ...clinicsys('no-prescreen'),
    after: async (gateway, leadId) => {
      const receiver = await openUpstream();
      await giveUpEvents(gateway, receiver, leadId);
      receiver.answerAlways({ status: 503, body: {}, headers: { 'retry-after': '3000' } });
      const resend = (end: string) => gateway.post(`/api/leads/${leadId}/events/${leadId}-1-${end}/resend`, {});
      const before = receiver.received.length;
      await resend('1-accepted');
      await until(() => receiver.received.length > before, 'the first is refused');
      await resend('2-delivered');
      receiver.answerAlways({ body: {} });
      await resend('1-accepted');
      await gateway.client.workflow.getHandle(`events-${leadId}`).result();
      await receiver.close();
    },
    workflowId: (_gateway, leadId) => `events-${leadId}`,
    settings: { ...nobodyHears, EVENTS_WEBHOOK_URL: '', EVENTS_HOSTS: '127.0.0.1' },
  },
  'limited-delivered': { ...clinicsys('no-prescreen'), settings: { UPSTREAM_LIMITS: 'key-service=50/s,V1=50/s,V2=50/s' } },
  'limited-parked': {
    path: '/api/recruit/send-to-recruit',
    body: recruitLead(''),
    before: (gateway) => gateway.post('/api/recruit/send-to-recruit', recruitLead('.before')),
    settings: { UPSTREAM_LIMITS: 'recruitment=1/min', LEAD_TTL_H: '0.001' },
  },
  'turn-taken': {
    ...clinicsys('no-prescreen'),
    // Another lead of the same person is parked, and then ends.
    body: { ...person, protocol: 'the second' },
    before: async (gateway) => {
      const { body } = await gateway.post('/api/clinicsys/no-prescreen', person);
      const discard = () => gateway.post(`/api/leads/${body.leadId}/discard`, { reason: 'a test' });
      void until(async () => (await gateway.get('/api/leads?state=waiting&protocol=the second')).body.count === 1, 'it waits').then(
        discard,
      );
    },
    after: (gateway, leadId) => gateway.get(`/api/leads/${leadId}?wait=30`),
  },
  'person-erased': {
    path: '/api/erase',
    body: { email: 'forgotten@example.org', reason: 'a test' },
    before: (gateway) => gateway.post('/api/clinicsys/no-prescreen', newLead('', { email: 'forgotten@example.org' })),
    workflowId: ({ keys }) =>
      `erase-${keys.hash('erase id', JSON.stringify({ emails: [keys.hash('email', 'forgotten@example.org')], phones: [], patients: [] }), 20)}`,
  },
  'toolkit-sites': { path: '/api/clinicsys/toolkit/get-sites', body: { instanceName: 'erg-oct' } },
};

/** Removes the name of the machine that recorded it. */
const withoutMachine = (name: string, value: unknown) => (name === 'identity' ? 'recorder' : value);

async function recordOne(gateway: Gateway, name: string): Promise<void> {
  const { path, body, before, after, workflowId } = branches[name]!;
  await before?.(gateway);
  const { headers } = await gateway.post(path, body);
  const leadId = headers.get('x-lead-id') ?? '';
  await after?.(gateway, leadId);
  const run = gateway.client.workflow.getHandle((await workflowId?.(gateway, leadId)) ?? headers.get('x-workflow-id') ?? '');
  // A call is answered before its run has ended.
  if (!workflowId && !headers.has('x-lead-id')) await run.result();
  const history = await until(() => run.fetchHistory(), `the history of ${name}`);
  writeFileSync(join(dir, `${name}.json`), `${JSON.stringify(historyToJson(history), withoutMachine, 1)}\n`);
}

async function record(): Promise<void> {
  const shared = await startGateway({ settings: { LEADGATE_KEYS } });
  try {
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir);
    for (const [name, { settings }] of Object.entries(branches)) {
      const gateway = settings ? await startGateway({ settings: { LEADGATE_KEYS, ...settings }, alertClearMs: 1_000 }) : shared;
      await recordOne(gateway, name);
      if (settings) await gateway.stop();
    }
  } finally {
    await shared.stop();
  }
}

beforeAll(async () => {
  if (process.env.RECORD_HISTORIES) await record();
});

describe('a stored run', () => {
  const happened = readdirSync(fixtures);
  const wrong = new Map<string, Error | undefined>();
  beforeAll(async () => {
    const fixture = (name: string): unknown => JSON.parse(readFileSync(join(fixtures, name), 'utf8'));
    const names = [...Object.keys(branches), ...happened];
    const errors = await replayAll([...Object.keys(branches).map(stored), ...happened.map(fixture)]);
    expect(errors).toHaveLength(names.length);
    for (const [at, name] of names.entries()) wrong.set(name, errors[at]);
  });
  const expectSame = (name: string) => expect([...wrong].filter(([of]) => of === name)).toEqual([[name, undefined]]);

  it.each(Object.keys(branches))('of %s replays with the current code', (name) => expectSame(name));

  it('exists for every branch, and for nothing else', () =>
    expect(readdirSync(dir).toSorted()).toEqual(
      Object.keys(branches)
        .map((name) => `${name}.json`)
        .toSorted(),
    ));

  it.each(happened)('of the fixture %s replays with the current code', (name) => expectSame(name));

  it('that differs from the code is detected', async () => {
    const history = stored('look-up-second-try');
    for (const { activityTaskScheduledEventAttributes: scheduled } of history.events)
      if (scheduled?.activityType?.name === 'checkEmail') scheduled.activityType.name = 'checkTwice';
    await expect(replay(history)).rejects.toMatchObject({ name: 'DeterminismViolationError' });
  });
});
