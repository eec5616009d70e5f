/**
 * Refuses input that is not encrypted, so that nobody without a key can start or change a run: a start fails its run, an update is
 * rejected before it is stored, a signal is ignored, and an activity's result counts as unknown.
 */
import { ApplicationFailure, log, workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import { isInClear, notEncrypted, notEncryptedWords } from '../domain/in-clear';
import type { AttemptFailure } from '../domain/outcome';

/** Workflows and signals without arguments. A forged one only makes a run check sooner, or starts one that changes nothing. */
const withoutArguments: readonly string[] = ['alerts', 'pauses', 'reconcile', 'next', 'look', 'again'];

const isEncrypted = (args: readonly unknown[], name: string): boolean =>
  args.length > 0 ? !args.some(isInClear) : withoutArguments.includes(name);

const refusal = (what: string) => ApplicationFailure.nonRetryable(notEncryptedWords(what), notEncrypted);

/** Does not use `attemptError`: a module that two bundled entries import costs time in each run. */
function unknownOutcome(): ApplicationFailure {
  const message = 'The result of the activity was not encrypted by this installation';
  return ApplicationFailure.create({ type: 'UNKNOWN' satisfies AttemptFailure, message, nonRetryable: true, details: [{ message }] });
}

async function assertEncrypted(result: Promise<unknown>): Promise<unknown> {
  const done = await result;
  if (isInClear(done)) throw unknownOutcome();
  return done;
}

export const onlyEncrypted = {
  inbound: {
    execute(input, next) {
      const { workflowType } = workflowInfo();
      return isEncrypted(input.args, workflowType) ? next(input) : Promise.reject(refusal('start'));
    },
    // An update without a validator has no arguments.
    validateUpdate(input, next) {
      if (!isEncrypted(input.args, input.name)) throw refusal('update');
      next(input);
    },
    handleSignal(input, next) {
      const { signalName: signal } = input;
      if (isEncrypted(input.args, signal)) return next(input);
      log.warn('a signal was ignored: it was not encrypted', { signal });
      return Promise.resolve();
    },
  },
  outbound: {
    scheduleActivity: (input, next) => assertEncrypted(next(input)),
    scheduleLocalActivity: (input, next) => assertEncrypted(next(input)),
  },
} as const satisfies {
  readonly inbound: NonNullable<WorkflowInterceptors['inbound']>[number];
  readonly outbound: NonNullable<WorkflowInterceptors['outbound']>[number];
};
