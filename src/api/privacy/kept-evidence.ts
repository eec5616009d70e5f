/** Keeps the evidence of an action before the action's first entry is written. */
import { eraseEvidence, type EvidenceStore } from '../../audit/evidence';
import type { Trail } from '../../audit/trail';
import { ApiError } from '../../contract/errors';
import { messageOf } from '../../lib/errors';
import { log } from '../../lib/log';
import type { EvidenceGatherer } from '../../orders/evidence';
import { refuseUnwritten, type KeepEvidence, type KeptEvidence } from '../audited';

const notKept = (error: unknown): KeptEvidence => ({
  facts: {},
  assertKept() {
    throw error;
  },
  discard: async () => undefined,
  dropIfNotFound: async () => undefined,
});

export function createKeepEvidence(trail: Trail, store: EvidenceStore, gather: EvidenceGatherer['ofAction']): KeepEvidence {
  const kept = (action: string, digests: readonly [string]): KeptEvidence => {
    const logFailure = (error: unknown) =>
      log.error('the evidence of an action could not be removed', { action, reason: messageOf(error) });
    return {
      facts: { evidence: digests[0] },
      assertKept: () => undefined,
      discard: () => store.remove(digests).catch(logFailure),
      async dropIfNotFound(thrown, requester) {
        if (thrown instanceof ApiError && thrown.code === 'NOT_FOUND')
          await eraseEvidence(trail, store, digests, requester).catch(logFailure);
      },
    };
  };

  return async (action, input) => {
    try {
      const gathered = await gather(action, input.body);
      if (!gathered) return undefined;
      const digest = await store.keep(gathered.evidence, gathered.about).catch(refuseUnwritten(action, 'nothing was done'));
      return kept(action, [digest]);
    } catch (error) {
      return notKept(error);
    }
  };
}
