/** Says in words why a lead stands still. */
import { troubleWords } from './words.js';

/** A lead as the list has it. @param {{ state: string, code?: string, upstream?: string }} lead */
export const reasonIn = ({ state, ...trouble }) => (trouble.code ? troubleWords(trouble) : state === 'waiting' ? waitsForTurn : '');

/** A lead with its steps. @param {{ state: string, steps: { error?: { message: string } }[] }} lead */
export const reasonOf = ({ state, steps }) =>
  steps.findLast(({ error }) => error)?.error?.message ?? (state === 'waiting' ? waitsForTurn : '');

const waitsForTurn = 'Another lead of the same person is under way: this one waits for its turn.';
