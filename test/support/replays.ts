import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared';
import { installRuntime } from '../../src/runtime/process';

/**
 * For files that replay runs. A replay runs its workflow in this thread, where the SDK puts a hook on every promise and leaves it there:
 * each later file of the same jest worker would be slowed by it, and one that the hook fails in would end the process.
 */
export function replaying(): void {
  beforeAll(installRuntime);
  afterAll(() => globalHandlers.uninstall());
}
