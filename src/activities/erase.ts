/**
 * Erases a person's data: one activity cancels the person's runs, one deletes those that have ended, and one writes the receipt. The
 * workflow records what was found before anything is deleted, so a failed deletion loses nothing from the receipt. The worker provides
 * the functions.
 */
import type { EndedRun, EraseSearch, EraseSearchResult, Receipt } from '../domain/erase';
import type { Address } from '../domain/ids';
import type { Requester } from '../domain/requester';
import { ownRun } from './own-run';

export interface EraseActivityNeeds {
  /** `mark` is the erasure's own run: once the index lists its latest change, the index lists every run that began before. */
  readonly cancelFound: (search: EraseSearch, mark: Address) => Promise<EraseSearchResult>;
  readonly deleteEnded: (ended: readonly EndedRun[]) => Promise<void>;
  readonly writeReceipt: (receipt: Receipt, requester?: Requester) => Promise<void>;
}

export const eraseActivities = ({ cancelFound, deleteEnded, writeReceipt }: EraseActivityNeeds) => ({
  cancelFound: (search: EraseSearch): Promise<EraseSearchResult> => cancelFound(search, ownRun()),
  deleteEnded,
  writeReceipt,
});
