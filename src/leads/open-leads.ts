/** The query for all open leads of one installation. */
export const openLeads = (taskQueue: string): string =>
  `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running' AND LeadFlow IS NOT NULL`;
