/**
 * The run of all pauses of one installation. Its memo tells them: workers read it before they send. It ends when nothing is paused and no
 * order can be repeated any more.
 */
import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  defineUpdate,
  getExternalWorkflowHandle,
  makeContinueAsNewFunc,
  setHandler,
  sleep,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { holdId, isAt, nameOf, pausesKnownForMs, type PauseChange, type PauseChanged, type PausesState } from '../domain/hold';
import { tellCallStack } from './timeline';
import { lookSignal } from './waiting-line';
import { withCurrentBuild } from './with-current-build';

const changeUpdate = defineUpdate<PauseChanged, [PauseChange]>('change');

/** The order that starts the run comes with it. */
const firstOrderMs = 60_000;

/** A pause may last for days, so its run moves to the current build. */
withCurrentBuild(pauses);

export async function pauses(before: PausesState = { paused: [], orders: [] }): Promise<void> {
  let { paused, orders } = before;
  let hasChanged = false;

  const firstOf = ({ order }: PauseChange) => orders.find(({ orderId }) => orderId === order?.orderId);

  function check(change: PauseChange): void {
    const current = paused.find(isAt(change));
    if (firstOf(change) || (change.verb === 'pause') === (current === undefined)) return;
    const words = current ? `is paused already${current.by ? ` by ${current.by}` : ''}, since ${current.since}` : 'is not paused';
    throw ApplicationFailure.nonRetryable(`${nameOf(change)} ${words}`, 'WRONG_STATE');
  }

  function apply({ verb, upstream, instance, by, reason, order }: PauseChange): void {
    const others = paused.filter((pause) => !isAt({ upstream, instance })(pause));
    const pause = { upstream, instance, since: new Date(Date.now()).toISOString(), ...(by && { by }), reason };
    paused = verb === 'pause' ? [...others, pause] : others;
    orders = [...orders.filter(({ keptUntil }) => keptUntil > Date.now()), ...(order ? [order] : [])];
    hasChanged = true;
    upsertMemo({ pauses: paused });
  }

  async function change(asked: PauseChange): Promise<PauseChanged> {
    const first = firstOf(asked);
    if (!first) apply(asked);
    // From now on every worker knows it.
    await sleep(pausesKnownForMs);
    // A hold looks now and then by itself; without one there is no line to stop or to empty.
    await getExternalWorkflowHandle(holdId(workflowInfo().taskQueue, asked))
      .signal(lookSignal)
      .catch(() => undefined);
    return { isRepeat: first !== undefined, orderDigest: first?.orderDigest };
  }

  setHandler(changeUpdate, change, { validator: check });
  tellCallStack(() => (paused.length > 0 ? `Paused: ${paused.map(nameOf).join(', ')}` : 'Nothing is paused'));

  const keptForMs = () => Math.max(0, ...orders.map(({ keptUntil }) => keptUntil - Date.now()));
  if (before.paused.length === 0 && keptForMs() === 0) await condition(() => hasChanged, firstOrderMs);
  while (paused.length > 0 || keptForMs() > 0) {
    hasChanged = false;
    const isDue = () => hasChanged || workflowInfo().continueAsNewSuggested;
    await (paused.length > 0 ? condition(isDue) : condition(isDue, keptForMs()));
    if (!workflowInfo().continueAsNewSuggested) continue;
    await condition(allHandlersFinished);
    await makeContinueAsNewFunc<typeof pauses>({ memo: { pauses: paused } })({ paused, orders });
  }
  await condition(allHandlersFinished);
}
