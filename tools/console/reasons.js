/** Explains why a lead is stalled. */
import { runEnded, troubleWords } from './words.js';

/** For a lead from the list. @param {{ state: string, code?: string, upstream?: string }} lead */
export const reasonIn = ({ state, ...trouble }) => (trouble.code ? troubleWords(trouble) : state === 'waiting' ? waitsForTurn : '');

/**
 * For a lead with its steps. The steps do not show that its run was ended.
 * @param {{ state: string, steps: { error?: { message: string } }[], attempts: { error?: { code: string, message: string } }[] }} lead
 */
export function reasonOf({ state, steps, attempts }) {
  const { code, message } = attempts.at(-1)?.error ?? {};
  if (code === runEnded) return message ?? '';
  return steps.findLast(({ error }) => error)?.error?.message ?? (state === 'waiting' ? waitsForTurn : '');
}

const waitsForTurn = 'Waits for another lead of the same person.';
