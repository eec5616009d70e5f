import { installRuntime } from '../../src/runtime/process';
import { shareCreators } from './workflow-creator';

/** For test files that replay runs. */
export function replaying(): void {
  beforeAll(installRuntime);
  beforeAll(shareCreators);
}
