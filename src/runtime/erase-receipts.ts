/** Ends an erasure: removes the evidence about the person from the audit trail of this machine, and writes the receipt. */
import { eraseEvidence, type EvidenceStore } from '../audit/evidence';
import { bySystem, type Trail } from '../audit/trail';
import { receiptFacts, type EraseSearch, type Receipt } from '../domain/erase';

export const createReceipts =
  (trail: Trail, evidence: EvidenceStore) =>
  async (receipt: Receipt, search: EraseSearch): Promise<Receipt> => {
    const evidenceErased = await evidence.find(search);
    if (search.previous && receipt.runs === 0 && evidenceErased.length === 0) return search.previous;
    await eraseEvidence(trail, evidence, evidenceErased, search.requester);
    const removed = evidenceErased.length > 0 && { evidenceErased };
    await trail.write({
      ...(search.requester ?? { who: bySystem }),
      action: 'erase',
      outcome: 'erased',
      ...receiptFacts(receipt),
      ...removed,
    });
    return receipt;
  };
