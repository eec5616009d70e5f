/** A send inside the workflow's own task is told how long the history was when it was asked for: by that it knows whether it is the first time (docs/decisions/0017). */
import { defaultPayloadConverter, workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import { isQuickSend, lengthHeader } from '../domain/sends';

export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      scheduleLocalActivity(input, next) {
        if (!isQuickSend(input.activityType)) return next(input);
        const length = defaultPayloadConverter.toPayload(workflowInfo().historyLength);
        return next({ ...input, headers: { ...input.headers, [lengthHeader]: length } });
      },
    },
  ],
});
