/** The journal is cleared now and then of what the engine has on record. */
import { framesOf } from '../lib/errors';
import { log } from '../lib/log';
import type { Committed, OpenJournal } from './journal';

const everyMs = 30_000;

export function keepClear(journal: OpenJournal, settled: Committed): () => Promise<void> {
  let clearing = Promise.resolve();
  let isClearing = false;
  const clear = async () => {
    isClearing = true;
    try {
      await journal.clear(settled);
    } catch (error) {
      // Nothing is lost: it is tried again.
      log.warn('the journal of sends could not be cleared', { stack: framesOf(error) });
    } finally {
      isClearing = false;
    }
  };
  const timer = setInterval(() => {
    if (!isClearing) clearing = clear();
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await clearing;
  };
}
