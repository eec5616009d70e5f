/** Decides for each route which callers see the lead's person. A route without a decision in these tables fails. */
import { scopes, type Scope } from '../../src/config/scopes';
import { endpoints, type EndpointName } from '../../src/contract';
import { pathNames, type Endpoint } from '../../src/contract/endpoint';
import { newLead, startGateway, type Gateway, type GatewayAnswer } from '../support/gateway';
import { csv } from '../support/imports';
import { callers, keyOf } from '../support/keys';

/** What a successful answer shows of a person other than what the request itself holds. */
type Shows =
  /** Nothing. */
  | 'nothing'
  /** A lead's record: in clear to the key that sent it and to operators, masked to others. The trail has each such read. */
  | 'lead'
  /** A person of the site system, to every key that may look up. The trail has each such read. */
  | 'person'
  /** What leads to a person of the site system, such as an access key. The trail has each such read. */
  | 'access'
  /** The task board, which holds no lead. */
  | 'board';

const sending = ['send', 'leads'] as const;
const reading = ['leads', 'operator'] as const;

type Decision = readonly [allowed: readonly Scope[], shows: Shows, given?: (lead: Sent) => Readonly<Record<string, unknown>>];

const board: Decision = [['board'], 'board'];
const send: Decision = [sending, 'nothing'];
const list: Decision = [['leads'], 'nothing'];
const operate: Decision = [['operator'], 'nothing'];
const asked = ({ email, PatientID }: Sent) => ({ instanceName: 'erg-oct', email, key: 'any', subjectID: PatientID });
const person: Decision = [['leads'], 'person', asked];
const access: Decision = [['leads'], 'access', asked];
const screening = () => ({ upstream: 'screening', reason: 'a test' });

const decisions: Readonly<Record<EndpointName, Decision>> = {
  listProjects: board,
  createProject: board,
  getProject: board,
  listLists: board,
  createList: board,
  listTodos: board,
  createTodo: board,
  getTodo: board,
  updateTodo: board,
  assignTodo: board,
  listComments: board,
  createComment: board,
  listUsers: board,
  sendToRecruit: send,
  sendToLeadforms: send,
  sendToLeadformsSandbox: send,
  sendPatient: send,
  withPrescreen: send,
  withPrescreenGetApiKey: access,
  withPrescreenCheckEmail: person,
  withPrescreenFormatData: list,
  withPrescreenSendToRt: send,
  withPrescreenSendComments: send,
  noPrescreen: send,
  noPrescreenGetApiKey: access,
  noPrescreenCheckEmail: person,
  noPrescreenFormatData: list,
  noPrescreenSendToRt: send,
  noPrescreenSendComments: send,
  importLeads: send,
  getSubjects: person,
  getPatientStatuses: access,
  listSites: list,
  listStudies: list,
  listInterviewQuestions: list,
  listReferralSources: list,
  getSites: list,
  getStudies: list,
  getInterviewQuestions: list,
  getReferralSources: list,
  listLeadformsSites: [reading, 'nothing'],
  countLeads: [reading, 'nothing', ({ email }) => ({ email })],
  listLeads: [reading, 'nothing', ({ email }) => ({ email })],
  getLead: [['send', ...reading], 'lead', () => ({})],
  getEvents: [reading, 'nothing', () => ({})],
  listUpstreams: [reading, 'nothing'],
  getExchanges: [['operator'], 'lead', () => ({ clear: 'true' })],
  exportLeads: [['operator'], 'lead', ({ email }) => ({ clear: 'true', email })],
  countLeadsByDay: operate,
  sendEventsAgain: operate,
  sendEventAgain: operate,
  resendLead: operate,
  confirmLead: operate,
  discardLead: operate,
  tryLead: operate,
  redriveLead: operate,
  startRedrive: operate,
  listRedrives: operate,
  getRedrive: operate,
  stopRedrive: operate,
  startDecision: operate,
  listDecisions: operate,
  getDecision: operate,
  stopDecision: operate,
  startReconciliation: operate,
  listReconciliations: operate,
  getReconciliation: operate,
  stopReconciliation: operate,
  applyReconciliation: operate,
  listDeliveries: operate,
  startResend: operate,
  listResends: operate,
  getResend: operate,
  stopResend: operate,
  getTraffic: operate,
  pauseUpstream: [['operator'], 'nothing', screening],
  resumeUpstream: [['operator'], 'nothing', screening],
  listAudit: operate,
  erasePerson: operate,
  listErasures: operate,
  getCaller: operate,
  getRetention: operate,
  testAlerts: operate,
};

/** The keys, each with the scope that it has alone. `web` sent the lead. */
const keys = { web: 'send', form: 'send', tool: 'leads', wall: 'board', desk: 'operator' } as const satisfies Record<string, Scope>;
type Name = keyof typeof keys;
const names = Object.keys(keys) as Name[];
const recordedKinds: readonly Shows[] = ['lead', 'person', 'access'];
const lastName = 'Featherstone';

interface Sent {
  readonly leadId: string;
  readonly email: string;
  readonly PatientID: unknown;
}

let gateway: Gateway;
let sent: Sent;
beforeAll(async () => {
  const GATEWAY_API_KEYS = callers(...names.map((name) => `${name}:${keys[name]}`));
  gateway = await startGateway({ settings: { GATEWAY_API_KEYS } });
  sent = await sendLead();
});
afterAll(() => gateway.stop());

const as = (name: Name) => ({ 'x-gateway-key': keyOf(name) });

async function sendLead(): Promise<Sent> {
  const lead = newLead('', { lastName });
  const { headers, body } = await gateway.post(endpoints.noPrescreen.path, lead, as('web'));
  return { leadId: headers.get('x-lead-id') ?? '', email: lead.email, PatientID: body.rtResponse.PatientID };
}

function ask({ method, path, upload, example = {} }: Endpoint, lead: Sent, fields: object | undefined, name: Name): Promise<GatewayAnswer> {
  const given: Readonly<Record<string, unknown>> = { ...(fields ?? example) };
  const parameters = pathNames(path);
  const at = parameters.reduce(
    (all, each) => all.replace(`{${each}}`, each === 'leadId' ? lead.leadId : String(given[each] ?? 'none')),
    path,
  );
  const others = Object.fromEntries(Object.entries(given).filter(([field]) => !parameters.includes(field)));
  const query = new URLSearchParams(Object.entries(others).map(([field, value]): [string, string] => [field, String(value)]));
  if (upload) return gateway.post(`${at}?${query.toString()}`, upload.example, { ...csv, ...as(name) });
  if (method === 'get') return gateway.get(`${at}?${query.toString()}`, as(name));
  return gateway[method](at, others, as(name));
}

/** What a key gets: a refusal, an answer that shows the lead's person in clear, or one that does not. */
const sightOf = ({ status, body }: GatewayAnswer) =>
  status === 403 ? 'refused' : JSON.stringify(body).includes(lastName) ? 'in clear' : 'without the person';

function decidedSight([allowed, shows]: Decision, name: Name): ReturnType<typeof sightOf> {
  const isOther = name === 'form' && shows === 'lead';
  if (isOther || !allowed.includes(keys[name])) return 'refused';
  return shows === 'person' || (shows === 'lead' && (name === 'web' || name === 'desk')) ? 'in clear' : 'without the person';
}

const readsBy = async (path: string) =>
  (await gateway.get('/api/audit?action=read+in+clear&limit=1000', as('desk'))).body.entries
    .filter(({ route }: { route: string }) => route === path)
    .map(({ who, address, leadId }: Record<string, string>) => ({ who, address, leadId }));

it('is decided for every route', () => expect(Object.keys(decisions).toSorted()).toEqual(Object.keys(endpoints).toSorted()));

it.each(Object.keys(endpoints) as EndpointName[])('%s shows only what was decided, and records it', async (route) => {
  const endpoint: Endpoint = endpoints[route];
  const [, shows, given] = decisions[route];
  // A key's reads of one lead are recorded once, so each route that shows leads has its own.
  const lead = shows === 'lead' ? await sendLead() : sent;
  const sights = [];
  const readers = [];
  for (const name of names) {
    const answer = await ask(endpoint, lead, given?.(lead), name);
    const sight = decidedSight(decisions[route], name);
    sights.push([name, sightOf(answer), sight]);
    if (sight === 'refused' || !recordedKinds.includes(shows)) continue;
    expect([name, answer.status]).toEqual([name, 200]);
    if (sight === 'in clear' || shows === 'access') readers.unshift(name);
  }
  expect(sights).toEqual(sights.map(([name, , sight]) => [name, sight, sight]));
  const leadId = shows === 'lead' ? lead.leadId : undefined;
  expect(await readsBy(endpoint.path)).toEqual(readers.map((who) => ({ who, address: '127.0.0.1', leadId })));
});

it.each<[string, readonly Scope[]]>([
  ['/version', scopes],
  ['/docs', scopes],
  ['/docs/search.json', scopes],
  ['/openapi.json', scopes],
  ['/console', scopes],
  ['/health/ready', scopes],
  ['/.well-known/security.txt', scopes],
  ['/metrics', ['leads', 'board', 'operator']],
])('%s shows no person, and only to keys with its scopes', async (path, allowed) => {
  for (const name of names) {
    const answer = await gateway.get(path, as(name));
    expect([name, sightOf(answer)]).toEqual([name, allowed.includes(keys[name]) ? 'without the person' : 'refused']);
  }
});
