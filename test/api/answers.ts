/** Every route asked for its success, and every error provoked that can be, each in the sandbox: what the reference shows as examples. */
import { endpointTable, type EndpointName } from '../../src/contract';
import type { Endpoint } from '../../src/contract/endpoint';
import type { ErrorCode } from '../../src/domain/lead';
import { eraseUntilDone, patientOf } from '../support/background';
import { sendFailing } from '../support/failing-leads';
import { giveUpEvents } from '../support/given-up';
import { newLead, startGateway, type GatewayAnswer, type Gateway, type GatewayOptions } from '../support/gateway';
import { until } from '../support/until';
import { openUpstream } from '../support/upstream';
import { columnAt } from './taskboard';
import { callers, keyOf } from '../support/keys';

type Fields = Readonly<Record<string, unknown>>;
type Headers = Record<string, string>;

export const endpointOf = (name: EndpointName): Endpoint => {
  const [, found] = endpointTable.find(([known]) => known === name) ?? [];
  if (!found) throw new Error(`no row ${name}`);
  return found;
};

/** A row asked with these fields: in the path, and the rest in the query or the body. */
export async function ask(gateway: Gateway, name: EndpointName, fields: Fields, headers: Headers = {}): Promise<GatewayAnswer> {
  const { method, path, upload } = endpointOf(name);
  const rest = new Map(Object.entries(fields));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = rest.get(field);
    rest.delete(field);
    return encodeURIComponent(String(value));
  });
  const search = new URLSearchParams([...rest].map(([field, value]): [string, string] => [field, String(value)])).toString();
  const isInPath = method === 'get' || upload !== undefined;
  const address = `${filled}${isInPath ? `?${search}` : ''}`;
  if (method === 'get') return gateway.get(address, headers);
  const type = upload?.type ?? 'application/json';
  return gateway[method](address, upload?.example ?? Object.fromEntries(rest), { 'content-type': type, ...headers });
}

const exampleOf = (name: EndpointName): Fields => endpointOf(name).example ?? {};
const card = exampleOf('getTodo');
const failing = { instanceName: 'erg-oct.key-404' };
const limited = { instanceName: 'erg-oct.key-429' };
const mended = { reason: 'The instance was mistyped', fields: { instanceName: 'erg-oct' } };

/** A person whom no simulator has seen. */
const someone = (sentinels = '', fields = {}) => newLead(sentinels, fields);
const leadIdOf = ({ headers, body }: GatewayAnswer) => ({ leadId: headers.get('x-lead-id') ?? body.leadId });
const parked = async (gateway: Gateway) => leadIdOf(await ask(gateway, 'noPrescreen', someone('comment-422')));
const failed = async (gateway: Gateway) => leadIdOf(await ask(gateway, 'noPrescreen', someone('', failing)));
const delivered = async (gateway: Gateway) => leadIdOf(await ask(gateway, 'noPrescreen', someone()));

/** The answer as soon as it tells of something: what is just done is listed a moment later. */
const told = (gateway: Gateway, name: EndpointName, fields: Fields) =>
  until(async () => {
    const answer = await ask(gateway, name, fields);
    return answer.body.count > 0 ? answer : undefined;
  }, `${name} tells of something`);

/** The list as soon as this order is its newest. Five leads at one a second keep the order running meanwhile. */
const newestIn = (gateway: Gateway, name: 'listRedrives' | 'listDecisions', orderId: string) =>
  until(async () => {
    const answer = await ask(gateway, name, {});
    const [newest = {}] = answer.body.redrives ?? answer.body.decisions;
    return Object.values(newest).includes(orderId) ? answer : undefined;
  }, 'the order is the newest in the list');

/** The answer to the pause. It is resumed, because the other plays send to it, too. */
async function pausedAndResumed(gateway: Gateway): Promise<GatewayAnswer> {
  // A lead has gone to it, so nothing warns of a mistyped name.
  await delivered(gateway);
  await told(gateway, 'listLeads', { instanceName: 'erg-oct' });
  const answer = await ask(gateway, 'pauseUpstream', exampleOf('pauseUpstream'));
  await ask(gateway, 'resumeUpstream', exampleOf('resumeUpstream'));
  return answer;
}

/** The answer as soon as a person with a lead is erased. */
async function erased(gateway: Gateway): Promise<GatewayAnswer> {
  const { email } = someone();
  await ask(gateway, 'noPrescreen', someone('', { email }));
  return (await eraseUntilDone(gateway, { email })).at(-1)!;
}

/** A gateway of its own, whose events are taken. */
async function withEvents(play: Play): Promise<GatewayAnswer> {
  const receiver = await openUpstream();
  const EVENTS_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
  const gateway = await startGateway({ settings: { EVENTS_WEBHOOK_URL: receiver.url, EVENTS_WEBHOOK_SECRET } });
  try {
    return await play(gateway);
  } finally {
    await gateway.stop();
    await receiver.close();
  }
}

type StartResend = (more?: Fields) => Promise<GatewayAnswer>;

/** A gateway of its own, and leads whose events were given up. `start` counts them, or starts their resend. */
async function withGivenUp(count: number, play: (gateway: Gateway, start: StartResend) => Promise<GatewayAnswer>): Promise<GatewayAnswer> {
  const receiver = await openUpstream();
  const EVENTS_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
  const gateway = await startGateway({ settings: { EVENTS_HOSTS: '127.0.0.1', EVENTS_WEBHOOK_SECRET } });
  const start: StartResend = (more = { count, ratePerS: 1 }) =>
    ask(gateway, 'startResend', { filter: {}, reason: 'The receiver was down', ...more });
  try {
    for (let lead = 0; lead < count; lead++) await giveUpEvents(gateway, receiver, String((await delivered(gateway)).leadId));
    await until(async () => (await start({})).body.count === count, 'the leads are counted');
    return await play(gateway, start);
  } finally {
    await gateway.stop();
    await receiver.close();
  }
}

let protocols = 0;
const ownProtocol = () => `AD-${++protocols}`;

/** Failed leads of a protocol of their own, as soon as all of them are counted. */
async function countFailed(gateway: Gateway, count: number) {
  const protocol = ownProtocol();
  await Promise.all(Array.from({ length: count }, () => ask(gateway, 'noPrescreen', someone('', { ...failing, protocol }))));
  const order = { filter: { protocol }, ...mended };
  const counted = await until(async () => {
    const answer = await ask(gateway, 'startRedrive', order);
    return answer.body.count === count ? answer : undefined;
  }, 'the failed leads are counted');
  return { order, counted };
}

async function startRedrive(gateway: Gateway, count = 1): Promise<GatewayAnswer> {
  const { order } = await countFailed(gateway, count);
  return ask(gateway, 'startRedrive', { ...order, count, ratePerS: 1 });
}

/** Parked leads of a protocol of their own, counted. */
async function countParked(gateway: Gateway, count: number) {
  const protocol = ownProtocol();
  await Promise.all(Array.from({ length: count }, () => ask(gateway, 'noPrescreen', someone('comment-422', { protocol }))));
  const order = { filter: { protocol, code: 'UPSTREAM_REJECTED' }, verb: 'discard', reason: 'A test' };
  return { order, counted: await ask(gateway, 'startDecision', order) };
}

async function startDecision(gateway: Gateway, count = 1): Promise<GatewayAnswer> {
  const { order } = await countParked(gateway, count);
  return ask(gateway, 'startDecision', { ...order, count, ratePerS: 1 });
}

const since = { since: '2026-01-01T00:00:00Z' };

/** A reconciliation of a parked lead alone, whose comment never arrived, so that it has a proposal. */
async function reconcile(gateway: Gateway): Promise<GatewayAnswer> {
  const protocol = `${ownProtocol()} comment-500-once`;
  const ownMoment = new Date().toISOString();
  await ask(gateway, 'noPrescreen', someone('', { protocol, instanceName: 'erg-oct' }));
  await told(gateway, 'listLeads', { state: 'parked', protocol });
  const { reconciliationId } = (await ask(gateway, 'startReconciliation', { since: ownMoment })).body;
  return until(async () => {
    const answer = await ask(gateway, 'getReconciliation', { reconciliationId, proposed: 'true', limit: 1 });
    return answer.body.state === 'done' ? answer : undefined;
  }, 'the reconciliation ends');
}

let made: Promise<GatewayAnswer> | undefined;
/** One for all plays, because its lead is looked up for seconds before it is parked. */
const reconciled = (gateway: Gateway): Promise<GatewayAnswer> => (made ??= reconcile(gateway));

async function applyProposals(gateway: Gateway): Promise<GatewayAnswer> {
  const { reconciliationId, proposals: count } = (await reconciled(gateway)).body;
  return ask(gateway, 'applyReconciliation', { reconciliationId, reason: 'The findings were looked at', count });
}

type Play = (gateway: Gateway) => Promise<GatewayAnswer>;
const asked =
  (name: EndpointName, fields: Fields = exampleOf(name), headers?: Headers): Play =>
  (gateway) =>
    ask(gateway, name, fields, headers);

/** The rows whose own example is not enough, because something must be there before. */
const prepared: Partial<Record<EndpointName, Play>> = {
  listComments: async (gateway) => {
    await ask(gateway, 'createComment', exampleOf('createComment'));
    return ask(gateway, 'listComments', exampleOf('listComments'));
  },
  getSubjects: asked('getSubjects', { ...exampleOf('getSubjects'), email: 'ann@example.org' }),
  getLead: async (gateway) => ask(gateway, 'getLead', await delivered(gateway)),
  getExchanges: async (gateway) => ask(gateway, 'getExchanges', await delivered(gateway)),
  getEvents: () =>
    withEvents(async (gateway) => {
      const lead = await delivered(gateway);
      return until(async () => {
        const answer = await ask(gateway, 'getEvents', lead);
        const isTold = answer.body.events.every(({ deliveries }: { deliveries: { state: string }[] }) => deliveries[0]?.state === 'told');
        return isTold && answer.body.events.length === 2 ? answer : undefined;
      }, 'both events are told');
    }),
  sendEventsAgain: () => withEvents(async (gateway) => ask(gateway, 'sendEventsAgain', await delivered(gateway))),
  sendEventAgain: () =>
    withEvents(async (gateway) => {
      const lead = await delivered(gateway);
      return ask(gateway, 'sendEventAgain', { ...lead, eventId: `${String(lead.leadId)}-1-1-accepted` });
    }),
  listDeliveries: () => withGivenUp(1, (gateway) => ask(gateway, 'listDeliveries', { state: 'given-up' })),
  startResend: () => withGivenUp(1, (_, start) => start({})),
  listResends: () =>
    withGivenUp(3, async (gateway, start) => {
      await start();
      return told(gateway, 'listResends', {});
    }),
  getResend: () =>
    withGivenUp(1, async (gateway, start) => {
      const { resendId } = (await start()).body;
      return until(async () => {
        const answer = await ask(gateway, 'getResend', { resendId });
        return answer.body.state === 'done' ? answer : undefined;
      }, 'the events are sent');
    }),
  stopResend: () =>
    withGivenUp(3, async (gateway, start) => {
      const { resendId } = (await start()).body;
      return ask(gateway, 'stopResend', { resendId, ...exampleOf('stopResend') });
    }),
  listLeads: async (gateway) => {
    const protocol = ownProtocol();
    await ask(gateway, 'noPrescreen', someone('comment-422', { protocol }));
    return told(gateway, 'listLeads', { state: 'parked', protocol });
  },
  resendLead: async (gateway) => ask(gateway, 'resendLead', { ...(await parked(gateway)), ...exampleOf('resendLead') }),
  confirmLead: async (gateway) => {
    const { leadId } = await parked(gateway);
    return ask(gateway, 'confirmLead', { ...exampleOf('confirmLead'), leadId, upstreamId: await patientOf(gateway, leadId) });
  },
  discardLead: async (gateway) => ask(gateway, 'discardLead', { ...(await parked(gateway)), ...exampleOf('discardLead') }),
  tryLead: async (gateway) => {
    const waiting = leadIdOf(await ask(gateway, 'noPrescreen', someone('', limited), { prefer: 'respond-async' }));
    return until(async () => {
      const answer = await ask(gateway, 'tryLead', { ...waiting, ...exampleOf('tryLead') });
      return answer.status === 200 ? answer : undefined;
    }, 'the lead waits');
  },
  redriveLead: async (gateway) => ask(gateway, 'redriveLead', { ...(await failed(gateway)), ...mended }),
  startRedrive: async (gateway) => (await countFailed(gateway, 1)).counted,
  listRedrives: async (gateway) => {
    const { redriveId } = (await startRedrive(gateway, 5)).body;
    return newestIn(gateway, 'listRedrives', redriveId);
  },
  getRedrive: async (gateway) => {
    const { redriveId } = (await startRedrive(gateway)).body;
    return until(async () => {
      const answer = await ask(gateway, 'getRedrive', { redriveId, limit: 1 });
      return answer.body.state === 'done' && answer.body.results[0]?.state === 'delivered' ? answer : undefined;
    }, 'the lead is delivered');
  },
  stopRedrive: async (gateway) => {
    const { redriveId } = (await startRedrive(gateway, 5)).body;
    return ask(gateway, 'stopRedrive', { redriveId, ...exampleOf('stopRedrive') });
  },
  startDecision: async (gateway) => (await countParked(gateway, 1)).counted,
  listDecisions: async (gateway) => {
    const { decisionId } = (await startDecision(gateway, 5)).body;
    return newestIn(gateway, 'listDecisions', decisionId);
  },
  getDecision: async (gateway) => {
    const { decisionId } = (await startDecision(gateway)).body;
    return until(async () => {
      const answer = await ask(gateway, 'getDecision', { decisionId, limit: 1 });
      return answer.body.state === 'done' && answer.body.results[0]?.state === 'discarded' ? answer : undefined;
    }, 'the lead is discarded');
  },
  stopDecision: async (gateway) => {
    const { decisionId } = (await startDecision(gateway, 5)).body;
    return ask(gateway, 'stopDecision', { decisionId, ...exampleOf('stopDecision') });
  },
  startReconciliation: asked('startReconciliation', { ...since, dryRun: true }),
  listReconciliations: async (gateway) => {
    const { reconciliationId } = (await reconciled(gateway)).body;
    return until(async () => {
      const answer = await ask(gateway, 'listReconciliations', {});
      return answer.body.reconciliations[0]?.reconciliationId === reconciliationId ? answer : undefined;
    }, 'the reconciliation is the newest in the list');
  },
  getReconciliation: reconciled,
  stopReconciliation: async (gateway) => {
    const paused = { upstream: 'V2', instance: 'ERG/erg-oct', reason: 'a test' };
    await delivered(gateway);
    await told(gateway, 'listLeads', { instanceName: 'erg-oct', state: 'delivered' });
    await ask(gateway, 'pauseUpstream', paused);
    const { reconciliationId } = (await ask(gateway, 'startReconciliation', since)).body;
    const answer = await ask(gateway, 'stopReconciliation', { reconciliationId, ...exampleOf('stopReconciliation') });
    await ask(gateway, 'resumeUpstream', paused);
    return answer;
  },
  applyReconciliation: async (gateway) => {
    const { reconciliationId } = (await reconciled(gateway)).body;
    return ask(gateway, 'applyReconciliation', { reconciliationId, reason: 'The findings were looked at' });
  },
  listUpstreams: async (gateway) => {
    await pausedAndResumed(gateway);
    await sendFailing(gateway, limited.instanceName);
    return until(async () => {
      const answer = await ask(gateway, 'listUpstreams', {});
      const [{ lastError, nextProbeAt }] = answer.body.upstreams;
      return lastError && nextProbeAt ? answer : undefined;
    }, 'a hold is listed first, between two of its tries');
  },
  getTraffic: async (gateway) => {
    await ask(gateway, 'listSites', exampleOf('listSites'));
    return until(async () => {
      const answer = await ask(gateway, 'getTraffic', {});
      // A question opens a minute, so the first one may have no call.
      const minutes = answer.body.minutes.filter(({ done }: { done: number }) => done > 0);
      return minutes.length > 0 ? { ...answer, body: { ...answer.body, minutes } } : undefined;
    }, 'the call is counted');
  },
  pauseUpstream: pausedAndResumed,
  resumeUpstream: async (gateway) => {
    await ask(gateway, 'pauseUpstream', exampleOf('pauseUpstream'));
    return ask(gateway, 'resumeUpstream', exampleOf('resumeUpstream'));
  },
  exportLeads: async (gateway) => {
    const { email } = someone();
    await ask(gateway, 'noPrescreen', someone('', { email }));
    return ask(gateway, 'exportLeads', { email });
  },
  countLeadsByDay: async (gateway) => {
    await delivered(gateway);
    return ask(gateway, 'countLeadsByDay', { days: 1 });
  },
  listAudit: async (gateway) => {
    const { leadId } = await parked(gateway);
    await ask(gateway, 'discardLead', { leadId, reason: 'a test' });
    return told(gateway, 'listAudit', { leadId });
  },
  erasePerson: erased,
  listErasures: async (gateway) => {
    await erased(gateway);
    return ask(gateway, 'listErasures', exampleOf('listErasures'));
  },
  getRetention: async (gateway) => {
    // The audit trail is there from its first act on.
    await ask(gateway, 'erasePerson', exampleOf('erasePerson'));
    return ask(gateway, 'getRetention', {});
  },
  testAlerts: async () => {
    // Alerts of the shared gateway would make cards of the leads that other plays park.
    const gateway = await startGateway({ settings: { ALERT_BOARD: 'project-template/list-up-next' } });
    try {
      return await until(async () => {
        const answer = await ask(gateway, 'testAlerts', {});
        return answer.status === 200 ? answer : undefined;
      }, 'the alerting runs');
    } finally {
      await gateway.stop();
    }
  },
};

export const successes: readonly (readonly [EndpointName, Play])[] = endpointTable.map(([name]) => [name, prepared[name] ?? asked(name)]);

export const acceptances: readonly (readonly [EndpointName, Play])[] = [
  ['startRedrive', (gateway) => startRedrive(gateway)],
  ['startDecision', (gateway) => startDecision(gateway)],
  ['startResend', () => withGivenUp(1, (_, start) => start())],
  ['startReconciliation', asked('startReconciliation', since)],
  ['applyReconciliation', applyProposals],
];

export const dryRuns: readonly (readonly [EndpointName, Play])[] = endpointTable
  .filter(([, { handledBy }]) => handledBy === 'lead')
  .map(([name]) => [name, asked(name, exampleOf(name), { 'x-dry-run': 'true' })]);

export const pending = asked('noPrescreen', exampleOf('noPrescreen'), { prefer: 'respond-async' });

/** Beside the usual one, by what they are set to. */
export const otherGateways: Readonly<Record<string, GatewayOptions>> = {
  // Leads that fail on purpose are held or stay open, so they have a gateway of their own: the examples of success must not show them.
  failing: {},
  keyed: { settings: { GATEWAY_API_KEYS: callers('tool:leads', 'board:board') }, withoutWorker: true },
  slowed: { settings: { STARTS_PER_S: '1' } },
  full: { settings: { OPEN_LEADS_MAX: '1' } },
  hasty: { settings: { LEAD_TTL_H: '0.001' } },
  silent: { settings: { TASKBOARD_TIMEOUT_MS: '1500' } },
  bare: { settings: { SANDBOX: 'off' }, withoutWorker: true },
};

interface ErrorPlay {
  readonly code: ErrorCode;
  /** Which rows it is shown on, by what answers them; every one without a nearer example. */
  readonly on: 'lead' | 'call' | 'board' | 'api' | 'every';
  readonly gateway?: string;
  readonly play: Play;
}

const site = { instanceName: 'erg-oct' };
const key = { 'x-gateway-key': keyOf('tool') };
const column = { todoListId: 'list-up-next', projectId: 'project-template' };
const post = (gateway: Gateway, body: string, headers?: Headers) => gateway.post('/api/clinicsys/no-prescreen', body, headers);

/** The task board takes fifty columns in a project. */
async function fullBoard(gateway: Gateway): Promise<GatewayAnswer> {
  const { body } = await ask(gateway, 'createProject', { name: 'AD-301', fromTemplate: false });
  const projectId: string = body.project.id;
  for (let position = 1; position < 51; position++) await columnAt(gateway, projectId, 'One more', position);
  return ask(gateway, 'createList', { projectId, title: 'One more', position: 60 });
}

/** A board whose answers take a minute. */
async function silentBoard(gateway: Gateway): Promise<GatewayAnswer> {
  await fetch(`${gateway.sandboxUrl}/__latency?ms=60000`, { method: 'POST' });
  return ask(gateway, 'getTodo', card);
}

export const errors: readonly ErrorPlay[] = [
  { code: 'VALIDATION_ERROR', on: 'lead', play: asked('noPrescreen', { ...exampleOf('noPrescreen'), email: 'nobody', dob: '02/30/1980' }) },
  { code: 'VALIDATION_ERROR', on: 'call', play: asked('listSites', {}) },
  { code: 'VALIDATION_ERROR', on: 'board', play: asked('listLists', {}) },
  { code: 'VALIDATION_ERROR', on: 'api', play: asked('listLeads', { since: 'yesterday' }) },
  { code: 'UNAUTHORIZED', on: 'every', gateway: 'keyed', play: asked('noPrescreen') },
  { code: 'FORBIDDEN', on: 'lead', gateway: 'keyed', play: asked('noPrescreen', {}, { 'x-gateway-key': keyOf('board') }) },
  { code: 'FORBIDDEN', on: 'call', gateway: 'keyed', play: asked('listSites', site, { 'x-gateway-key': keyOf('board') }) },
  { code: 'FORBIDDEN', on: 'board', gateway: 'keyed', play: asked('listUsers', {}, key) },
  { code: 'FORBIDDEN', on: 'api', gateway: 'keyed', play: asked('listAudit', {}, key) },
  { code: 'NOT_FOUND', on: 'board', play: asked('getTodo', { id: 'no-such-card' }) },
  { code: 'NOT_FOUND', on: 'api', play: asked('getLead', { leadId: 'no-such-lead' }) },
  { code: 'USER_NOT_FOUND', on: 'board', play: asked('assignTodo', { ...card, user: 'Kim Novak' }) },
  { code: 'METHOD_NOT_ALLOWED', on: 'every', play: (gateway) => gateway.get('/api/clinicsys/no-prescreen') },
  { code: 'AMBIGUOUS_USER', on: 'board', play: asked('assignTodo', { ...card, user: 'Sam' }) },
  {
    code: 'WRONG_STATE',
    on: 'api',
    play: async (gateway) => ask(gateway, 'discardLead', { ...(await delivered(gateway)), reason: 'a test' }),
  },
  { code: 'PAYLOAD_TOO_LARGE', on: 'every', play: (gateway) => post(gateway, JSON.stringify({ text: 'x'.repeat(300_000) })) },
  { code: 'UNSUPPORTED_MEDIA_TYPE', on: 'every', play: (gateway) => post(gateway, 'firstName=Ann', { 'content-type': 'text/plain' }) },
  { code: 'UPSTREAM_REJECTED', on: 'lead', play: async (gateway) => ask(gateway, 'noPrescreen', someone('v1-refused')) },
  { code: 'UPSTREAM_REJECTED', on: 'call', play: asked('getSubjects', { ...site, email: 'ann+lookup-422@example.org' }) },
  { code: 'UPSTREAM_REJECTED', on: 'board', play: fullBoard },
  {
    code: 'IDEMPOTENCY_KEY_REUSED',
    on: 'every',
    play: async (gateway) => {
      await ask(gateway, 'noPrescreen', someone(), { 'idempotency-key': 'one' });
      return ask(gateway, 'noPrescreen', someone(), { 'idempotency-key': 'one' });
    },
  },
  {
    code: 'RATE_LIMITED',
    on: 'every',
    gateway: 'slowed',
    play: (gateway) =>
      until(async () => {
        const answers = await Promise.all([1, 2].map(() => ask(gateway, 'listSites', site)));
        return answers.find(({ status }) => status === 429);
      }, 'two come within a second'),
  },
  { code: 'UPSTREAM_ERROR', on: 'lead', play: (gateway) => ask(gateway, 'noPrescreen', someone('lookup-401')) },
  { code: 'UPSTREAM_ERROR', on: 'call', play: asked('listSites', { instanceName: 'erg-oct.sites-401' }) },
  { code: 'UPSTREAM_ERROR', on: 'board', play: asked('createTodo', { ...column, title: 'Call card-401' }) },
  {
    code: 'UPSTREAM_PAUSED',
    on: 'lead',
    gateway: 'hasty',
    play: async (gateway) => {
      await ask(gateway, 'pauseUpstream', exampleOf('pauseUpstream'));
      return ask(gateway, 'noPrescreen', someone());
    },
  },
  {
    code: 'OUTCOME_UNKNOWN',
    on: 'lead',
    play: asked('sendPatient', { ...exampleOf('sendPatient'), email: 'ann+screening-500-after@example.org' }),
  },
  { code: 'OUTCOME_UNKNOWN', on: 'board', play: asked('createTodo', { ...column, title: 'Call card-reset-after' }) },
  {
    code: 'NOT_ACCEPTED',
    on: 'every',
    gateway: 'full',
    play: async (gateway) => {
      const staying = () => ask(gateway, 'noPrescreen', someone('', limited), { prefer: 'respond-async' });
      return until(async () => {
        const answer = await staying();
        return answer.status === 503 ? answer : undefined;
      }, 'the door closes');
    },
  },
  { code: 'CONFIG_ERROR', on: 'lead', gateway: 'bare', play: asked('noPrescreen') },
  { code: 'CONFIG_ERROR', on: 'call', gateway: 'bare', play: asked('listSites', site) },
  { code: 'CONFIG_ERROR', on: 'board', gateway: 'bare', play: asked('listUsers', {}) },
  { code: 'CONFIG_ERROR', on: 'api', gateway: 'bare', play: asked('importLeads', { flow: 'no-prescreen' }) },
  { code: 'UPSTREAM_TIMEOUT', on: 'board', gateway: 'silent', play: silentBoard },
];
