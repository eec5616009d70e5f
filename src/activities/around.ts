/**
 * What stands around every activity. The one interceptor reads the execution context from the header of the run, records a span, sends
 * heartbeats, and after a restore lets nothing go out that the copy may not know of. `withinBinding` refuses an upstream that the lead's
 * sandbox binding does not allow.
 */
import { heartbeat } from '@temporalio/activity';
import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { AsyncLocalStorage } from 'node:async_hooks';
import { breachOf, settingOf, type Upstreams } from '../config/upstreams';
import { heartbeatEveryMs } from '../domain/deadlines';
import { contextHeader, type ExecutionContext } from '../domain/execution-context';
import { isInClear, notEncrypted, notEncryptedWords } from '../domain/in-clear';
import { isWrite } from '../domain/sends';
import type { Tracing } from '../temporal/tracing';
import { attemptFailure } from './outcome';
import { traced } from './traced';

const atHand = new AsyncLocalStorage<ExecutionContext>();

interface Surroundings {
  /** Absent if traces are off. */
  readonly tracing?: Tracing;
  /** The moment of the copy that the stored runs were restored from, if they were. */
  readonly copiedAt?: number;
}

export const aroundActivities =
  ({ tracing, copiedAt }: Surroundings): ActivityInterceptorsFactory =>
  ({ info }) => ({
    inbound: {
      execute(input, next) {
        if (input.args.some(isInClear)) throw ApplicationFailure.nonRetryable(notEncryptedWords('activity'), notEncrypted);
        const { [contextHeader]: header } = input.headers;
        const context = header ? defaultPayloadConverter.fromPayload<ExecutionContext>(header) : {};
        const work = () => (info.heartbeatTimeoutMs && !info.isLocal ? beating(() => next(input)) : next(input));
        return atHand.run(context, async () => {
          if (copiedAt !== undefined && isWrite(info.activityType)) mustBeNew(context, copiedAt);
          return tracing && context.trace ? traced(tracing, context.trace, info, work) : work();
        });
      },
    },
  });

/** A write that may have gone out since the copy, and whose result the copy does not have, is unknown. */
function mustBeNew({ sentSince = 0 }: ExecutionContext, copiedAt: number): void {
  if (sentSince > copiedAt) return;
  const message = `It was open in the copy of ${new Date(copiedAt).toISOString()}, which was restored`;
  throw attemptFailure('UNKNOWN', { message, notAsked: true });
}

/** The engine notices soon that a worker died, and a worker that a run was cancelled. */
async function beating<T>(work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => heartbeat(), heartbeatEveryMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

export const withinBinding = (upstreams: Upstreams): Upstreams => ({
  ...upstreams,
  find(need) {
    const found = upstreams.find(need);
    const { binding = {} } = atHand.getStore() ?? {};
    const breach = found && breachOf(binding, settingOf(need), found.sandbox);
    if (breach) throw attemptFailure('CONFIG_ERROR', { message: breach.message });
    return found;
  },
});
