/** Failed leads, driven again one after the other at a rate. The same order starts a lead once, so a batch may be repeated. */
import { condition, continueAsNew, isCancellation, setHandler, sleep, upsertMemo, workflowInfo } from '@temporalio/workflow';
import type { RedriveBatch, RedriveInput, RedriveMemo, Redriven, RedriveReport, RedriveState } from '../domain/redrive';
import { progressQuery, stopSignal } from './messages';
import { repeatable } from './proxies';
import { withCurrentBuild } from './with-current-build';

/** A stop is heard between two batches, and the engine's own timers are no finer than a second: the pauses are made inside. */
const batchMs = 200;
/** Beyond the pauses. */
const timeoutMs = 15_000;
/** After this many leads the next run goes on, so that no history grows long. */
const leadsPerRun = 500;
const laterMs = 5_000;
/** After the last one the lead's outcome is told as not known. */
const pausesMs = [1_000, 2_000, 4_000, 8_000, 15_000] as const;
const notKnown: Redriven = {
  outcome: 'unknown',
  code: 'OUTCOME_UNKNOWN',
  message: 'It is not known whether the lead was started: look at the lead',
};

/** It waits for room, for days if need be, and starts leads of the current build. */
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

/** Never inside the workflow's own task, in which no stop could be heard. */
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

/** Few kinds of answers come again and again: each is kept once. */
function kindOf(kinds: Redriven[], { outcome, code, message }: Redriven): number {
  const found = kinds.findIndex((kind) => kind.outcome === outcome && kind.code === code && kind.message === message);
  return found >= 0 ? found : kinds.push({ outcome, code, message }) - 1;
}
