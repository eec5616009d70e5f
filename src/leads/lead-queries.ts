/** Conditions of questions to the engine's index. */

/** All open leads of one installation. */
export const openLeads = (taskQueue: string): string =>
  `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running' AND LeadFlow IS NOT NULL`;

/**
 * The leads of one flow, for a question that also names their state. The engine's database uses one index for a question. Of two equalities
 * it would use that of the flow, which finds far more leads than that of the state; a list of values is no equality.
 */
export const flowBesideState = (flow: string): string => `LeadFlow IN ('${flow}', '${flow}')`;
