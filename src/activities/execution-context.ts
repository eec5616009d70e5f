/**
 * The execution context inside an activity: what its run hands on. `withinBinding` uses it to refuse an upstream that the lead's sandbox
 * binding does not allow.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { breachOf, settingOf, type Upstreams } from '../config/upstreams';
import type { ExecutionContext } from '../domain/execution-context';
import { attemptFailure } from './http';

const atHand = new AsyncLocalStorage<ExecutionContext>();

export const withContext = <T>(context: ExecutionContext, work: () => T): T => atHand.run(context, work);

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
