/**
 * Erases a person's data: one activity cancels the person's runs, one deletes those that have ended, and one removes the evidence and writes
 * the receipt. The workflow records what was found before anything is deleted, so a failed deletion loses nothing from the receipt. The
 * worker provides the functions.
 */
import type { EndedRun, EraseSearch, EraseSearchResult, Receipt } from '../domain/erase';
import type { Address } from '../domain/ids';
import { ownRun } from './own-run';

export interface EraseActivityNeeds {
  /** `mark` is the erasure's own run: once the index lists its latest change, the index lists every run that began before. */
  readonly cancelFound: (search: EraseSearch, mark: Address) => Promise<EraseSearchResult>;
  readonly deleteEnded: (ended: readonly EndedRun[]) => Promise<void>;
  /** Resolves to the receipt of this erasure or, if it found nothing, to the previous one. */
  readonly writeReceipt: (receipt: Receipt, search: EraseSearch) => Promise<Receipt>;
}

export const eraseActivities = ({ cancelFound, deleteEnded, writeReceipt }: EraseActivityNeeds) => ({
  cancelFound: (search: EraseSearch): Promise<EraseSearchResult> => cancelFound(search, ownRun()),
  deleteEnded,
  writeReceipt,
});
