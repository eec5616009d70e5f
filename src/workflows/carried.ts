/** What a run hands on to each of its activities: the trace that it was started in, and what it is bound to. One without carries nothing. */
import { defaultPayloadConverter, type WorkflowInterceptors } from '@temporalio/workflow';
import { boundHeader } from '../domain/bound';
import type { LeadInput } from '../domain/lead';
import { traceHeader } from '../domain/trace';

type Headers = Parameters<NonNullable<NonNullable<WorkflowInterceptors['inbound']>[number]['execute']>>[0]['headers'];

export function interceptors(): WorkflowInterceptors {
  let carried: Headers = {};
  return {
    inbound: [
      {
        execute(input, next) {
          const { [traceHeader]: trace } = input.headers;
          const [lead] = input.args as [Partial<LeadInput>?];
          carried = {
            ...(trace && { [traceHeader]: trace }),
            ...(lead?.bound && { [boundHeader]: defaultPayloadConverter.toPayload(lead.bound) }),
          };
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next({ ...input, headers: { ...input.headers, ...carried } }),
        scheduleLocalActivity: (input, next) => next({ ...input, headers: { ...input.headers, ...carried } }),
      },
    ],
  };
}
