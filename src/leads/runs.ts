/**
 * Finds the runs of a lead: its attempts, and the newest of them. A lead's id is the address of its first run, and each redrive runs under
 * an id with the number of its attempt. So the engine is asked for exactly these runs, and not its index, which lags behind.
 */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { ApiError } from '../contract/errors';
import { addressOf, attemptIdOf, attemptIn, leadIdForm, leadIdOf, nonceIn, workflowIdOf } from '../domain/ids';
import type { JsonObject, LeadInput, LeadTrouble, State } from '../domain/lead';
import { memoOf } from '../domain/memo';
import { askEngine, describe, type Found } from '../temporal/ask';
import { decodeValues } from '../temporal/decode';
import { searchSettled } from './search';

/** The engine's retention removes the oldest attempts first. If the first is gone, this many later ones are looked for at once. */
const attemptsAtOnce = 8;

export const stateOf = ({ searchAttributes }: Pick<WorkflowExecutionInfo, 'searchAttributes'>): State | undefined =>
  searchAttributes.LeadState?.[0] as State | undefined;

export function troubleIn({ searchAttributes }: Pick<WorkflowExecutionInfo, 'searchAttributes'>): LeadTrouble | undefined {
  const [code] = (searchAttributes.LeadCode ?? []) as LeadTrouble['code'][];
  const [upstream] = (searchAttributes.LeadUpstream ?? []) as LeadTrouble['upstream'][];
  return code && { code, upstream };
}

export interface Standing {
  readonly state: State;
  readonly updatedAt: string;
  readonly trouble?: LeadTrouble;
}

/** The run's own state now; the index shows it a moment later. */
export function standingOf(run: Found, usual: State = 'running'): Standing {
  const [updated = run.startTime] = (run.searchAttributes.LeadUpdatedAt ?? []) as Date[];
  return { state: stateOf(run) ?? usual, trouble: troubleIn(run), updatedAt: updated.toISOString() };
}

export const receivedAt = (run: Pick<WorkflowExecutionInfo, 'startTime' | 'memo'>): string =>
  memoOf(run)?.redrive?.receivedAt ?? run.startTime.toISOString();

/** The moment of the copy that was restored, if the run was open in it. */
export const openInCopy = ({ startTime, closeTime }: Pick<WorkflowExecutionInfo, 'startTime' | 'closeTime'>, copiedAt?: number) =>
  copiedAt !== undefined && startTime.getTime() <= copiedAt && (closeTime?.getTime() ?? Infinity) > copiedAt
    ? new Date(copiedAt).toISOString()
    : undefined;

export const isOpen = ({ status }: Found): boolean => status.name === 'RUNNING';

/** The lead's id, made from the first run id: a run that was reset by Temporal's own tools is the same lead under another run id. */
export const leadIdOfRun = ({ workflowId, runId, raw }: Pick<Found, 'workflowId' | 'runId' | 'raw'>): string =>
  leadIdOf({ workflowId, runId: raw.workflowExecutionInfo?.firstRunId || runId });

/** Every attempt that the engine still has, the oldest first. */
export async function attemptsOf(client: Client, leadId: string): Promise<[Found, ...Found[]]> {
  if (!leadIdForm.test(leadId)) throw unknown();
  const first = await firstRun(client, leadId);
  const own = first ? leadIdOfRun(first) : leadId;
  const earliest = first ?? (await earliestRedrive(client, own));
  if (!earliest) throw unknown();
  const attempts: [Found, ...Found[]] = [earliest];
  for (let last: Found | undefined = earliest; last?.status.name === 'FAILED';) {
    last = await describe(client, attemptIdOf(own, attemptIn(last.workflowId) + 1));
    if (last) attempts.push(last);
  }
  return attempts;
}

export const newestIn = (attempts: readonly [Found, ...Found[]]): Found => attempts.at(-1) ?? attempts[0];

/** The lead's newest attempt, whose state is the lead's. */
export const newestRun = async (client: Client, leadId: string): Promise<Found> => newestIn(await attemptsOf(client, leadId));

/** For `catch`: undefined if the lead is not there any more. */
export function unlessNoLead(error: unknown): undefined {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
}

async function firstRun(client: Client, leadId: string): Promise<Found | undefined> {
  const address = addressOf(leadId);
  if (!address) return unconfirmed(client, leadId);
  let found = await describe(client, address.workflowId, address.runId);
  for (let reset = resetOf(found); reset; reset = resetOf(found)) found = (await describe(client, address.workflowId, reset)) ?? found;
  return found;
}

const resetOf = (found: Found | undefined): string | undefined => {
  const { resetRunId } = found?.raw.workflowExtendedInfo ?? {};
  return resetRunId && resetRunId !== found?.runId ? resetRunId : undefined;
};

/** Finds the run of a start that broke off: its lead id holds a nonce, no run id. If a newer run took the workflow id, it must search. */
async function unconfirmed(client: Client, leadId: string): Promise<Found | undefined> {
  const workflowId = workflowIdOf(leadId);
  const isIt = (run: Pick<Found, 'memo'>) => memoOf(run)?.nonce === nonceIn(leadId);
  const newest = await describe(client, workflowId);
  if (!newest || isIt(newest)) return newest;
  const older = (await searchSettled(client, `WorkflowId = '${workflowId}'`)).find(isIt);
  return older && describe(client, workflowId, older.runId);
}

async function earliestRedrive(client: Client, leadId: string): Promise<Found | undefined> {
  if (!addressOf(leadId)) return undefined;
  const numbers = Array.from({ length: attemptsAtOnce }, (_, at) => at + 2);
  return (await Promise.all(numbers.map((attempt) => describe(client, attemptIdOf(leadId, attempt))))).find(Boolean);
}

/** The input that a run was started with. */
export async function startedWith(client: Client, { workflowId, runId }: Pick<Found, 'workflowId' | 'runId'>): Promise<unknown> {
  const history = await askEngine(client, () => client.workflow.getHandle(workflowId, runId).fetchHistory());
  const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
  const [input] = await decodeValues(client.options.loadedDataConverter, started?.input?.payloads);
  return input;
}

export const inputOf = async (client: Client, run: Pick<Found, 'workflowId' | 'runId'>): Promise<LeadInput> =>
  (await startedWith(client, run)) as LeadInput;

/** The body that a lead's run was started with. */
export const bodyOf = async (client: Client, run: Pick<Found, 'workflowId' | 'runId'>): Promise<JsonObject> =>
  (await inputOf(client, run)).body;

const unknown = () => new ApiError('NOT_FOUND', 'There is no lead with this id');
