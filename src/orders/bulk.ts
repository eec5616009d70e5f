/** Carries out a bulk order for a batch of leads, one lead at a time. The run of the order calls it. */
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../contract/errors';
import {
  decisionOf,
  type BulkBatch,
  type BulkOrder,
  type BulkOutcome,
  type BulkResult,
  type BulkVerb,
  type CarryBatch,
} from '../domain/bulk';
import type { About, Evidence } from '../domain/evidence';
import type { ErrorCode } from '../domain/lead';
import { createEventOutbox } from '../events/outbox';
import { createPauses } from '../leads/pauses';
import { messageOf } from '../lib/errors';
import { log } from '../lib/log';
import { createDecide } from './decide';
import { createEvidenceGatherer } from './evidence';
import { createRedrive, type RedriveNeeds } from './redrive';

/** The audit entry for one lead of a bulk order. */
export interface BulkEntry {
  readonly who: string;
  readonly address?: string;
  readonly action: BulkVerb;
  readonly leadId: string;
  readonly outcome: BulkOutcome;
  readonly order: string;
  readonly notThere?: true;
  /** The digest of the order's reason and of what it has changed in the lead. */
  readonly evidence?: string;
}

export interface BulkNeeds extends RedriveNeeds {
  /** Writes an entry to the audit trail. */
  record(entry: BulkEntry): Promise<unknown>;
  /** Keeps the evidence of an entry, and resolves to its digest. */
  keepEvidence(evidence: Evidence, about: About): Promise<string>;
}

/** An order from before a restore may have continued after the copy, so it is not carried out further. */
const beforeRestore: BulkResult = {
  outcome: 'unknown',
  code: 'OUTCOME_UNKNOWN',
  message: 'The order is from before a restore and may have been carried out since: look at the lead, and give the order again',
};

/** Errors that are final for a lead; any other error is retried. */
const outcomes: Partial<Record<ErrorCode, BulkOutcome>> = {
  WRONG_STATE: 'wrong-state',
  NOT_FOUND: 'not-found',
  VALIDATION_ERROR: 'invalid',
  CONFIG_ERROR: 'invalid',
};

/** Errors of an intake that is at a limit. */
const limitErrors: readonly ErrorCode[] = ['NOT_ACCEPTED', 'RATE_LIMITED'];

/**
 * Stops early if the intake is at a limit, the engine fails or the audit trail cannot be written; the result then has fewer leads than the
 * batch. Bulk redrives use at most half of OPEN_LEADS_MAX.
 */
export function createCarryBatch(needs: BulkNeeds): CarryBatch {
  const redrive = createRedrive(needs, true);
  const decide = createDecide({ ...needs, pauses: createPauses(needs.client, needs.config.TASK_QUEUE) });
  const gatherer = createEvidenceGatherer(needs.client, needs.keys);
  const outbox = createEventOutbox({ ...needs, taskQueue: needs.config.TASK_QUEUE });

  async function carry(order: BulkOrder, leadId: string): Promise<BulkResult> {
    const { verb, orderId } = order;
    if (verb === 'resend-events') {
      await outbox.resend(leadId, { ...order.deliveries, orderId });
      return { outcome: 'resent' };
    }
    if (verb === 'redrive') {
      await redrive({ ...order, leadId });
      return { outcome: 'started' };
    }
    await decide(leadId, decisionOf(order, leadId), { orderId, orderDigest: verb });
    return { outcome: 'decided' };
  }

  /** Also keeps the reason of the order, and what it has changed in the lead. */
  async function recordWithEvidence(entry: BulkEntry, order: BulkOrder): Promise<void> {
    const isChanged = entry.outcome === 'started' || entry.outcome === 'decided';
    const gathered = isChanged ? await gatherer.ofBulkLead(entry.leadId, order) : undefined;
    const digest = gathered && (await needs.keepEvidence(gathered.evidence, gathered.about));
    await needs.record({ ...entry, ...(digest && { evidence: digest }) });
  }

  async function one(order: BulkOrder, leadId: string): Promise<BulkResult | 'later'> {
    const result = await carry(order, leadId).catch((error: unknown): BulkResult | 'later' => {
      if (!(error instanceof ApiError)) throw error;
      if (limitErrors.includes(error.code)) return 'later';
      const outcome = outcomes[error.code];
      if (!outcome) throw error;
      return { outcome, code: error.code, message: error.message };
    });
    if (result === 'later') return result;
    const entry = {
      who: order.by ?? 'local',
      address: order.address,
      action: order.verb,
      leadId,
      outcome: result.outcome,
      order: order.orderId,
      ...(order.notThere && { notThere: true as const }),
    };
    // The order waits until the entry can be written. The retry does not carry it out a second time.
    return recordWithEvidence(entry, order).then(
      () => result,
      (error: unknown) => {
        log.error('a bulk order waits: the audit trail cannot be written', { leadId, order: order.orderId, reason: messageOf(error) });
        return 'later' as const;
      },
    );
  }

  return async ({ leadIds, pauseMs, startedAt, ...order }: BulkBatch) => {
    if (needs.copiedAt !== undefined && Date.parse(startedAt) <= needs.copiedAt) return leadIds.map(() => beforeRestore);
    const done: BulkResult[] = [];
    for (const leadId of leadIds) {
      await pause(pauseMs);
      const result = await one(order, leadId).catch((error: unknown) => {
        if (done.length === 0) throw error;
        return 'later' as const;
      });
      if (result === 'later') break;
      done.push(result);
    }
    return done;
  };
}
