/**
 * Reads the state, trouble, times and input of a lead's run. An attempt with a long history continues as new, so it is a chain of runs,
 * identified by the first of them.
 */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { ApiError, endedOutsideMessage } from '../contract/errors';
import { leadIdOf, type Address } from '../domain/ids';
import { isOver, type Failure, type JsonObject, type LeadTrouble, type State } from '../domain/lead';
import type { LeadInput } from '../domain/lead-input';
import { memoOf } from '../domain/memo';
import { describe, firstEventOf, historyOf, type RunDescription } from '../temporal/ask';
import { isEncrypted } from '../temporal/codec';
import { decodeValues } from '../temporal/decode';
import { failedStatuses } from './lead-queries';

type RunInfo = Pick<WorkflowExecutionInfo, 'searchAttributes' | 'status'>;

export const hasFailed = ({ status }: Pick<RunInfo, 'status'>): boolean => Object.hasOwn(failedStatuses, status.name);

/** True if Temporal's own tools or limits ended the run: it is closed, but its state is not a final one. */
export const wasEndedOutside = (run: RunInfo): boolean => {
  const [state] = (run.searchAttributes.LeadState ?? []) as State[];
  return state !== undefined && hasFailed(run) && !isOver({ state });
};

export const stateOf = (run: RunInfo): State | undefined =>
  wasEndedOutside(run) ? 'failed' : (run.searchAttributes.LeadState?.[0] as State | undefined);

export function troubleIn(run: RunInfo): LeadTrouble | undefined {
  const [code] = (run.searchAttributes.LeadCode ?? []) as LeadTrouble['code'][];
  const [upstream] = (run.searchAttributes.LeadUpstream ?? []) as LeadTrouble['upstream'][];
  if (wasEndedOutside(run)) return { code: 'RUN_ENDED', upstream };
  return code && { code, upstream };
}

/** False for a lead that failed or was discarded. */
export const mayHaveArrived = (run: RunInfo): boolean => !['failed', 'discarded', undefined].includes(stateOf(run));

export interface LeadStatus {
  readonly state: State;
  readonly updatedAt: string;
  readonly trouble?: LeadTrouble;
}

/** Returns the run's current state, which the index shows a moment later. */
export function leadStatusOf(run: RunDescription, usual: State = 'running'): LeadStatus {
  const updatedAt = (changedAt(run) ?? run.startTime).toISOString();
  return { state: stateOf(run) ?? usual, trouble: troubleIn(run), updatedAt };
}

/** Returns the time of the last change. The run sets it, unless it was ended outside of Leadgate. */
export function changedAt(run: RunInfo & Pick<WorkflowExecutionInfo, 'closeTime'>): Date | undefined {
  const [updatedAt] = (run.searchAttributes.LeadUpdatedAt ?? []) as Date[];
  return wasEndedOutside(run) ? (run.closeTime ?? updatedAt) : updatedAt;
}

/** Returns the failure of a lead whose run was ended outside of Leadgate. */
export function endedOutsideFailure({ status, searchAttributes }: RunInfo): Failure {
  const [step] = (searchAttributes.LeadStep ?? []) as string[];
  return { code: 'RUN_ENDED', message: endedOutsideMessage(status.name.toLowerCase().replaceAll('_', ' ')), step };
}

export const receivedAt = (run: Pick<WorkflowExecutionInfo, 'startTime' | 'memo'>): string =>
  memoOf(run)?.redrive?.receivedAt ?? memoOf(run)?.continues?.startedAt ?? run.startTime.toISOString();

/** Returns when the first run of the chain started, in ms. */
const startedAtMs = ({ startTime, memo }: Pick<WorkflowExecutionInfo, 'startTime' | 'memo'>): number =>
  Date.parse(memoOf({ memo })?.continues?.startedAt ?? startTime.toISOString());

/** Returns the moment of the restored copy if the run was open in it. */
export const openInCopy = (run: Pick<WorkflowExecutionInfo, 'startTime' | 'closeTime' | 'memo'>, copiedAt?: number) =>
  copiedAt !== undefined && startedAtMs(run) <= copiedAt && (run.closeTime?.getTime() ?? Infinity) > copiedAt
    ? new Date(copiedAt).toISOString()
    : undefined;

export const isOpen = ({ status }: Pick<RunDescription, 'status'>): boolean => status.name === 'RUNNING';

export type ChainRun = Address & { readonly memo?: Record<string, unknown>; readonly raw?: object };

/** Returns the id of the chain's first run. A run that continued as new or was reset belongs to the same attempt. */
export function firstRunIdOf({ runId, memo, raw = {} }: ChainRun): string {
  // Listed runs have it in their memo only. Described runs have it also if the memo cannot be decrypted.
  const { workflowExecutionInfo: info }: Partial<RunDescription['raw']> = raw;
  return info?.firstRunId || (memoOf({ memo })?.continues?.firstRunId ?? runId);
}

export const isFirstOfChain = (run: RunDescription): boolean => firstRunIdOf(run) === run.runId;

/** Returns the id of the run's lead, made from the id of the first run. */
export const leadIdOfRun = (run: ChainRun): string => leadIdOf({ workflowId: run.workflowId, runId: firstRunIdOf(run) });

/** Returns the newest run of a chain. A later request may have started another chain under the same workflow id. */
export async function newestOfChain(client: Client, { workflowId, runId }: Address): Promise<RunDescription | undefined> {
  const newest = await describe(client, workflowId);
  if (newest && firstRunIdOf(newest) === runId) return newest;
  let found = newest && (await describe(client, workflowId, runId));
  for (let next = found && (await successorOf(client, found)); next; next = await successorOf(client, next)) found = next;
  return found;
}

/** All runs of the chain that the engine still has, the oldest first. */
export async function chainOf(client: Client, newest: RunDescription): Promise<RunDescription[]> {
  const { workflowId } = newest;
  const runId = firstRunIdOf(newest);
  if (runId === newest.runId) return [newest];
  const chain: RunDescription[] = [];
  for (let run = await describe(client, workflowId, runId); run; run = await successorOf(client, run)) chain.push(run);
  return chain.some((run) => run.runId === newest.runId) ? chain : [...chain, newest];
}

/** Returns the next run of the chain, after continue-as-new or a reset. */
async function successorOf(client: Client, { workflowId, runId, status, raw }: RunDescription): Promise<RunDescription | undefined> {
  const { resetRunId } = raw.workflowExtendedInfo ?? {};
  if (resetRunId && resetRunId !== runId) return describe(client, workflowId, resetRunId);
  if (status.name !== 'CONTINUED_AS_NEW') return undefined;
  const { events } = await historyOf(client, { workflowId, runId });
  const next = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  return next ? describe(client, workflowId, next) : undefined;
}

/** Returns the open run of a chain, if there is one. Only the newest run of a workflow id can be open. */
export async function openRunOf(client: Client, { workflowId, runId }: Address): Promise<RunDescription | undefined> {
  const newest = await describe(client, workflowId);
  return newest && isOpen(newest) && firstRunIdOf(newest) === runId ? newest : undefined;
}

export const unknownLead = () => new ApiError('NOT_FOUND', 'There is no lead with this id');

/** For `catch`: returns undefined if there is no such lead, and throws any other error. */
export function ignoreLeadNotFound(error: unknown): undefined {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
}

/** Reads the input that a run was started with. */
export async function startInputOf(client: Client, { workflowId, runId }: Pick<RunDescription, 'workflowId' | 'runId'>): Promise<unknown> {
  const started = (await firstEventOf(client, { workflowId, runId }))?.workflowExecutionStartedEventAttributes;
  const payloads = started?.input?.payloads ?? [];
  // Leadgate has not started this run.
  if (!payloads.every(isEncrypted)) throw unknownLead();
  const [input] = await decodeValues(client.options.loadedDataConverter, payloads);
  return input;
}

export const leadInputOf = async (client: Client, run: Pick<RunDescription, 'workflowId' | 'runId'>): Promise<LeadInput> =>
  (await startInputOf(client, run)) as LeadInput;

export const bodyOf = async (client: Client, run: Pick<RunDescription, 'workflowId' | 'runId'>): Promise<JsonObject> =>
  (await leadInputOf(client, run)).body;
