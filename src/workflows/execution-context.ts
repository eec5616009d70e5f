/**
 * Intercepts workflows: refuses input that is not encrypted, and attaches the execution context to each activity: the sandbox binding, the
 * trace, and for a write the time since which it may have gone out. A run that continues another inherits its context. An activity that was
 * kept back has completed; its run gets a failed try.
 */
import { ApplicationFailure, defaultPayloadConverter, workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import { contextHeader, type ExecutionContext } from '../domain/execution-context';
import { keptBackIn } from '../domain/kept-back';
import { updateOf, type Decision } from '../domain/lead';
import type { LeadInput } from '../domain/lead-input';
import { memoOf } from '../domain/memo';
import type { AttemptFailure } from '../domain/outcome';
import { isWrite } from '../domain/sends';
import { onlyEncrypted } from './only-encrypted';

const withContext = <Input extends { readonly headers: Record<string, unknown> }>(input: Input, context: ExecutionContext): Input =>
  Object.keys(context).length === 0
    ? input
    : { ...input, headers: { ...input.headers, [contextHeader]: defaultPayloadConverter.toPayload(context) } };

/** A step gets a try that was kept back like any other that was not sent. */
async function throwIfKeptBack(result: Promise<unknown>): Promise<unknown> {
  const done = await result;
  const note = keptBackIn(done);
  if (!note) return done;
  const type: AttemptFailure = 'NOT_SENT';
  throw ApplicationFailure.create({ type, message: note.message, nonRetryable: true, details: [note] });
}

export function interceptors(): WorkflowInterceptors {
  let context: ExecutionContext = {};
  let sentSince = 0;

  const contextOf = (activity: string): ExecutionContext => (isWrite(activity) ? { ...context, sentSince } : context);

  return {
    inbound: [
      onlyEncrypted.inbound,
      {
        execute(input, next) {
          const { [contextHeader]: started } = input.headers;
          const [lead] = input.args as [Partial<LeadInput>?];
          const memo = memoOf(workflowInfo());
          sentSince = lead?.continued?.sentSince ?? workflowInfo().startTime.getTime();
          context = {
            ...(started && defaultPayloadConverter.fromPayload<ExecutionContext>(started)),
            // A call ends within seconds and has no binding.
            ...(memo && lead?.leadId !== '' && { binding: memo.binding }),
          };
          return next(input);
        },
        handleUpdate(input, next) {
          const [decision] = input.args as [Decision?];
          // A person who resends a step has checked that neither it nor a later step was sent.
          if (input.name === updateOf({ verb: 'resend' }) && decision?.verb === 'resend') sentSince = Date.now();
          return next(input);
        },
      },
    ],
    outbound: [
      onlyEncrypted.outbound,
      {
        scheduleActivity: (input, next) => throwIfKeptBack(next(withContext(input, contextOf(input.activityType)))),
        scheduleLocalActivity: (input, next) => throwIfKeptBack(next(withContext(input, context))),
        continueAsNew(input, next) {
          const [lead, ...others] = input.args as [Partial<LeadInput>?];
          const args = lead?.continued ? [{ ...lead, continued: { ...lead.continued, sentSince } }, ...others] : input.args;
          return next(withContext({ ...input, args }, context));
        },
      },
    ],
  };
}
