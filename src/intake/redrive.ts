/** A failed lead goes through the door again with the corrected fields: the one piece of code behind a person's order and a bulk's. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Upstreams } from '../config/upstreams';
import { endpoints, endpointTable, type EndpointName } from '../contract';
import type { Endpoint } from '../contract/endpoint';
import { ApiError, keyReused } from '../contract/errors';
import { inputSchema, invalid, namesIn, readInput, unknownName, type FieldNames } from '../contract/input';
import { attemptIn } from '../domain/ids';
import type { Detail, ErrorCode, JsonObject } from '../domain/lead';
import type { RedriveMany, Redriven, RedriveOrder } from '../domain/redrive';
import { attemptsOf, bodyOf, leadIdOfRun, memoOf, receivedAt, stateOf, type Found } from '../leads/runs';
import { log } from '../lib/log';
import type { Admission } from './admission';
import { canonical } from './identity';
import { createPreparation } from './intake';
import { createStarter, type Run, type StarterNeeds } from './start';

export interface RedriveNeeds extends StarterNeeds {
  readonly upstreams: Upstreams;
  readonly admission: Admission;
}

/** The lead's new run. Throws where nothing was started; the same order again does nothing. */
export function createRedrive(needs: RedriveNeeds, bulk = false): (order: RedriveOrder) => Promise<Run | undefined> {
  const { admission, client, config, upstreams } = needs;
  const preparation = createPreparation(config, upstreams);
  const starter = createStarter(needs);
  return async (order) => {
    const { fields, orderId, orderDigest, by, reason } = order;
    mustBeLeadFields(fields, itsRoute);
    const attempts = await attemptsOf(client, order.leadId);
    const same = attempts.map((attempt) => memoOf(attempt)?.redrive).find((redrive) => redrive?.orderId === orderId);
    if (same && same.orderDigest !== orderDigest) throw keyReused();
    if (same) return undefined;
    const failed = attempts.at(-1) ?? attempts[0];
    if (stateOf(failed) !== 'failed') throw new ApiError('WRONG_STATE', 'The lead has not failed');
    const name = failed.type;
    const endpoint: Endpoint = endpoints[name as EndpointName];
    const { flow } = endpoint;
    const before = await bodyOf(client, failed);
    const problems = (read: JsonObject) => [...unknownFields(endpoint, fields), ...preparation.problems(flow, read)];
    const { given, body } = readInput({ ...before, ...fields }, endpoint, problems);
    const ready = preparation.ready(endpoint, body);
    mustGoWhereItCameFor(ready.isSandbox, Boolean(memoOf(failed)?.sandbox));
    const leadId = leadIdOfRun(failed);
    const request = { name, carried: 'lead', body, given, ...ready, dryRun: false, bulk, flow } as const;
    const attempt = {
      ...{ leadId, attempt: attemptIn(failed.workflowId) + 1, receivedAt: receivedAt(failed) },
      ...{ orderId, orderDigest, by, reason, changed: changedFields(before, body) },
      ...{ emails: hashesIn(failed, 'LeadEmails'), phones: hashesIn(failed, 'LeadPhones') },
    };
    const { run } = await admission.admit(bulk ? '' : (by ?? ''), bulk, () => starter.again(request, attempt));
    if (!run) throw new ApiError('WRONG_STATE', 'The lead is being sent again already');
    log.info('lead decided', { leadId, verb: 'redrive' });
    return run;
  };
}

const itsRoute = "to the lead's route";

/** A corrected field that its route does not have would mend nothing. */
const unknownFields = ({ input }: Endpoint, fields?: JsonObject): Detail[] => unknownIn(namesIn(inputSchema(input)), itsRoute, fields);

function unknownIn(names: FieldNames, where: string, fields: JsonObject = {}): Detail[] {
  const unknown = Object.keys(fields).filter((name) => !names.knows(name));
  return unknown.map((name) => ({ field: `fields.${name}`, message: unknownName(name, names, where) }));
}

/** Throws for a field that no route has, of this flow or of any. One that only some routes have is told of each lead that has it not. */
export function mustBeLeadFields(fields: JsonObject | undefined, where: string, flow?: string): void {
  const routes = endpointTable.filter(([, route]) => route.carried === 'lead' && (flow === undefined || route.flow === flow));
  const unknown = unknownIn(namesIn({ allOf: routes.map(([, { input }]) => inputSchema(input)) }), where, fields);
  if (unknown.length > 0) throw invalid(unknown);
}

/** As its first run: what was tried out goes to no real system, and what is real to no simulator. */
function mustGoWhereItCameFor(isSandbox: boolean, wasSandbox: boolean): void {
  if (wasSandbox && !isSandbox)
    throw new ApiError('WRONG_STATE', 'The sandbox stood in when this lead came in: it goes to no real system. Send it as a new lead');
  if (isSandbox && !wasSandbox)
    throw new ApiError('CONFIG_ERROR', 'This lead came in for a real system, and the sandbox stands in now: set the URLs of its upstreams');
}

const hashesIn = ({ searchAttributes }: Found, name: 'LeadEmails' | 'LeadPhones') => (searchAttributes[name] ?? []) as string[];

const changedFields = (before: JsonObject, after: JsonObject): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => canonical(before[name]) !== canonical(after[name]));

/** What says for good that a lead is not started; anything else is tried again. */
const outcomes: Partial<Record<ErrorCode, Redriven['outcome']>> = {
  WRONG_STATE: 'wrong-state',
  NOT_FOUND: 'not-found',
  VALIDATION_ERROR: 'invalid',
  CONFIG_ERROR: 'invalid',
};

const doorIsClosed: readonly ErrorCode[] = ['NOT_ACCEPTED', 'RATE_LIMITED'];

/** For a bulk's run. It takes half of the room at most: the other half is for leads that come in. */
export function createRedriveMany(needs: RedriveNeeds): RedriveMany {
  const redrive = createRedrive(needs, true);

  async function one(order: RedriveOrder): Promise<Redriven | 'later'> {
    try {
      await redrive(order);
      return { outcome: 'started' };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (doorIsClosed.includes(error.code)) return 'later';
      const outcome = outcomes[error.code];
      if (!outcome) throw error;
      return { outcome, code: error.code, message: error.message };
    }
  }

  return async ({ leadIds, pauseMs, ...order }) => {
    const done: Redriven[] = [];
    for (const leadId of leadIds) {
      await pause(pauseMs);
      const redriven = await one({ ...order, leadId }).catch((error: unknown) => {
        if (done.length === 0) throw error;
        return 'later' as const;
      });
      if (redriven === 'later') break;
      done.push(redriven);
    }
    return done;
  };
}
