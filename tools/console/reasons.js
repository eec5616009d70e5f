/** Says in words why a lead stands still. */
import { runEnded, troubleWords } from './words.js';

/** A lead as the list has it. @param {{ state: string, code?: string, upstream?: string }} lead */
export const reasonIn = ({ state, ...trouble }) => (trouble.code ? troubleWords(trouble) : state === 'waiting' ? waitsForTurn : '');

/**
 * A lead with its steps. They do not know that its run was ended.
 * @param {{ state: string, steps: { error?: { message: string } }[], attempts: { error?: { code: string, message: string } }[] }} lead
 */
export function reasonOf({ state, steps, attempts }) {
  const { code, message } = attempts.at(-1)?.error ?? {};
  if (code === runEnded) return message ?? '';
  return steps.findLast(({ error }) => error)?.error?.message ?? (state === 'waiting' ? waitsForTurn : '');
}

const waitsForTurn = 'Another lead of the same person is under way: this one waits for its turn.';
