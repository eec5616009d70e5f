/**
 * The activities of an erasure: one ends the person's runs, one deletes them, and one writes the receipt. The workflow records what was
 * found before anything is deleted, so a failed deletion loses nothing from the receipt. The worker provides the functions.
 */
import type { Ended, EraseLook, Looked, OnTheWire, Receipt } from '../domain/erase';
import type { Address } from '../domain/ids';
import { ownRun } from './own-run';

export interface EraseNeeds {
  /** `mark` is the erasure's own run: once the index lists it, the index lists every run that began before. */
  readonly endFound: (look: EraseLook, mark: Address) => Promise<Looked>;
  readonly deleteEnded: (ended: readonly Ended[], onTheWire: readonly OnTheWire[]) => Promise<void>;
  readonly writeReceipt: (receipt: Receipt) => Promise<void>;
}

export const eraseActivities = ({ endFound, deleteEnded, writeReceipt }: EraseNeeds) => ({
  endFound: (look: EraseLook): Promise<Looked> => endFound(look, ownRun()),
  deleteEnded,
  writeReceipt,
});
