/** Each local activity is told how long the history was when it was asked for: by that it knows whether it is the first time (docs/decisions/0017). */
import { defaultPayloadConverter, workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import { lengthHeader } from '../domain/sends';

export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      scheduleLocalActivity: (input, next) =>
        next({ ...input, headers: { ...input.headers, [lengthHeader]: defaultPayloadConverter.toPayload(workflowInfo().historyLength) } }),
    },
  ],
});
