/** Every command, in the order of the help. */
import type { Command } from './command';
import { completion } from './completion';

export const commands: readonly Command[] = [completion];
