/** A lead accepted for the sandbox never reaches a real upstream, nor the reverse. */
import type { Upstreams } from '../config/upstreams';
import { settingOf } from '../config/needs';
import { breachOf } from '../domain/sandbox-binding';
import { executionContext } from './execution-context';
import { attemptFailure } from './failure';

export const withinBinding = (upstreams: Upstreams): Upstreams => ({
  ...upstreams,
  find(need) {
    const found = upstreams.find(need);
    const { binding = {} } = executionContext();
    const breach = found && breachOf(binding, settingOf(need), found.sandbox);
    if (breach !== undefined) throw attemptFailure('CONFIG_ERROR', { message: breach });
    return found;
  },
});
