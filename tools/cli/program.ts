/** Names the command in hints as the user started it: `npx leadgate` or `leadgate`. npm sets a variable if it started the program. */
import { environmentValue } from '../../src/config/config';

const byNpm: readonly (string | undefined)[] = ['npx', 'leadgate'];

export const program = byNpm.includes(environmentValue('npm_lifecycle_event')) ? 'npx leadgate' : 'leadgate';
