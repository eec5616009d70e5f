/** The activity that counts same-person leads. The worker provides the function. */
import { activityInfo } from '@temporalio/activity';
import type { Asking, AskOthers, Others } from '../domain/same-person';

export interface OthersNeeds {
  readonly askOthers: AskOthers;
}

export const othersActivities = ({ askOthers }: OthersNeeds) => ({
  askOthers: (asking: Asking): Promise<Others> => askOthers(activityInfo().workflowExecution?.runId ?? '', asking),
});
