/** Carries out a bulk order, lead by lead, at a given rate: once for each lead, even if a batch is retried. */
import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import {
  isRefusal,
  pageOfReport,
  type BulkBatch,
  type BulkInput,
  type BulkMemo,
  type BulkPage,
  type BulkPart,
  type BulkReport,
  type BulkResult,
  type BulkState,
  type BulkVerb,
} from '../domain/bulk';
import { unlessCancelled } from './failures';
import { growingPause } from './long-waits';
import { severalTimes } from './proxies';
import { withCurrentBuild } from './with-current-build';

const progressQuery = defineQuery<BulkPart, [BulkPage]>('progress');
const stopSignal = defineSignal<[reason: string]>('stop');

/**
 * The length of a batch. A stop takes effect between two batches. The batch itself makes the pauses between its leads, because the
 * engine's timers have a resolution of a second.
 */
const batchMs = 200;
/** The time-out of a batch, without its pauses. */
const timeoutMs = 30_000;
/** The run continues as new after this many leads, which keeps the history short. */
const leadsPerRun = 500;
/** The first pause while the service has no capacity for a lead. */
const noCapacityMs = [5_000] as const;
/** After this many tries of a batch, the outcome of its first lead is unknown. */
const mostTries = 6;
const summaries: Partial<Record<BulkVerb, string>> = { 'resend-events': 'resend events of leads', apply: 'confirm or resend leads' };
const unknownResult: BulkResult = {
  outcome: 'unknown',
  code: 'OUTCOME_UNKNOWN',
  message: 'Leadgate does not know whether the order was carried out: check the lead',
};

/** This run may wait for capacity for days, so it moves to the current build and starts leads on it. */
withCurrentBuild(carryOrder);

export async function carryOrder(input: BulkInput): Promise<BulkReport> {
  const { orderId, verb, from, leadIds, reason, fields, notThere, proposals, deliveries, by, address, ratePerS, startedAt } = input;
  const pauseMs = 1_000 / ratePerS;
  const kinds = [...(input.kinds ?? [])];
  const results = [...(input.results ?? [])];
  const continueAt = results.length + leadsPerRun;
  let stopped = false;
  let roundsWithoutCapacity = 0;

  const report = (state: BulkState): BulkReport => ({
    state,
    count: leadIds.length,
    done: results.length,
    refused: results.filter((kind) => isRefusal(kinds[kind] ?? unknownResult)).length,
    ratePerS,
    startedAt,
    kinds,
    results: results.map((kind, at) => [leadIds[at] ?? '', kind]),
  });
  setHandler(progressQuery, (page) => pageOfReport(report('running'), page));
  setHandler(stopSignal, () => {
    stopped = true;
  });
  const isStopped = () => stopped;

  while (results.length < leadIds.length && !isStopped()) {
    if (results.length >= continueAt || workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof carryOrder>({ ...input, kinds, results });
    setCurrentDetails(`Carries out the order: ${results.length} of ${leadIds.length} leads processed`);
    const next = leadIds.slice(results.length, results.length + Math.ceil(batchMs / pauseMs));
    const proposed = proposals && Object.fromEntries(Object.entries(proposals).filter(([leadId]) => next.includes(leadId)));
    const order = { verb, from, reason, fields, notThere, proposals: proposed, deliveries, orderId, by, address, startedAt };
    const batchResults = await carryOutBatch({ ...order, leadIds: next, pauseMs });
    results.push(...batchResults.map((each) => kindOf(kinds, each)));
    if (batchResults.length > 0) roundsWithoutCapacity = 0;
    else await condition(isStopped, growingPause(noCapacityMs, roundsWithoutCapacity++));
  }

  const ended = { ...report(results.length < leadIds.length ? 'stopped' : 'done'), endedAt: new Date(Date.now()).toISOString() };
  const { state, done, refused, endedAt } = ended;
  upsertMemo({ bulk: { ...(workflowInfo().memo?.bulk as BulkMemo), state, done, refused, endedAt } satisfies BulkMemo });
  return ended;
}

/** Carries out a batch in a regular activity: during a local one, the run could not receive a stop. */
async function carryOutBatch(batch: BulkBatch): Promise<readonly BulkResult[]> {
  const summary = summaries[batch.verb] ?? `${batch.verb} leads`;
  const { carryBatch } = severalTimes(summary, timeoutMs + batch.pauseMs * batch.leadIds.length, mostTries);
  return carryBatch(batch).catch((error: unknown) => unlessCancelled(error) ?? [unknownResult]);
}

/** Most leads share a few results, so each distinct result is stored once. */
function kindOf(kinds: BulkResult[], { outcome, code, message }: BulkResult): number {
  const found = kinds.findIndex((kind) => kind.outcome === outcome && kind.code === code && kind.message === message);
  return found >= 0 ? found : kinds.push({ outcome, code, message }) - 1;
}
