/** How a person calls the command line, for its hints: npm says in the environment that it started the program. */
import { environmentValue } from '../../src/config/config';

const byNpm: readonly (string | undefined)[] = ['npx', 'leadgate'];

export const program = byNpm.includes(environmentValue('npm_lifecycle_event')) ? 'npx leadgate' : 'leadgate';
