/** Clears the send journal every 30 seconds: removes the entries whose sends the engine has committed. */
import { framesOf } from '../lib/errors';
import { log } from '../lib/log';
import type { Committed, OpenJournal } from './journal';

const everyMs = 30_000;

export function keepClear(journal: OpenJournal, committed: Committed): () => Promise<void> {
  let clearing = Promise.resolve();
  let isClearing = false;
  const clear = async () => {
    isClearing = true;
    try {
      await journal.clear(committed);
    } catch (error) {
      // Nothing is lost: the next round tries again.
      log.warn('the send journal could not be cleared', { stack: framesOf(error) });
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
