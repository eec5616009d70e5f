/** The context of the run that an activity works for, at hand wherever the activity needs it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { contextHeader, type ExecutionContext } from '../domain/execution-context';

const atHand = new AsyncLocalStorage<ExecutionContext>();

export const executionContext = (): ExecutionContext => atHand.getStore() ?? {};

/** Goes before all other interceptors: they read what it puts at hand. */
export const contextActivities: ActivityInterceptorsFactory = () => ({
  inbound: {
    execute(input, next) {
      const { [contextHeader]: header } = input.headers;
      return header ? withContext(defaultPayloadConverter.fromPayload(header), () => next(input)) : next(input);
    },
  },
});

export const withContext = <T>(context: ExecutionContext, work: () => T): T => atHand.run(context, work);
