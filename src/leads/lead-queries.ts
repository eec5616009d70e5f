/** Conditions of questions to the engine's index. */
import type { UpstreamName } from '../domain/upstreams';
import { openStates, type LeadTrouble, type State } from '../domain/lead';

/** The statuses of a run that ended without a result: the client's word for each, and a question's word. */
export const failedStatuses = { FAILED: 'Failed', CANCELLED: 'Canceled', TERMINATED: 'Terminated', TIMED_OUT: 'TimedOut' } as const;

const failedWords = Object.values(failedStatuses).map((status) => `'${status}'`);
const hasFailed = `ExecutionStatus IN (${failedWords.join(', ')})`;
const hasNotFailed = `ExecutionStatus NOT IN (${failedWords.join(', ')})`;

/**
 * The leads in one state, of one error code, or of both: a lead matches one of the conditions at most, so their counts and lists add up.
 * Without either there is one empty condition.
 *
 * A run that was ended outside of Leadgate keeps the LeadState and LeadCode of its last change. Its lead is failed with RUN_ENDED, see
 * `runs.ts`. Each condition has one equality, and the engine's database uses the index of that. With an OR of two states it would read
 * every run.
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

/** The leads whose run was ended outside of Leadgate. */
export const endedOutside: readonly string[] = openStates.map((state) => `${isIn(state)} AND ${hasFailed}`);

/** All open leads of one installation. */
export const openLeads = (taskQueue: string): string =>
  `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running' AND LeadFlow IS NOT NULL`;

/** The open leads without the parked ones, which wait for a person. */
export const openLeadsAtWork = (taskQueue: string): string => `${openLeads(taskQueue)} AND LeadState != 'parked'`;

/** Of these, one caller's. */
export const openSentBy = (taskQueue: string, sender: number): string => `${openLeadsAtWork(taskQueue)} AND LeadSender = ${sender}`;

/** Of these, those that stand still before one upstream. */
export const openWaitingFor = (taskQueue: string, upstream: UpstreamName): string =>
  `${openLeads(taskQueue)} AND LeadState = 'waiting' AND LeadUpstream = '${upstream}'`;

/**
 * Open runs of one installation, of any type, whose workflow tasks keep failing or timing out. The engine reports a run after several such
 * tasks in a row, and takes the report back when a task succeeds. A run that has ended keeps its report.
 */
export const stuckRuns = (taskQueue: string): string =>
  `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running' AND TemporalReportedProblems IS NOT NULL`;

/**
 * The leads of one flow, for a question that also names their state. The engine's database uses one index for a question. Of two equalities
 * it would use that of the flow, which finds far more leads than that of the state; a list of values is no equality.
 */
export const flowBesideState = (flow: string): string => `LeadFlow IN ('${flow}', '${flow}')`;
