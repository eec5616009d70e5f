/** One loop over the contract's table makes every route. */
import { Router, type Request, type Response } from 'express';
import type { Config } from '../config';
import { endpointTable } from '../contract';
import type { Endpoint } from '../contract/endpoint';
import type { Decision, JsonObject, LeadReport } from '../domain/lead';
import { log } from '../log';
import type { Upstreams } from '../upstreams';
import { answerOf, type Answer } from './answer';
import type { Authorize, Scope } from './auth';
import { ApiError } from './errors';
import type { Leads } from './leads';
import { idempotencyKey, inputOf, isDryRun, waitMs } from './request';
import type { Reports } from './reports';
import type { Run, Starter } from './start';

export interface RouterNeeds {
  readonly config: Config;
  readonly upstreams: Upstreams;
  readonly starter: Starter;
  readonly reports: Reports;
  readonly leads: Leads;
  readonly authorize: Authorize;
}

/** A call that is no lead is given up after this; its own steps give up before. */
const callWaitMs = 15_000;

type Handler = (request: Request, response: Response, input: JsonObject, caller: string) => Promise<Answer>;

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
      const { status, body, headers } = await handler(request, response, inputOf(request, endpoint, needs.config), caller.name);
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

function carried(name: string, endpoint: Endpoint, { config, upstreams, starter, reports }: RouterNeeds): Handler {
  return async (request, response, input, caller) => {
    checkConfigured(endpoint, input, upstreams, response);
    const how = endpoint.carried === 'lead' ? 'lead' : 'call';
    const dryRun = how === 'lead' && isDryRun(request);
    const run = await starter.start({
      name,
      carried: how,
      body: input,
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
    const report = await reports
      .settled(run, run.leadId ? waitMs(request, config) : callWaitMs)
      .catch((error: unknown) => unfinished(error, run));
    if (!run.leadId && isOpen(report)) throw new ApiError('UPSTREAM_ERROR', 'The upstream did not answer in time');
    return answerOf({ ...report, leadId: run.leadId });
  };
}

/** The run was accepted: if the engine stops answering now, that is all there is to say, and it is no failure of the lead. */
function unfinished(error: unknown, { leadId }: Run): LeadReport {
  if (!leadId) throw error;
  log.warn('wait broken off', { leadId, reason: error instanceof Error ? error.name : 'unknown' });
  return { leadId, flow: '', state: 'running', steps: [] };
}

const isOpen = ({ result, failure }: LeadReport) => !result && !failure;

/** Known before anything is started: what is missing, and whether the sandbox stands in. */
function checkConfigured({ uses }: Endpoint, input: JsonObject, upstreams: Upstreams, response: Response): void {
  const needs = uses?.(input) ?? [];
  const missing = needs.filter((need) => !upstreams.find(need)).map((need) => need.at(-1));
  if (missing.length > 0) throw new ApiError('CONFIG_ERROR', `Not set on the server: ${missing.join(', ')}`);
  if (needs.some((need) => upstreams.find(need)?.sandbox)) response.set('X-Leadgate-Sandbox', 'true');
}

function hereHandlers({ leads }: RouterNeeds): Readonly<Record<string, Handler>> {
  const id = (input: JsonObject) => String(input.leadId);
  const decide =
    (verb: Decision['verb']): Handler =>
    (_request, _response, input) =>
      leads.decide(id(input), { verb, ...(input as { reason: string; upstreamId: string }) });
  return {
    getLead: (_request, _response, input) => leads.read(id(input), input.wait as number | undefined),
    resendLead: decide('resend'),
    confirmLead: decide('confirm'),
    discardLead: decide('discard'),
  };
}
