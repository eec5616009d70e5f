/** A failed lead goes through the door again with the corrected fields: the one piece of code behind a person's order and a bulk's. */
import { setTimeout as pause } from 'node:timers/promises';
import { endpoints, type EndpointName } from '../contract';
import type { Endpoint } from '../contract/endpoint';
import type { ErrorCode } from '../domain/lead';
import type { Redriven, RedriveMany, RedriveOrder } from '../domain/redrive';
import { log } from '../log';
import type { Upstreams } from '../upstreams';
import { createAdmission } from './admission';
import { ApiError, keyReused } from './errors';
import { bodyOf, findLead, stateOf } from './lead-runs';
import { createPreparation } from './prepare';
import { readInput } from './request';
import { createStarter, memoOf, type Run, type StarterNeeds } from './start';

export interface RedriveNeeds extends StarterNeeds {
  readonly upstreams: Upstreams;
}

/** The lead's new run. Throws where nothing was started; the same order again does nothing. */
export function createRedrive(needs: RedriveNeeds, bulk = false): (order: RedriveOrder) => Promise<Run | undefined> {
  const { client, config, upstreams } = needs;
  const preparation = createPreparation(config, upstreams);
  const starter = createStarter(needs);
  return async (order) => {
    const { leadId, fields, by } = order;
    const failed = await findLead(client, leadId);
    const { by: before, cameIn = failed.startTime.toISOString(), sandbox } = memoOf(failed) ?? {};
    if (before === by) return undefined;
    if (before !== undefined && nameOf(before) === nameOf(by)) throw keyReused();
    if (stateOf(failed) !== 'failed') throw new ApiError('WRONG_STATE', 'The lead has not failed');
    const name = failed.type;
    const endpoint: Endpoint = endpoints[name as EndpointName];
    const { flow } = endpoint;
    const whole = { ...(await bodyOf(client, failed)), ...fields };
    const { given, body } = readInput(whole, endpoint, (read) => preparation.problems(flow, read));
    const ready = preparation.ready(endpoint, body);
    mustGoWhereItCameFor(ready.isSandbox, Boolean(sandbox));
    const run = await starter.again({ name, carried: 'lead', body, given, ...ready, cameIn, dryRun: false, bulk, flow }, order);
    if (!run) throw new ApiError('WRONG_STATE', 'The lead is being sent again already');
    log.info('lead decided', { leadId, verb: 'redrive' });
    return run;
  };
}

/** As its first run: what was tried out goes to no real system, and what is real to no simulator. */
function mustGoWhereItCameFor(isSandbox: boolean, wasSandbox: boolean): void {
  if (wasSandbox && !isSandbox)
    throw new ApiError('WRONG_STATE', 'The sandbox stood in when this lead came in: it goes to no real system. Send it as a new lead');
  if (isSandbox && !wasSandbox)
    throw new ApiError('CONFIG_ERROR', 'This lead came in for a real system, and the sandbox stands in now: set the URLs of its upstreams');
}

/** An order may say, behind a dot, what it orders. */
const nameOf = (by: string) => by.split('.')[0];

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
  const admission = createAdmission(needs.client, needs.config);

  async function one(order: RedriveOrder): Promise<Redriven | 'later'> {
    try {
      await admission.admit('', true, () => redrive(order));
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
