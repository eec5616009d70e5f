/** Asks again, as people do, if a busy machine was too late: if the engine did not answer, or if a step of a read was lost. */
import { isEngineAway } from '../../src/temporal/ask';
import { engineAwayWords } from '../../src/temporal/readiness';

const triesMost = 4;
const lateWords = [
  engineAwayWords,
  // Of a command that cannot connect.
  'Temporal does not answer',
  // Of the events of a lead.
  'it is not known how far the events are',
  // Of a process that stood still until the engine gave the step up.
  'The step ended without saying what became of it',
];

async function askedAgain<T>(ask: () => Promise<T>, isLate: (end: PromiseSettledResult<T>) => boolean): Promise<T> {
  for (let tries = 1; ; tries++) {
    const asked = ask();
    const [end] = await Promise.allSettled([asked]);
    if (tries === triesMost || !isLate(end)) return asked;
  }
}

/** `said` is where an answer may tell so, and that it may be asked again. Each try takes some seconds then. */
export const patiently = <T>(ask: () => Promise<T>, said: (answer: T) => string): Promise<T> =>
  askedAgain(ask, (end) => end.status === 'fulfilled' && lateWords.some((words) => said(end.value).includes(words)));

/** The same for a function of the product that asks the engine, and throws if it does not answer. */
export const patient =
  <A extends readonly unknown[], T>(ask: (...given: A) => Promise<T>) =>
  (...given: A): Promise<T> =>
    askedAgain(
      () => ask(...given),
      (end) => end.status === 'rejected' && isEngineAway(end.reason),
    );
