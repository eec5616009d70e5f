/**
 * A workflow interceptor that refuses what did not come encrypted: whoever has no key can start and change nothing. A start fails its run, an
 * update is rejected before it is stored, a signal is ignored, and what an activity is said to have done is unknown.
 */
import { ApplicationFailure, log, workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import { isInClear, notEncrypted, notEncryptedWords } from '../domain/in-clear';
import type { AttemptFailure } from '../domain/outcome';

/** They have no argument that could come encrypted. Forged, they make a run look sooner, or begin one that does nothing by itself. */
const withoutArguments: readonly string[] = ['alerts', 'pauses', 'go', 'next', 'look', 'again'];

const isOurs = (args: readonly unknown[], name: string): boolean =>
  args.length > 0 ? !args.some(isInClear) : withoutArguments.includes(name);

const refusal = (what: string) => ApplicationFailure.nonRetryable(notEncryptedWords(what), notEncrypted);

/** Written out here: a module that two bundled entries import costs time in each run. */
function unknownEnd(): ApplicationFailure {
  const message = 'What it did came from somewhere else, and not encrypted';
  return ApplicationFailure.create({ type: 'UNKNOWN' satisfies AttemptFailure, message, nonRetryable: true, details: [{ message }] });
}

async function mustBeOurs(result: Promise<unknown>): Promise<unknown> {
  const done = await result;
  if (isInClear(done)) throw unknownEnd();
  return done;
}

export const onlyEncrypted = {
  inbound: {
    execute(input, next) {
      const { workflowType } = workflowInfo();
      return isOurs(input.args, workflowType) ? next(input) : Promise.reject(refusal('start'));
    },
    // An update without a validator has no arguments.
    validateUpdate(input, next) {
      if (!isOurs(input.args, input.name)) throw refusal('update');
      next(input);
    },
    handleSignal(input, next) {
      const { signalName: signal } = input;
      if (isOurs(input.args, signal)) return next(input);
      log.warn('a signal is ignored: it did not come encrypted', { signal });
      return Promise.resolve();
    },
  },
  outbound: {
    scheduleActivity: (input, next) => mustBeOurs(next(input)),
    scheduleLocalActivity: (input, next) => mustBeOurs(next(input)),
  },
} as const satisfies {
  readonly inbound: NonNullable<WorkflowInterceptors['inbound']>[number];
  readonly outbound: NonNullable<WorkflowInterceptors['outbound']>[number];
};
