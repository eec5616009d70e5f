/** Collects the service's log lines for tests instead of printing them. Loaded before each test file. */
import { output } from '../../src/lib/log';

export const logged: string[] = [];
output.write = (line) => void logged.push(line);

// The default of Node. Jest's hundred are slow, because packages read the stacks of errors that they handle.
Error.stackTraceLimit = 10;
