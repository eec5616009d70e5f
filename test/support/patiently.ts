/** Asks again if the engine of a busy machine did not answer in time, as people do: nothing was started then. */
import { engineAwayWords } from '../../src/temporal/readiness';

const triesMost = 4;
/** A command that cannot connect has other words for it. */
const awayWords = [engineAwayWords, 'Temporal does not answer'];

/** `said` is where an answer tells that the engine is away. Each try waits some seconds for the engine. */
export async function patiently<T>(ask: () => Promise<T>, said: (answer: T) => string): Promise<T> {
  for (let tries = 1; ; tries++) {
    const answer = await ask();
    if (tries === triesMost || !awayWords.some((words) => said(answer).includes(words))) return answer;
  }
}
