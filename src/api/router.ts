/** Makes every route from the contract's table: checks the caller's right, reads the input, calls the handler and sends the answer. */
import { Router, type Request, type Response } from 'express';
import { randomUUID } from 'node:crypto';
import type { Trail } from '../audit/trail';
import type { Caller } from '../config/callers';
import type { Config } from '../config/config';
import { forwardUrl, type Upstreams } from '../config/upstreams';
import { endpoints, endpointTable } from '../contract';
import { colonPath, type Endpoint } from '../contract/endpoint';
import { ApiError } from '../contract/errors';
import { isOver, type Decision, type JsonObject } from '../domain/lead';
import type { PauseChange } from '../domain/pauses';
import type { Order, RedriveOrder } from '../domain/redrive';
import { digestOf } from '../intake/identity';
import type { Input } from '../contract/input';
import type { Intake } from '../intake/intake';
import type { ChangePause } from '../orders/pause';
import type { KeyRing } from '../keys/ring';
import type { Filter } from '../leads/lead-filter';
import type { LeadList } from '../leads/lead-list';
import type { LeadsByDay } from '../leads/leads-by-day';
import { reportOfAccepted } from '../leads/reports';
import type { StuckRuns } from '../leads/stuck-runs';
import { answerOf, replayed, simulated, type Answer } from './answer';
import { audited, type Audited } from './audited';
import { callerWith, type Right } from './auth';
import type { ExportLeads } from './bulk/export';
import type { Imports } from './bulk/imports';
import type { BulkOrders } from './bulk/orders';
import type { Leads } from './leads';
import type { Traffic } from './monitoring/traffic';
import type { Operators } from './privacy/operators';
import { createReads, seesInClear, type Reads } from './privacy/reads';
import { callbackUrl, idempotencyKey, inputOf, isDryRun, readFile, waitMs } from './request';

export interface RouterNeeds {
  readonly config: Config;
  readonly upstreams: Upstreams;
  readonly intake: Intake;
  readonly exportLeads: ExportLeads;
  readonly imports: Imports;
  readonly leads: Leads;
  readonly leadList: LeadList;
  readonly leadsByDay: LeadsByDay;
  readonly readStuckRuns: () => Promise<StuckRuns | undefined>;
  readonly listUpstreams: () => Promise<JsonObject>;
  readonly changePause: ChangePause;
  readonly redrive: (order: RedriveOrder) => Promise<unknown>;
  readonly redrives: BulkOrders;
  readonly decisions: BulkOrders;
  readonly operators: Operators;
  readonly keys: KeyRing;
  readonly trail: Trail;
  readonly traffic: Traffic;
  readonly testAlerts: () => Promise<Answer>;
}

/** A call is waited for this long, unless its row says otherwise. It gives up after ten seconds, and then tells more than the API can. */
const callWaitMs = 12_500;

type Handler = (request: Request, response: Response, input: Input, caller: Caller) => Promise<Audited>;

export function createRouter(needs: RouterNeeds): Router {
  const router = Router();
  const reads = createReads(needs.trail);
  const here: Readonly<Record<string, Handler>> = hereHandlers(needs, reads);
  const methods = new Map<string, Set<string>>();
  for (const [name, endpoint] of endpointTable) {
    const path = colonPath(endpoint.path);
    const handler = here[name] ?? carried(name, endpoint, needs, reads);
    methods.set(path, (methods.get(path) ?? new Set()).add(endpoint.method.toUpperCase()));
    router[endpoint.method](path, async (request: Request, response: Response) => {
      const caller = callerWith(response, rightOf(endpoint));
      if (endpoint.takes) await readFile(request, response, needs.config);
      const input = inputOf(request, endpoint, needs.config, (given) => needs.intake.problems(endpoint.flow, given));
      const act = () => handler(request, response, input, caller);
      const { status, body, headers } = await (endpoint.audited ? audited(needs.trail, endpoint.audited, caller.name, input, act) : act());
      // The handler may have sent the answer itself, line by line.
      if (response.headersSent) return void response.end();
      response
        .status(status)
        .set(headers ?? {})
        .json(body);
    });
  }
  for (const [path, allowed] of methods) {
    router.all(path, () => {
      throw new ApiError('METHOD_NOT_ALLOWED', `This path takes ${[...allowed].join(', ')}`, {
        headers: { Allow: [...allowed].join(', ') },
      });
    });
  }
  return router;
}

/** The right that a route needs, unless its row names one. */
function rightOf({ group, carried: how, method, scope }: Endpoint): Right {
  if (scope) return scope;
  if (how === 'here') return method === 'get' ? 'reading' : 'operator';
  if (how === 'lead') return 'sending';
  return group.startsWith('A') ? 'board' : 'leads';
}

function carried(name: string, endpoint: Endpoint, { config, intake, keys }: RouterNeeds, reads: Reads): Handler {
  return async (request, response, input, caller) => {
    const ready = intake.ready(endpoint, input.body);
    const dryRun = isDryRun(request, endpoint);
    const requestId = response.get('X-Request-Id');
    const headers = { dryRun, idempotencyKey: idempotencyKey(request), callbackUrl: callbackUrl(request, endpoint, config) };
    const run = await intake.enter({ name, endpoint, input, ...ready, ...headers, caller: caller.name, requestId });
    response.set({
      'X-Workflow-Id': run.workflowId,
      ...(run.leadId && { 'X-Lead-Id': run.leadId }),
      ...(run.replayed && replayed),
      ...(run.isSandbox && simulated),
    });
    const patienceMs = run.leadId ? waitMs(request, config) : (endpoint.waitMs?.(config) ?? callWaitMs);
    const atOnce = run.isNew && patienceMs === 0;
    const report = atOnce ? reportOfAccepted(run.leadId) : await intake.settled(run, patienceMs);
    if (!run.leadId && !isOver(report))
      throw new ApiError(endpoint.late ?? 'UPSTREAM_ERROR', 'The request was not done in time', { step: endpoint.step });
    const answer = answerOf({ ...report, leadId: run.leadId });
    if (endpoint.showsRecord) {
      const question = digestOf(keys, { name, given: input.given });
      await reads.note(request, caller, { route: endpoint.path, run: run.workflowId, question });
    }
    return answer;
  };
}

function hereHandlers(needs: RouterNeeds, reads: Reads): Readonly<Record<string, Handler>> {
  const {
    changePause,
    decisions,
    exportLeads,
    imports,
    keys,
    leads,
    leadList,
    leadsByDay,
    listUpstreams,
    operators,
    readStuckRuns,
    redrive,
    redrives,
    testAlerts,
    traffic,
    upstreams,
  } = needs;
  const id = ({ body }: Input) => String(body.leadId);
  const orderOf = (name: string, request: Request, { given }: Input, caller: string): Required<Order> | undefined => {
    const key = idempotencyKey(request);
    return key === undefined
      ? undefined
      : { orderId: keys.hash('order', [caller, key].join('\0')), orderDigest: digestOf(keys, { name, given }) };
  };
  const bulk = (orders: BulkOrders, idName: 'redriveId' | 'decisionId') => {
    const orderId = ({ body }: Input) => String(body[idName]);
    const factsOf = (answer: Answer) => ({ ...answer, facts: { [idName]: answer.body[idName], count: answer.body.count } });
    return {
      start: async (request, _response, input, { name: caller }) => factsOf(await orders.start(input, idempotencyKey(request), caller)),
      list: () => orders.list(),
      read: (_request, _response, input) => orders.read(orderId(input), input.body),
      stop: async (_request, _response, input) => factsOf(await orders.stop(orderId(input), String(input.body.reason))),
    } satisfies Readonly<Record<string, Handler>>;
  };
  const ofRedrives = bulk(redrives, 'redriveId');
  const ofDecisions = bulk(decisions, 'decisionId');
  const decide =
    (verb: Decision['verb']): Handler =>
    (request, _response, input, { name: caller }) => {
      const { reason, upstreamId } = input.body as { reason: string; upstreamId: string };
      const said = { reason, ...(caller && { by: caller }) };
      const decision: Decision = verb === 'confirm' ? { verb, ...said, upstreamId } : { verb, ...said };
      return leads.decide(id(input), decision, orderOf(`${verb}Lead`, request, input, caller));
    };
  const pausing =
    (verb: PauseChange['verb']): Handler =>
    async (request, _response, input, { name: caller }) => {
      const { upstream, instance, reason } = input.body as Pick<PauseChange, 'upstream' | 'reason'> & { instance?: string };
      const order = orderOf(`${verb}Upstream`, request, input, caller);
      const asked = { verb, upstream, instance: instance ?? '', reason, ...(caller && { by: caller }) };
      const [{ isRepeat }, warning] = await Promise.all([
        changePause(asked, order),
        verb === 'pause' ? unheardOf(leadList, instance) : undefined,
      ]);
      const body = { success: true, upstream, instance, state: verb === 'pause' ? 'paused' : 'resumed', warning };
      return { status: 200, body, ...(isRepeat && { headers: replayed }) };
    };
  return {
    listLeads: async (_request, _response, { body: { limit, ...filter } }) => ({
      status: 200,
      body: await leadList.page(filter as Filter, limit as number | undefined),
    }),
    countLeads: async (_request, _response, { body: filter }) => {
      const [counts, stuckRuns] = await Promise.all([
        leadList.counts(filter as Filter),
        filter.groups === 'true' ? readStuckRuns() : undefined,
      ]);
      return { status: 200, body: { ...counts, stuckRuns } };
    },
    countLeadsByDay: async (_request, _response, { body }) => ({ status: 200, body: await leadsByDay.read(body) }),
    getTraffic: async () => ({ status: 200, body: traffic.read() }),
    getLead: async (request, _response, input, caller) => {
      const view = { maySee: (senders: readonly string[]) => seesInClear(caller, senders), clear: input.body.clear !== 'false' };
      const answer = await leads.read(id(input), view, input.body.wait as number | undefined);
      const { result, masked, leadId } = answer.body;
      if (result !== undefined && !masked) await reads.note(request, caller, { route: endpoints.getLead.path, leadIds: [String(leadId)] });
      return answer;
    },
    listUpstreams: async () => ({ status: 200, body: await listUpstreams() }),
    pauseUpstream: pausing('pause'),
    resumeUpstream: pausing('resume'),
    getExchanges: async (request, _response, input, caller) => {
      const clear = input.body.clear === 'true';
      const answer = await leads.exchanges(id(input), clear, input.body.attempt as number | undefined);
      if (clear) await reads.note(request, caller, { route: endpoints.getExchanges.path, leadIds: [String(answer.body.leadId)] });
      return answer;
    },
    exportLeads: (request, response, input, caller) => {
      if (input.body.clear !== 'true') return exportLeads(response, input.body as Filter);
      const note = (leadIds: readonly string[]) => reads.note(request, caller, { route: endpoints.exportLeads.path, leadIds });
      return audited(needs.trail, 'export in clear', caller.name, input, () => exportLeads(response, input.body as Filter, note));
    },
    listLeadformsSites: async (_request, response) => listSites(upstreams, response),
    importLeads: (request, response, input, caller) => imports.answer(request, response, input, caller.name),
    getEvents: (_request, _response, input) => leads.events(id(input)),
    sendEventsAgain: (_request, _response, input) => leads.sendEventsAgain(id(input)),
    resendLead: decide('resend'),
    confirmLead: decide('confirm'),
    discardLead: decide('discard'),
    tryLead: decide('try'),
    redriveLead: async (request, _response, input, { name: caller }) => {
      const { leadId, reason, fields, notThere } = input.body as unknown as RedriveOrder;
      const order = orderOf('redriveLead', request, input, caller) ?? { orderId: randomUUID() };
      const run = await redrive({ leadId, reason, fields, notThere, ...order, by: caller || undefined });
      return { status: 200, body: { success: true, leadId, state: 'running' }, ...(!run && { headers: replayed }) };
    },
    startRedrive: ofRedrives.start,
    listRedrives: ofRedrives.list,
    getRedrive: ofRedrives.read,
    stopRedrive: ofRedrives.stop,
    startDecision: ofDecisions.start,
    listDecisions: ofDecisions.list,
    getDecision: ofDecisions.read,
    stopDecision: ofDecisions.stop,
    listAudit: (_request, _response, { body }) => operators.trail(body),
    listErasures: (_request, _response, { body }) => operators.erasures(body),
    getCaller: async (_request, _response, _input, { name }) => ({ status: 200, body: { success: true, ...(name && { name }) } }),
    getRetention: () => operators.retention(),
    testAlerts,
    erasePerson: (_request, _response, { body }) => operators.erase(body, body.dryRun === true),
  };
}

/** Warns of an instance of the site system that no lead has gone to: a mistyped name would pause nothing. */
async function unheardOf(leadList: LeadList, instance = ''): Promise<string | undefined> {
  const [, instanceName] = instance.split('/');
  const found = instanceName && (await leadList.page({ instanceName }).catch(() => undefined));
  return found && found.count === 0
    ? `No lead is known to have gone to ${instance}: if its name is mistyped, no lead is stopped`
    : undefined;
}

/** Lists the sites of the lead forms. A header tells if they are the sandbox's demonstration sites. */
function listSites(upstreams: Upstreams, response: Response): Answer {
  const address = forwardUrl('leadforms', {});
  const known = upstreams.sites(address)?.all ?? [];
  if (known.length > 0 && upstreams.find(address)?.sandbox) response.set(simulated);
  const sites = known.map(({ slug, name, key, form_code, account_id, location_id, source_url }) => {
    return { slug, name, key: key === undefined ? 'unset' : 'set', form_code, account_id, location_id, source_url };
  });
  return { status: 200, body: { success: true, count: sites.length, sites } };
}
