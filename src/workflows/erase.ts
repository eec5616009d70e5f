/**
 * Erases a person's data: finds the person's runs, cancels and deletes them, until none is left. The index lags behind the runs, so this
 * run sets a search attribute to the time of the request: once the index lists that value, it lists every run that began before.
 */
import {
  defineQuery,
  defineSignal,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { nothingErased, addProgress, totalsOf, type ErasureProgress, type EraseOrder, type Receipt } from '../domain/erase';
import { growingPause } from './long-waits';
import { untilDone } from './proxies';
import { withCurrentBuild } from './with-current-build';

/** A further request, with its time: the erasure covers the runs that began until then. */
const eraseSignal = defineSignal<[untilMs: number]>('erase');
const erasedQuery = defineQuery<ErasureProgress>('erased');

const deadlineMs = 60_000;
/** The first pause while no run has ended. */
const pausesMs = [1_000] as const;

withCurrentBuild(erasePerson);

export async function erasePerson(order: EraseOrder): Promise<Receipt> {
  let erased: ErasureProgress = nothingErased;
  let until = workflowInfo().startTime;
  setHandler(erasedQuery, () => erased);
  setHandler(eraseSignal, (untilMs = Date.now()) => {
    // The API's clock may be ahead, but a request is never later than its signal.
    until = new Date(Math.max(until.getTime(), Math.min(untilMs, Date.now())));
  });
  for (;;) {
    const covered = until;
    upsertSearchAttributes({ LeadUpdatedAt: [covered] });
    erased = await eraseUntil(order, covered, erased, (more) => {
      erased = more;
      setCurrentDetails(`Finds, cancels and deletes the person's runs; deleted so far: ${erased.runs}`);
    });
    const receipt = { receiptId: order.receiptId, erasedAt: new Date(Date.now()).toISOString(), ...totalsOf(erased) };
    if (until !== covered) continue;
    const search = { ...order, until: covered.toISOString(), leadIds: erased.leadIds };
    const written = await untilDone('remove the evidence and write the receipt', deadlineMs).writeReceipt(receipt, search);
    if (until === covered) return written;
  }
}

async function eraseUntil(
  order: EraseOrder,
  until: Date,
  before: ErasureProgress,
  onProgress: (erased: ErasureProgress) => void,
): Promise<ErasureProgress> {
  let erased = before;
  let idle = 0;
  for (;;) {
    const look = { ...order, until: until.toISOString(), leadIds: erased.leadIds };
    const { isComplete, ended, ...more } = await untilDone('find and cancel the runs', deadlineMs).cancelFound(look);
    if (ended.length > 0) await untilDone('delete the ended runs', deadlineMs).deleteEnded(ended);
    erased = addProgress(erased, more);
    onProgress(erased);
    if (isComplete) return erased;
    if (ended.length > 0) idle = 0;
    else await sleep(growingPause(pausesMs, idle++));
  }
}
