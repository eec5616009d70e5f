/** The open leads of one installation, as the engine's lists are asked for them. */
export const openLeads = (taskQueue: string): string =>
  `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running' AND LeadFlow IS NOT NULL`;
