import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared';
import { installRuntime } from '../../src/runtime/process';

/**
 * For test files that replay runs. A replay runs its workflow in this thread, where the SDK hooks every promise and leaves the hook in place:
 * it would slow each later file of the same jest worker, and end the process if the hook fails there.
 */
export function replaying(): void {
  beforeAll(installRuntime);
  afterAll(() => globalHandlers.uninstall());
}
