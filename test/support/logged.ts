/** Before each file: what the service logs in it is kept for its tests, and not printed. */
import { output } from '../../src/lib/log';

export const logged: string[] = [];
output.write = (line) => void logged.push(line);
