/** Builds the conditions of queries to the engine's index. */
import type { UpstreamName } from '../domain/upstreams';
import { openStates, type LeadTrouble, type State } from '../domain/lead';

/** The statuses of a run that ended without a result: the client's name for each, and its name in a query. */
export const failedStatuses = { FAILED: 'Failed', CANCELLED: 'Canceled', TERMINATED: 'Terminated', TIMED_OUT: 'TimedOut' } as const;

const failedWords = Object.values(failedStatuses).map((status) => `'${status}'`);
const hasFailed = `ExecutionStatus IN (${failedWords.join(', ')})`;
const hasNotFailed = `ExecutionStatus NOT IN (${failedWords.join(', ')})`;

/**
 * Returns the conditions for leads in this state, with this error code, or both. Each lead matches at most one of them, so their counts and
 * lists add up. Without either there is one empty condition.
 *
 * A run that was ended outside of Leadgate keeps its last LeadState and LeadCode, but its lead is failed with RUN_ENDED, see `runs.ts`. Each
 * condition has one equality, so that the engine's database can use its index. For an OR of two states it would read every run.
 */
export function conditionsOf(state?: State, code?: LeadTrouble['code']): readonly string[] {
  if (code === 'RUN_ENDED') return state === undefined || state === 'failed' ? endedOutside : [];
  if (state === undefined) return [code ? `${isOfCode(code)} AND (${isIn('failed')} OR ${hasNotFailed})` : ''];
  const ofCode = code ? ` AND ${isOfCode(code)}` : '';
  if (openStates.includes(state)) return [`${isIn(state)} AND ${hasNotFailed}${ofCode}`];
  return [`${isIn(state)}${ofCode}`, ...(state === 'failed' && !code ? endedOutside : [])];
}

const isIn = (state: State): string => `LeadState = '${state}'`;
const isOfCode = (code: string): string => `LeadCode = '${code}'`;

/** The conditions for leads whose run was ended outside of Leadgate. */
export const endedOutside: readonly string[] = openStates.map((state) => `${isIn(state)} AND ${hasFailed}`);

/** The open leads of one installation. */
export const openLeads = (taskQueue: string): string =>
  `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running' AND LeadFlow IS NOT NULL`;

/** The open leads without the parked ones. */
export const openLeadsAtWork = (taskQueue: string): string => `${openLeads(taskQueue)} AND LeadState != 'parked'`;

/** The leads of one caller among these. */
export const openSentBy = (taskQueue: string, sender: number): string => `${openLeadsAtWork(taskQueue)} AND LeadSender = ${sender}`;

/** The open leads that wait for one upstream. */
export const openWaitingFor = (taskQueue: string, upstream: UpstreamName): string =>
  `${openLeads(taskQueue)} AND LeadState = 'waiting' AND LeadUpstream = '${upstream}'`;

/**
 * Open runs of one installation, of any type, whose workflow tasks keep failing or timing out. The engine marks a run after several such
 * tasks in a row, and removes the mark when a task succeeds. A closed run keeps its mark.
 */
export const stuckRuns = (taskQueue: string): string =>
  `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running' AND TemporalReportedProblems IS NOT NULL`;

/**
 * The leads of one flow, for a query that also names their state. Of two equalities the engine's database would use the index of the flow,
 * which matches far more leads than the index of the state. A list of values is no equality.
 */
export const flowBesideState = (flow: string): string => `LeadFlow IN ('${flow}', '${flow}')`;
