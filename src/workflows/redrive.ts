/** Redrives many failed leads, one after the other at a given rate. An order starts a lead only once, so a batch may be repeated. */
import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  setHandler,
  sleep,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { RedriveBatch, RedriveInput, RedriveMemo, Redriven, RedriveReport, RedriveState } from '../domain/redrive';
import { repeatable } from './proxies';
import { withCurrentBuild } from './with-current-build';

/** The progress, with the results in the given range. */
const progressQuery = defineQuery<RedriveReport, [from: number, upTo: number]>('progress');
const stopSignal = defineSignal<[reason: string]>('stop');

/**
 * How long a batch takes. A stop takes effect between two batches. The pauses are made inside a batch, because the engine's timers are no
 * finer than a second.
 */
const batchMs = 200;
/** The time-out of a batch, without its pauses. */
const timeoutMs = 15_000;
/** A new run takes over after this many leads, so that no history grows long. */
const leadsPerRun = 500;
const laterMs = 5_000;
/** The pauses between tries of a batch; after the last one the outcome of its first lead is unknown. */
const pausesMs = [1_000, 2_000, 4_000, 8_000, 15_000] as const;
const notKnown: Redriven = {
  outcome: 'unknown',
  code: 'OUTCOME_UNKNOWN',
  message: 'It is not known whether the lead was started: look at the lead',
};

/** This run may wait for room for days, so it moves to the current build, and starts leads of that build. */
withCurrentBuild(redriveLeads);

export async function redriveLeads(input: RedriveInput): Promise<RedriveReport> {
  const { redriveId: orderId, leadIds, reason, fields, by, ratePerS, startedAt } = input;
  const pauseMs = 1_000 / ratePerS;
  const kinds = [...(input.kinds ?? [])];
  const results = [...(input.results ?? [])];
  const handOverAt = results.length + leadsPerRun;
  let stopped = false;

  const report = (state: RedriveState, from = 0, upTo = results.length): RedriveReport => ({
    state,
    count: leadIds.length,
    done: results.length,
    failedToStart: results.filter((kind) => kinds[kind]?.outcome !== 'started').length,
    ratePerS,
    startedAt,
    kinds,
    results: leadIds.slice(from, Math.min(upTo, results.length)).map((leadId, at) => [leadId, results[from + at] ?? 0]),
  });
  setHandler(progressQuery, (from, upTo) => report('running', from, upTo));
  setHandler(stopSignal, () => {
    stopped = true;
  });
  const isStopped = () => stopped;

  while (results.length < leadIds.length && !isStopped()) {
    if (results.length >= handOverAt) await continueAsNew<typeof redriveLeads>({ ...input, kinds, results });
    const next = leadIds.slice(results.length, results.length + Math.ceil(batchMs / pauseMs));
    const redriven = await carried({ leadIds: next, pauseMs, reason, fields, orderId, by });
    results.push(...redriven.map((each) => kindOf(kinds, each)));
    if (redriven.length === 0) await condition(isStopped, laterMs);
  }

  const ended = { ...report(results.length < leadIds.length ? 'stopped' : 'done'), endedAt: new Date(Date.now()).toISOString() };
  const { state, done, failedToStart, endedAt } = ended;
  upsertMemo({ redrive: { ...(workflowInfo().memo?.redrive as RedriveMemo), state, done, failedToStart, endedAt } satisfies RedriveMemo });
  return ended;
}

/** Sends a batch, and retries it. It never runs inside the workflow's own task, where a stop could not be received. */
async function carried(batch: RedriveBatch): Promise<readonly Redriven[]> {
  for (const pauseMs of [...pausesMs, undefined]) {
    try {
      return await repeatable('drive failed leads again', timeoutMs + batch.pauseMs * batch.leadIds.length, 1).redriveMany(batch);
    } catch (error) {
      if (isCancellation(error)) throw error;
      if (pauseMs !== undefined) await sleep(pauseMs);
    }
  }
  return [notKnown];
}

/** Few different answers come again and again, so each is stored once. */
function kindOf(kinds: Redriven[], { outcome, code, message }: Redriven): number {
  const found = kinds.findIndex((kind) => kind.outcome === outcome && kind.code === code && kind.message === message);
  return found >= 0 ? found : kinds.push({ outcome, code, message }) - 1;
}
