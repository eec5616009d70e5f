/** One loop over the contract's table makes every route. */
import { Router, type Request, type Response } from 'express';
import type { Config } from '../config';
import { endpoints, endpointTable, type EndpointName } from '../contract';
import type { Endpoint } from '../contract/endpoint';
import type { Decision, JsonObject, LeadReport } from '../domain/lead';
import { log } from '../log';
import { forwardUrl } from '../needs';
import type { Upstreams } from '../upstreams';
import { answerOf, type Answer } from './answer';
import type { Admission } from './admission';
import type { Authorize, Scope } from './auth';
import { ApiError } from './errors';
import type { Filter } from './lead-list';
import type { Leads } from './leads';
import type { Preparation } from './prepare';
import { idempotencyKey, inputOf, isDryRun, readInput, waitMs, type Input } from './request';
import { accepted, type Reports } from './reports';
import type { Run, Starter } from './start';

export interface RouterNeeds {
  readonly config: Config;
  readonly upstreams: Upstreams;
  readonly starter: Starter;
  readonly reports: Reports;
  readonly leads: Leads;
  readonly listLeads: (filter: Filter) => Promise<JsonObject>;
  readonly listUpstreams: () => Promise<JsonObject>;
  readonly authorize: Authorize;
  readonly admission: Admission;
  readonly preparation: Preparation;
}

/** A call that is no lead is given up after this, where its row does not say otherwise; its own steps give up before. */
const callWaitMs = 10_500;

type Handler = (request: Request, response: Response, input: Input, caller: string) => Promise<Answer>;

export function createRouter(needs: RouterNeeds): Router {
  const router = Router();
  const here: Readonly<Record<string, Handler>> = hereHandlers(needs);
  const methods = new Map<string, Set<string>>();
  for (const [name, endpoint] of endpointTable) {
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const handler = here[name] ?? carried(name, endpoint, needs);
    methods.set(path, (methods.get(path) ?? new Set()).add(endpoint.method.toUpperCase()));
    router[endpoint.method](path, async (request: Request, response: Response) => {
      const caller = needs.authorize(request, scopeOf(endpoint));
      const input = inputOf(request, endpoint, needs.config, (given) => needs.preparation.problems(endpoint.flow, given));
      const { status, body, headers } = await handler(request, response, input, caller.name);
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

/** `operator` acts on runs; reading leads is for whoever sends them. */
function scopeOf({ group, carried: how, method }: Endpoint): Scope {
  if (how === 'here') return method === 'get' ? 'leads' : 'operator';
  return group.startsWith('A') ? 'board' : 'leads';
}

function carried(name: string, endpoint: Endpoint, { config, upstreams, starter, reports, preparation, admission }: RouterNeeds): Handler {
  return async (request, response, { given, body }, caller) => {
    const prepared = preparation.prepare(endpoint.flow, body);
    if (!prepared?.bounce) checkConfigured(endpoint, body, upstreams, response);
    const how = endpoint.carried === 'lead' ? 'lead' : 'call';
    const dryRun = isDryRun(request, endpoint);
    await admission.admit(caller);
    const run = await starter.start({
      name,
      carried: how,
      body,
      given,
      prepared,
      dryRun,
      idempotencyKey: idempotencyKey(request),
      caller,
      flow: endpoint.flow,
    });
    response.set({
      'X-Workflow-Id': run.workflowId,
      ...(run.leadId && { 'X-Lead-Id': run.leadId }),
      ...(run.replayed && { 'Idempotency-Replayed': 'true' }),
    });
    const patienceMs = run.leadId ? waitMs(request, config) : (endpoint.waitMs?.(config) ?? callWaitMs);
    const atOnce = run.isNew && patienceMs === 0;
    const report = atOnce ? accepted(run.leadId) : await reports.settled(run, patienceMs).catch((error: unknown) => unfinished(error, run));
    if (!run.leadId && isOpen(report)) throw new ApiError(endpoint.late ?? 'UPSTREAM_ERROR', 'The request was not done in time');
    return answerOf({ ...report, leadId: run.leadId });
  };
}

/** The run was accepted: if the engine stops answering now, that is all there is to say, and it is no failure of the lead. */
function unfinished(error: unknown, run: Run): LeadReport {
  log.warn('wait broken off', { leadId: run.leadId, reason: error instanceof Error ? error.name : 'unknown' });
  if (!run.leadId) throw new ApiError('OUTCOME_UNKNOWN', 'The engine stopped answering while the request was carried');
  return accepted(run.leadId);
}

const isOpen = ({ result, failure }: LeadReport) => !result && !failure;

/** Known before anything is started: what is missing, and whether the sandbox stands in. */
function checkConfigured({ uses }: Endpoint, input: JsonObject, upstreams: Upstreams, response: Response): void {
  const needs = uses?.(input) ?? [];
  const missing = needs.filter((need) => !upstreams.find(need)).map((need) => need.at(-1));
  if (missing.length > 0) throw new ApiError('CONFIG_ERROR', `Not set on the server: ${missing.join(', ')}`);
  if (needs.some((need) => upstreams.find(need)?.sandbox)) response.set('X-Leadgate-Sandbox', 'true');
}

function hereHandlers(needs: RouterNeeds): Readonly<Record<string, Handler>> {
  const { leads, listLeads, listUpstreams, upstreams } = needs;
  const id = ({ body }: Input) => String(body.leadId);
  const decide =
    (verb: Decision['verb']): Handler =>
    (_request, _response, input) =>
      leads.decide(id(input), { verb, ...(input.body as { reason: string; upstreamId: string }) });
  return {
    listLeads: async (_request, _response, input) => ({ status: 200, body: await listLeads(input.body as Filter) }),
    getLead: (_request, _response, input) => leads.read(id(input), input.body.wait as number | undefined),
    listUpstreams: async () => ({ status: 200, body: await listUpstreams() }),
    listLeadformsSites: async (_request, response) => listSites(upstreams, response),
    resendLead: decide('resend'),
    confirmLead: decide('confirm'),
    discardLead: decide('discard'),
    redriveLead: (_request, _response, input) => redrive(id(input), input.body.fields as JsonObject | undefined, needs),
  };
}

/** The stored lead with the corrected fields goes through the same door as any other. */
async function redrive(leadId: string, fields: JsonObject = {}, { leads, preparation, starter }: RouterNeeds): Promise<Answer> {
  const failed = await leads.failed(leadId);
  const endpoint: Endpoint = endpoints[failed.name as EndpointName];
  const { given, body } = readInput({ ...failed.body, ...fields }, endpoint, (whole) => preparation.problems(endpoint.flow, whole));
  const prepared = preparation.prepare(endpoint.flow, body);
  const run = await starter.again(
    { name: failed.name, carried: 'lead', body, given, prepared, dryRun: false, flow: endpoint.flow },
    leadId,
  );
  if (!run) throw new ApiError('WRONG_STATE', 'The lead is being sent again already');
  log.info('lead decided', { leadId, verb: 'redrive' });
  return { status: 200, body: { success: true, leadId, state: 'running' } };
}

/** Production's sites; of the demonstration ones the answer says so. */
function listSites(upstreams: Upstreams, response: Response): Answer {
  const address = forwardUrl('leadforms', {});
  const known = upstreams.sites(address)?.all ?? [];
  if (known.length > 0 && upstreams.find(address)?.sandbox) response.set('X-Leadgate-Sandbox', 'true');
  const sites = known.map(({ slug, name, key, form_code, account_id, location_id, source_url }) => {
    return { slug, name, key: key === undefined ? 'unset' : 'set', form_code, account_id, location_id, source_url };
  });
  return { status: 200, body: { success: true, count: sites.length, sites } };
}
