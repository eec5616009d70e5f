/**
 * Erases a person's data: one activity cancels the person's runs, one deletes those that have ended, and one writes the receipt. The
 * workflow records what was found before anything is deleted, so a failed deletion loses nothing from the receipt. The worker provides
 * the functions.
 */
import type { Ended, EraseLook, Looked, Receipt } from '../domain/erase';
import type { Address } from '../domain/ids';
import { ownRun } from './own-run';

export interface EraseNeeds {
  /** `mark` is the erasure's own run: once the index lists its latest change, the index lists every run that began before. */
  readonly cancelFound: (look: EraseLook, mark: Address) => Promise<Looked>;
  readonly deleteEnded: (ended: readonly Ended[]) => Promise<void>;
  readonly writeReceipt: (receipt: Receipt) => Promise<void>;
}

export const eraseActivities = ({ cancelFound, deleteEnded, writeReceipt }: EraseNeeds) => ({
  cancelFound: (look: EraseLook): Promise<Looked> => cancelFound(look, ownRun()),
  deleteEnded,
  writeReceipt,
});
