/** Where an activity finds its upstream, it finds none that its run is not bound to. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { boundHeader, breachOf, type Bound } from '../domain/bound';
import { settingOf } from '../config/needs';
import type { Upstreams } from '../config/upstreams';
import { attemptFailure } from './failure';

const binding = new AsyncLocalStorage<Bound>();

export const boundActivities: ActivityInterceptorsFactory = () => ({
  inbound: {
    execute(input, next) {
      const { [boundHeader]: header } = input.headers;
      return header ? binding.run(defaultPayloadConverter.fromPayload<Bound>(header), () => next(input)) : next(input);
    },
  },
});

export const bound = (upstreams: Upstreams): Upstreams => ({
  ...upstreams,
  find(need) {
    const found = upstreams.find(need);
    const breach = found && breachOf(binding.getStore() ?? {}, settingOf(need), found.sandbox);
    if (breach !== undefined) throw attemptFailure('CONFIG_ERROR', { message: breach });
    return found;
  },
});
