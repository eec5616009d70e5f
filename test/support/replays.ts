import { installRuntime } from '../../src/runtime/process';

/** For test files that replay runs. */
export function replaying(): void {
  beforeAll(installRuntime);
}
