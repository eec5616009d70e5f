/**
 * Reads what a run of a lead says: its state, its trouble, its times, its input. An attempt whose history grew long has continued as new: it
 * is a chain of runs, known by the first of them.
 */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { ApiError, endedOutsideMessage } from '../contract/errors';
import { leadIdOf, type Address } from '../domain/ids';
import { isOver, type Failure, type JsonObject, type LeadTrouble, type State } from '../domain/lead';
import type { LeadInput } from '../domain/lead-input';
import { memoOf } from '../domain/memo';
import { describe, historyOf, type Found } from '../temporal/ask';
import { isEncrypted } from '../temporal/codec';
import { decodeValues } from '../temporal/decode';
import { failedStatuses } from './lead-queries';

type Listed = Pick<WorkflowExecutionInfo, 'searchAttributes' | 'status'>;

export const hasFailed = ({ status }: Pick<Listed, 'status'>): boolean => Object.hasOwn(failedStatuses, status.name);

/** True if the run was ended outside of Leadgate, by Temporal's own tools or limits: it has ended in a state that is not an end. */
export const wasEndedOutside = (run: Listed): boolean => {
  const [state] = (run.searchAttributes.LeadState ?? []) as State[];
  return state !== undefined && hasFailed(run) && !isOver({ state });
};

export const stateOf = (run: Listed): State | undefined =>
  wasEndedOutside(run) ? 'failed' : (run.searchAttributes.LeadState?.[0] as State | undefined);

export function troubleIn(run: Listed): LeadTrouble | undefined {
  const [code] = (run.searchAttributes.LeadCode ?? []) as LeadTrouble['code'][];
  const [upstream] = (run.searchAttributes.LeadUpstream ?? []) as LeadTrouble['upstream'][];
  if (wasEndedOutside(run)) return { code: 'RUN_ENDED', upstream };
  return code && { code, upstream };
}

export interface Standing {
  readonly state: State;
  readonly updatedAt: string;
  readonly trouble?: LeadTrouble;
}

/** The run's own state now; the index shows it a moment later. */
export function standingOf(run: Found, usual: State = 'running'): Standing {
  const updatedAt = (changedAt(run) ?? run.startTime).toISOString();
  return { state: stateOf(run) ?? usual, trouble: troubleIn(run), updatedAt };
}

/** The time of the last change: the run has set it. A run that was ended outside of Leadgate could not. */
export function changedAt(run: Listed & Pick<WorkflowExecutionInfo, 'closeTime'>): Date | undefined {
  const [said] = (run.searchAttributes.LeadUpdatedAt ?? []) as Date[];
  return wasEndedOutside(run) ? (run.closeTime ?? said) : said;
}

/** Why a lead failed whose run was ended outside of Leadgate. */
export function endOf({ status, searchAttributes }: Listed): Failure {
  const [step] = (searchAttributes.LeadStep ?? []) as string[];
  return { code: 'RUN_ENDED', message: endedOutsideMessage(status.name.toLowerCase().replaceAll('_', ' ')), step };
}

export const receivedAt = (run: Pick<WorkflowExecutionInfo, 'startTime' | 'memo'>): string =>
  memoOf(run)?.redrive?.receivedAt ?? memoOf(run)?.continues?.startedAt ?? run.startTime.toISOString();

/** When the first run of the chain began, in ms. */
const begunAt = ({ startTime, memo }: Pick<WorkflowExecutionInfo, 'startTime' | 'memo'>): number =>
  Date.parse(memoOf({ memo })?.continues?.startedAt ?? startTime.toISOString());

/** The moment of the copy that was restored, if the run was open in it. */
export const openInCopy = (run: Pick<WorkflowExecutionInfo, 'startTime' | 'closeTime' | 'memo'>, copiedAt?: number) =>
  copiedAt !== undefined && begunAt(run) <= copiedAt && (run.closeTime?.getTime() ?? Infinity) > copiedAt
    ? new Date(copiedAt).toISOString()
    : undefined;

export const isOpen = ({ status }: Pick<Found, 'status'>): boolean => status.name === 'RUNNING';

export type InChain = Address & { readonly memo?: Record<string, unknown>; readonly raw?: object };

/** The first run of the chain: a run that continued as new, or was reset by Temporal's own tools, is the same attempt. */
export function firstRunIdOf({ runId, memo, raw = {} }: InChain): string {
  // The index tells no first run, but the memo; a description tells it also of a run whose memo cannot be read.
  const { workflowExecutionInfo: info }: Partial<Found['raw']> = raw;
  return info?.firstRunId || (memoOf({ memo })?.continues?.firstRunId ?? runId);
}

export const isFirstOfChain = (run: Found): boolean => firstRunIdOf(run) === run.runId;

/** The lead's id, made from the id of the first run. */
export const leadIdOfRun = (run: InChain): string => leadIdOf({ workflowId: run.workflowId, runId: firstRunIdOf(run) });

/** The newest run of a chain. A later request may have begun another chain under the same workflow id. */
export async function newestOfChain(client: Client, { workflowId, runId }: Address): Promise<Found | undefined> {
  const newest = await describe(client, workflowId);
  if (newest && firstRunIdOf(newest) === runId) return newest;
  let found = newest && (await describe(client, workflowId, runId));
  for (let next = found && (await successorOf(client, found)); next; next = await successorOf(client, next)) found = next;
  return found;
}

/** All runs of the chain that the engine still has, the oldest first. */
export async function chainOf(client: Client, newest: Found): Promise<Found[]> {
  const { workflowId } = newest;
  const runId = firstRunIdOf(newest);
  if (runId === newest.runId) return [newest];
  const chain: Found[] = [];
  for (let run = await describe(client, workflowId, runId); run; run = await successorOf(client, run)) chain.push(run);
  return chain.some((run) => run.runId === newest.runId) ? chain : [...chain, newest];
}

/** The run that followed by continuing as new or by a reset. */
async function successorOf(client: Client, { workflowId, runId, status, raw }: Found): Promise<Found | undefined> {
  const { resetRunId } = raw.workflowExtendedInfo ?? {};
  if (resetRunId && resetRunId !== runId) return describe(client, workflowId, resetRunId);
  if (status.name !== 'CONTINUED_AS_NEW') return undefined;
  const { events } = await historyOf(client, { workflowId, runId });
  const next = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  return next ? describe(client, workflowId, next) : undefined;
}

/** The open run of a chain, if there is one. Only the newest run of a workflow id can be open. */
export async function openOf(client: Client, { workflowId, runId }: Address): Promise<Found | undefined> {
  const newest = await describe(client, workflowId);
  return newest && isOpen(newest) && firstRunIdOf(newest) === runId ? newest : undefined;
}

export const unknownLead = () => new ApiError('NOT_FOUND', 'There is no lead with this id');

/** For `catch`: undefined if the lead is not there any more. */
export function unlessNoLead(error: unknown): undefined {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
}

/** The input that a run was started with. */
export async function startedWith(client: Client, { workflowId, runId }: Pick<Found, 'workflowId' | 'runId'>): Promise<unknown> {
  const history = await historyOf(client, { workflowId, runId });
  const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
  const payloads = started?.input?.payloads ?? [];
  // Nobody of ours has started it.
  if (!payloads.every(isEncrypted)) throw unknownLead();
  const [input] = await decodeValues(client.options.loadedDataConverter, payloads);
  return input;
}

export const inputOf = async (client: Client, run: Pick<Found, 'workflowId' | 'runId'>): Promise<LeadInput> =>
  (await startedWith(client, run)) as LeadInput;

/** The body that a lead's run was started with. */
export const bodyOf = async (client: Client, run: Pick<Found, 'workflowId' | 'runId'>): Promise<JsonObject> =>
  (await inputOf(client, run)).body;
