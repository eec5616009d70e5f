/** A person who is forgotten: what that takes of the engine, the journal and the trail is given by the worker. */
import { activityInfo } from '@temporalio/activity';
import type { EraseLook, Looked, Receipt } from '../domain/erase';
import type { Address } from '../domain/ids';

export interface EraseNeeds {
  /** `mark` is the run whose own entry in the index tells how far that is. */
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
