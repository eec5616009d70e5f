/** Other leads of the same person: the engine is asked by whoever starts the worker. */
import { activityInfo } from '@temporalio/activity';
import type { AskOthers, Others } from '../domain/others';

export interface OthersNeeds {
  readonly askOthers: AskOthers;
}

export const othersActivities = ({ askOthers }: OthersNeeds) => ({
  askOthers: (email: string, subjectId: number): Promise<Others> =>
    askOthers({ runId: activityInfo().workflowExecution?.runId ?? '', email, subjectId }),
});
