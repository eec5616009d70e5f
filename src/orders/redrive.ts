/**
 * Redrives a lead that has failed, or that waits and gets changed fields: starts the lead's next attempt with its stored body and the changed
 * fields, through the intake. Serves single and bulk orders.
 */
import { WorkflowFailedError, WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import { breachOf, isSandboxed, type Upstreams } from '../config/upstreams';
import { endpoints, endpointTable, type EndpointName } from '../contract';
import type { Endpoint } from '../contract/endpoint';
import { ApiError, invalid } from '../contract/errors';
import { inputSchema, namesIn, readInput, unknownName, type FieldNames } from '../contract/input';
import type { SandboxBinding } from '../domain/execution-context';
import type { Changes } from '../domain/evidence';
import { without } from '../domain/formats';
import { attemptIn } from '../domain/ids';
import { updateOf, type Decision, type Detail, type JsonObject, type State } from '../domain/lead';
import { memoOf } from '../domain/memo';
import type { RedriveOrder } from '../domain/redrive';
import { arrivalChecks } from '../domain/sends';
import { findPossibleSends } from '../leads/possible-sends';
import { bodyOf, firstRunIdOf, leadInputOf, leadIdOfRun, leadStatusOf, receivedAt, stateOf, wasEndedOutside } from '../leads/runs';
import { attemptsOf, newestIn } from '../leads/attempts';
import { log } from '../lib/log';
import { isRunNotFound, within, type RunDescription } from '../temporal/ask';
import type { Admission } from '../intake/admission';
import { onceIdle } from './decide';
import { createEndedEvents } from '../events/ended';
import { canonical, assertSameRequest } from '../intake/identity';
import { createPreparation } from '../intake/intake';
import { createStarter, type RequestRun, type StarterNeeds } from '../intake/start';

export interface RedriveNeeds extends StarterNeeds {
  readonly upstreams: Upstreams;
  readonly admission: Admission;
  /** The moment of the copy that the stored runs were restored from, if they were. */
  readonly copiedAt?: number;
}

/** The deadline for a worker to end a waiting lead. */
const endWaitMs = 15_000;

/** Redrives one lead and returns its new run. Undefined if this order was carried out before. */
export function createRedrive(needs: RedriveNeeds, bulk = false): (order: RedriveOrder) => Promise<RequestRun | undefined> {
  const { admission, client, config, upstreams } = needs;
  const preparation = createPreparation(config, upstreams);
  const starter = createStarter(needs);
  const endedEvents = createEndedEvents(needs);
  const redrive = async (order: RedriveOrder): Promise<RequestRun | undefined> => {
    const { fields = {}, orderId, orderDigest, by, reason } = order;
    const attempts = await attemptsOf(client, order.leadId);
    if (isCarriedOut(attempts, order)) return undefined;
    const failed = newestIn(attempts);
    const waits = stateOf(failed) === 'waiting' && Object.keys(fields).length > 0;
    if (!waits && stateOf(failed) !== 'failed') throw notFailed(leadStatusOf(failed).state);
    if (wasEndedOutside(failed) && !order.notThere) await assertNothingSent(client, failed);
    const name = failed.type;
    const endpoint: Endpoint = endpoints[name as EndpointName];
    const { flow } = endpoint;
    const { body: before, events } = await leadInputOf(client, failed);
    const problems = (mended: JsonObject) => [
      ...unknownFields(endpoint, fields),
      ...(endpoint.withoutEffect?.(fields, mended) ?? []),
      ...preparation.problems(flow, mended),
    ];
    const { given, body } = readInput(mendedBody(endpoint, before, fields), endpoint, problems);
    const ready = preparation.prepare(endpoint, body);
    assertSameBinding(memoOf(failed)?.binding ?? {}, ready.binding);
    const leadId = leadIdOfRun(failed);
    const changed = changedFields(before, body);
    const { senders, reference } = memoOf(failed) ?? {};
    const [importId] = reference ? [] : listIn(failed, 'LeadImports');
    const request = {
      name,
      carried: 'lead',
      body,
      given,
      ...(changed.length === 0 && { digest: memoOf(failed)?.digest }),
      ...ready,
      dryRun: false,
      bulk,
      flow,
      importId,
      callbackUrl: events?.callbackUrl,
      ...(!bulk && { caller: by }),
    } as const;
    const attempt = {
      ...{ leadId, attempt: attemptIn(failed.workflowId) + 1, receivedAt: receivedAt(failed) },
      ...{ orderId, orderDigest, by, reason, changed, senders, reference },
      ...{ emails: listIn(failed, 'LeadEmails'), phones: listIn(failed, 'LeadPhones'), repeatAfterS: repeatIn(failed) },
    };
    // The event of its end must precede the events of the next attempt.
    if (wasEndedOutside(failed)) await endedEvents.publish(failed);
    const start = async () => {
      const isEnded = !waits || (await endWait(client, failed, order));
      return isEnded ? starter.startAttempt(request, attempt) : undefined;
    };
    // A waiting lead keeps its place among the leads that wait for its upstream.
    const goesTo = waits ? [] : ready.goesTo;
    const { run } = await admission.admit(bulk ? '' : (by ?? ''), bulk ? 'bulk' : 'lead', start, goesTo);
    // The lead stopped waiting before this order: decide by its new state.
    if (!run && waits) return redrive(order);
    if (!run) throw new ApiError('WRONG_STATE', 'Another order has already redriven the lead');
    // A concurrent request has carried out the same order.
    if (!run.isNew) return undefined;
    log.info('lead decided', { leadId, verb: 'redrive' });
    return run;
  };
  return redrive;
}

/** Returns the input of a failed attempt, before and after a redrive with these fields. Fields that the redrive would refuse are as they came. */
export async function mendedBodies(
  client: Client,
  failed: RunDescription,
  fields: JsonObject,
): Promise<{ readonly before: JsonObject; readonly after: JsonObject }> {
  const endpoint: Endpoint = endpoints[failed.type as EndpointName];
  const before = await bodyOf(client, failed);
  return { before, after: mendedInput(endpoint, mendedBody(endpoint, before, fields)) };
}

export const changesBetween = (before: JsonObject, after: JsonObject): Changes =>
  Object.fromEntries(changedFields(before, after).map((field) => [field, { before: before[field], after: after[field] }]));

function mendedInput(endpoint: Endpoint, mended: JsonObject): JsonObject {
  try {
    return readInput(mended, endpoint, () => []).body;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return mended;
  }
}

/** True if this order has started one of these attempts. Throws if its Idempotency-Key was used with another body. */
function isCarriedOut(attempts: readonly RunDescription[], { orderId, orderDigest }: RedriveOrder): boolean {
  const first = attempts.map((attempt) => memoOf(attempt)?.redrive).find((redrive) => redrive?.orderId === orderId);
  if (first) assertSameRequest(orderDigest, first.orderDigest);
  return first !== undefined;
}

/**
 * Ends the run of a waiting lead, so that its next attempt can start. False if the run has already ended. Throws if the lead no longer waits.
 * The update id makes concurrent repeats of an order safe.
 */
async function endWait(client: Client, waiting: RunDescription, { orderId, reason, by }: RedriveOrder): Promise<boolean> {
  const run = client.workflow.getHandle(waiting.workflowId, undefined, { firstExecutionRunId: firstRunIdOf(waiting) });
  const decision: Decision = { verb: 'replace', reason, by };
  const options = { args: [decision] as [Decision], updateId: `${decision.verb}-${orderId}` };
  return within(client, Date.now() + endWaitMs, async () => {
    try {
      await onceIdle(() => run.executeUpdate<State, [Decision]>(updateOf(decision), options));
    } catch (error) {
      if (isRunNotFound(error)) return false;
      throw error instanceof WorkflowUpdateFailedError ? new ApiError('WRONG_STATE', error.cause?.message ?? error.message) : error;
    }
    await run.result().catch((error: unknown) => {
      if (!(error instanceof WorkflowFailedError)) throw error;
    });
    return true;
  });
}

const notFailed = (state: State) =>
  new ApiError(
    'WRONG_STATE',
    `The lead has not failed: it is ${state}${state === 'waiting' ? '. Redrive it with corrected fields, try it now, or discard it' : ''}`,
  );

/** Throws if a run that was ended outside of Leadgate may have sent something: only a person can check whether it arrived. */
async function assertNothingSent(client: Client, failed: RunDescription): Promise<void> {
  const sends = await findPossibleSends(client, failed);
  if (sends !== 'unknown' && sends.size === 0) return;
  const sought = sends === 'unknown' ? ['what it sends, in its upstreams'] : [...sends].map((send) => arrivalChecks[send] ?? send);
  throw new ApiError(
    'WRONG_STATE',
    `Its run was ended outside of Leadgate and may have sent it: look for ${sought.join(' and ')}. If nothing is there, "notThere": true redrives it`,
  );
}

function mendedBody({ sameField = [] }: Endpoint, before: JsonObject, fields: JsonObject): JsonObject {
  const replaced = sameField.some((name) => Object.hasOwn(fields, name)) ? sameField : [];
  return { ...without(before, replaced), ...fields };
}

const ofLeadRoute = "to the lead's route";

/** Returns the changed fields that the lead's route does not have, because they would have no effect. */
const unknownFields = ({ input }: Endpoint, fields?: JsonObject): Detail[] => unknownIn(namesIn(inputSchema(input)), ofLeadRoute, fields);

function unknownIn(names: FieldNames, where: string, fields: JsonObject = {}): Detail[] {
  const unknown = Object.keys(fields).filter((name) => !names.knows(name));
  return unknown.map((name) => unknownName(name, names, where, ['fields']));
}

/**
 * Throws for a field that no lead route has or, with `flow`, no route of that flow. A field that only some routes have is refused later, for
 * each lead whose route does not have it.
 */
export function assertLeadFields(fields: JsonObject | undefined, where: string, flow?: string): void {
  const routes = endpointTable.filter(([, route]) => route.handledBy === 'lead' && (flow === undefined || route.flow === flow));
  const unknown = unknownIn(namesIn({ allOf: routes.map(([, { input }]) => inputSchema(input)) }), where, fields);
  if (unknown.length > 0) throw invalid(unknown);
}

/** Throws if a redrive would send a sandbox lead to a real upstream, or a real lead to the sandbox. */
function assertSameBinding(before: SandboxBinding, now: SandboxBinding): void {
  for (const [setting, isSandbox] of Object.entries(now)) {
    const breach = breachOf(before, setting, isSandbox, isSandboxed(before));
    if (breach) throw new ApiError(breach.cameForSandbox ? 'WRONG_STATE' : 'CONFIG_ERROR', breach.message);
  }
}

const listIn = ({ searchAttributes }: RunDescription, name: 'LeadEmails' | 'LeadPhones' | 'LeadImports') =>
  (searchAttributes[name] ?? []) as string[];
const repeatIn = ({ searchAttributes }: RunDescription) => searchAttributes.LeadRepeatS?.[0] as number | undefined;

const changedFields = (before: JsonObject, after: JsonObject): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => canonical(before[name]) !== canonical(after[name]));
