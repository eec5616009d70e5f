/**
 * The execution context inside an activity. An interceptor reads it from the header of the run, and `executionContext()` returns it.
 * `withinBinding` uses it to refuse an upstream that the lead's sandbox binding does not allow.
 */
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { AsyncLocalStorage } from 'node:async_hooks';
import { breachOf, settingOf, type Upstreams } from '../config/upstreams';
import { contextHeader, type ExecutionContext } from '../domain/execution-context';
import { attemptFailure } from './http';

const atHand = new AsyncLocalStorage<ExecutionContext>();

export const executionContext = (): ExecutionContext => atHand.getStore() ?? {};

/** Register this before all other interceptors, which read the context. */
export const contextActivities: ActivityInterceptorsFactory = () => ({
  inbound: {
    execute(input, next) {
      const { [contextHeader]: header } = input.headers;
      return header ? withContext(defaultPayloadConverter.fromPayload(header), () => next(input)) : next(input);
    },
  },
});

export const withContext = <T>(context: ExecutionContext, work: () => T): T => atHand.run(context, work);

export const withinBinding = (upstreams: Upstreams): Upstreams => ({
  ...upstreams,
  find(need) {
    const found = upstreams.find(need);
    const { binding = {} } = executionContext();
    const breach = found && breachOf(binding, settingOf(need), found.sandbox);
    if (breach) throw attemptFailure('CONFIG_ERROR', { message: breach.message });
    return found;
  },
});
