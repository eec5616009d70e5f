/** Carries out one order for many leads, one after the other at a given rate: once for each lead, however often a batch is repeated. */
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
  pageOf,
  type BulkBatch,
  type BulkInput,
  type BulkMemo,
  type BulkPage,
  type BulkPart,
  type BulkReport,
  type BulkResult,
  type BulkState,
} from '../domain/bulk';
import { unlessCancelled } from './failures';
import { growingPause } from './long-waits';
import { severalTimes } from './proxies';
import { withCurrentBuild } from './with-current-build';

const progressQuery = defineQuery<BulkPart, [BulkPage]>('progress');
const stopSignal = defineSignal<[reason: string]>('stop');

/**
 * How long a batch takes. A stop takes effect between two batches. The pauses are made inside a batch, because the engine's timers are no
 * finer than a second.
 */
const batchMs = 200;
/** The time-out of a batch, without its pauses. */
const timeoutMs = 30_000;
/** A new run takes over after this many leads, so that no history grows long. */
const leadsPerRun = 500;
/** The first pause while there is no room for a lead. */
const noRoomMs = [5_000] as const;
/** A batch is tried so often; after that the outcome of its first lead is unknown. */
const mostTries = 6;
const notKnown: BulkResult = {
  outcome: 'unknown',
  code: 'OUTCOME_UNKNOWN',
  message: 'It is not known whether the order was carried out: look at the lead',
};

/** This run may wait for room for days, so it moves to the current build, and starts leads of that build. */
withCurrentBuild(carryOrder);

export async function carryOrder(input: BulkInput): Promise<BulkReport> {
  const { orderId, verb, leadIds, reason, fields, notThere, by, ratePerS, startedAt } = input;
  const pauseMs = 1_000 / ratePerS;
  const kinds = [...(input.kinds ?? [])];
  const results = [...(input.results ?? [])];
  const continueAt = results.length + leadsPerRun;
  let stopped = false;
  let roundsWithoutRoom = 0;

  const report = (state: BulkState): BulkReport => ({
    state,
    count: leadIds.length,
    done: results.length,
    refused: results.filter((kind) => isRefusal(kinds[kind] ?? notKnown)).length,
    ratePerS,
    startedAt,
    kinds,
    results: results.map((kind, at) => [leadIds[at] ?? '', kind]),
  });
  setHandler(progressQuery, (page) => pageOf(report('running'), page));
  setHandler(stopSignal, () => {
    stopped = true;
  });
  const isStopped = () => stopped;

  while (results.length < leadIds.length && !isStopped()) {
    if (results.length >= continueAt || workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof carryOrder>({ ...input, kinds, results });
    setCurrentDetails(`Carries out the order lead by lead: ${results.length} of ${leadIds.length} are tried`);
    const next = leadIds.slice(results.length, results.length + Math.ceil(batchMs / pauseMs));
    const carriedOut = await carried({ verb, leadIds: next, pauseMs, reason, fields, notThere, orderId, by, startedAt });
    results.push(...carriedOut.map((each) => kindOf(kinds, each)));
    if (carriedOut.length > 0) roundsWithoutRoom = 0;
    else await condition(isStopped, growingPause(noRoomMs, roundsWithoutRoom++));
  }

  const ended = { ...report(results.length < leadIds.length ? 'stopped' : 'done'), endedAt: new Date(Date.now()).toISOString() };
  const { state, done, refused, endedAt } = ended;
  upsertMemo({ bulk: { ...(workflowInfo().memo?.bulk as BulkMemo), state, done, refused, endedAt } satisfies BulkMemo });
  return ended;
}

/** Carries out a batch. It never runs inside the workflow's own task, where a stop could not be received. */
async function carried(batch: BulkBatch): Promise<readonly BulkResult[]> {
  const { carryBatch } = severalTimes(`${batch.verb} leads`, timeoutMs + batch.pauseMs * batch.leadIds.length, mostTries);
  return carryBatch(batch).catch((error: unknown) => unlessCancelled(error) ?? [notKnown]);
}

/** Few different answers come again and again, so each is stored once. */
function kindOf(kinds: BulkResult[], { outcome, code, message }: BulkResult): number {
  const found = kinds.findIndex((kind) => kind.outcome === outcome && kind.code === code && kind.message === message);
  return found >= 0 ? found : kinds.push({ outcome, code, message }) - 1;
}
