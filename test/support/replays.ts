/** Prepares test files that replay runs. */
import { installRuntime } from '../../src/runtime/process';

export function replaying(): void {
  beforeAll(installRuntime);
}
