/** The trace that a run was started in goes on to its activities; a run that was started in none carries nothing. */
import type { WorkflowInterceptors } from '@temporalio/workflow';
import { traceHeader } from '../domain/trace';

type Headers = Parameters<NonNullable<NonNullable<WorkflowInterceptors['inbound']>[number]['execute']>>[0]['headers'];

export function interceptors(): WorkflowInterceptors {
  let carried: Headers = {};
  return {
    inbound: [
      {
        execute(input, next) {
          const { [traceHeader]: trace } = input.headers;
          if (trace) carried = { [traceHeader]: trace };
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
