/** The activity that counts same-person leads. The worker provides the function. */
import { activityInfo } from '@temporalio/activity';
import type { CountSamePersonLeads, SamePersonLeads, SamePersonQuery } from '../domain/same-person';

export interface SamePersonNeeds {
  readonly countSamePersonLeads: CountSamePersonLeads;
}

export const samePersonActivities = ({ countSamePersonLeads }: SamePersonNeeds) => ({
  countSamePersonLeads: (asking: SamePersonQuery): Promise<SamePersonLeads> =>
    countSamePersonLeads(activityInfo().workflowExecution?.runId ?? '', asking),
});
