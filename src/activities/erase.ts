/** The activities of an erasure: one look that ends and deletes the person's runs, and the receipt. The worker provides both functions. */
import { activityInfo } from '@temporalio/activity';
import type { EraseLook, Looked, Receipt } from '../domain/erase';
import type { Address } from '../domain/ids';

export interface EraseNeeds {
  /** `mark` is the erasure's own run: once the index lists it, the index lists every run that began before. */
  readonly eraseFound: (look: EraseLook, mark: Address) => Promise<Looked>;
  readonly writeReceipt: (receipt: Receipt) => Promise<void>;
}

export const eraseActivities = ({ eraseFound, writeReceipt }: EraseNeeds) => ({
  eraseFound(look: EraseLook): Promise<Looked> {
    const { workflowId = '', runId = '' } = activityInfo().workflowExecution ?? {};
    return eraseFound(look, { workflowId, runId });
  },
  writeReceipt,
});
