/** Before each test file: keeps the service's log lines for its tests instead of printing them. */
import { output } from '../../src/lib/log';

export const logged: string[] = [];
output.write = (line) => void logged.push(line);

// As many lines as Node tells. Jest's hundred cost more than they tell: packages read the stack of errors that nobody sees.
Error.stackTraceLimit = 10;
