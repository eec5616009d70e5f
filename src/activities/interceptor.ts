/**
 * Intercepts every activity: refuses arguments that are not encrypted, reads the execution context from the header, records a span, and
 * sends heartbeats. A request that was kept back is no failure. After a restore, it refuses a write that may already have gone out.
 * `withinBinding` refuses an upstream that the lead's sandbox binding does not allow.
 */
import { heartbeat } from '@temporalio/activity';
import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { AsyncLocalStorage } from 'node:async_hooks';
import { breachOf, settingOf, type Upstreams } from '../config/upstreams';
import { heartbeatEveryMs } from '../domain/deadlines';
import { contextHeader, type ExecutionContext } from '../domain/execution-context';
import { isInClear, notEncrypted, notEncryptedWords } from '../domain/in-clear';
import type { KeptBack } from '../domain/kept-back';
import { isWrite } from '../domain/sends';
import type { Tracing } from '../temporal/tracing';
import { attemptFailure, KeptBackError } from './outcome';
import { traceActivity } from './traced';

const currentContext = new AsyncLocalStorage<ExecutionContext>();

interface InterceptorOptions {
  /** Absent if traces are off. */
  readonly tracing?: Tracing;
  /** The time of the copy that the data was restored from; absent without a restore. */
  readonly copiedAt?: number;
}

export const interceptActivities =
  ({ tracing, copiedAt }: InterceptorOptions): ActivityInterceptorsFactory =>
  ({ info }) => ({
    inbound: {
      execute(input, next) {
        if (input.args.some(isInClear)) throw ApplicationFailure.nonRetryable(notEncryptedWords('activity'), notEncrypted);
        const { [contextHeader]: header } = input.headers;
        const context = header ? defaultPayloadConverter.fromPayload<ExecutionContext>(header) : {};
        const execute = () => keptBackAsResult(next(input));
        const work = () => (info.heartbeatTimeoutMs && !info.isLocal ? withHeartbeats(execute) : execute());
        return currentContext.run(context, async () => {
          if (copiedAt !== undefined && isWrite(info.activityType)) refuseIfSentBefore(context, copiedAt);
          return tracing && context.trace ? traceActivity(tracing, context.trace, info, work) : work();
        });
      },
    },
  });

/** Fails a write that the lost service may have sent after the copy was made: its outcome is unknown. */
function refuseIfSentBefore({ sentSince = 0 }: ExecutionContext, copiedAt: number): void {
  if (sentSince > copiedAt) return;
  const message = `Its run was open in the copy of ${new Date(copiedAt).toISOString()}, which was restored`;
  throw attemptFailure('UNKNOWN', { message, notAsked: true });
}

/** A lead that a hold or a pause keeps back is well, so its activity completes. */
const keptBackAsResult = (done: Promise<unknown>): Promise<unknown> =>
  done.catch((error: unknown): KeptBack => {
    if (error instanceof KeptBackError) return { notSent: error.note };
    throw error;
  });

/** By heartbeats the engine detects a dead worker, and the worker learns that its run was cancelled. */
async function withHeartbeats<T>(work: () => Promise<T>): Promise<T> {
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
    const { binding = {} } = currentContext.getStore() ?? {};
    const breach = found && breachOf(binding, settingOf(need), found.sandbox);
    if (breach) throw attemptFailure('CONFIG_ERROR', { message: breach.message });
    return found;
  },
});
