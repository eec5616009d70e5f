/**
 * The run of all pauses of one installation. Its memo tells them: workers read it before they send. The memo also has the newest changes
 * with their reasons. The run ends when nothing is paused, no order can be repeated any more, and all changes are old.
 */
import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  defineUpdate,
  getExternalWorkflowHandle,
  makeContinueAsNewFunc,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { holdId } from '../domain/hold';
import { isAt, nameOf } from '../domain/upstreams';
import {
  changed,
  forgetsInMs,
  forgetting,
  isEmpty,
  noPauses,
  pausesKnownForMs,
  type PauseChange,
  type PauseChanged,
  type PausesMemo,
  type PausesState,
} from '../domain/pauses';
import { lookSignal } from './waiting-line';
import { withCurrentBuild } from './with-current-build';

const changeUpdate = defineUpdate<PauseChanged, [PauseChange]>('change');

/** The order that starts the run comes with it. */
const firstOrderMs = 60_000;

/** The run may be open for months, so it moves to the current build. */
withCurrentBuild(pauses);

export async function pauses(before: PausesState = noPauses): Promise<void> {
  let state = before;
  let hasChanged = false;
  let keyFingerprint: string | undefined;

  const memoOf = ({ paused, changes }: PausesState) => ({ pauses: paused, changes }) satisfies PausesMemo;

  function become(next: PausesState): void {
    state = next;
    setCurrentDetails(state.paused.length > 0 ? `Paused: ${state.paused.map(nameOf).join(', ')}` : 'Nothing is paused');
    upsertMemo(memoOf(state));
  }

  const firstOf = ({ order }: PauseChange) => state.orders.find(({ orderId }) => orderId === order?.orderId);

  function check(change: PauseChange): void {
    const current = state.paused.find(isAt(change));
    if (firstOf(change) || (change.verb === 'pause') === (current === undefined)) return;
    const words = current ? `is paused already${current.by ? ` by ${current.by}` : ''}, since ${current.since}` : 'is not paused';
    throw ApplicationFailure.nonRetryable(`${nameOf(change)} ${words}`, 'WRONG_STATE');
  }

  function apply(asked: PauseChange): void {
    become(changed(state, asked, Date.now()));
    ({ keyFingerprint } = asked);
    hasChanged = true;
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

  /** This run is marked with the key that it was begun with, so that a new key needs a new run. */
  const hasNewKey = () => keyFingerprint !== undefined && keyFingerprint !== workflowInfo().searchAttributes.LeadKeyId?.[0];
  const mustContinue = () => workflowInfo().continueAsNewSuggested || hasNewKey();

  if (isEmpty(state)) await condition(() => hasChanged, firstOrderMs);
  do {
    while (!isEmpty(state)) {
      hasChanged = false;
      const isTimeUp = !(await condition(() => hasChanged || mustContinue(), forgetsInMs(state, Date.now())));
      if (isTimeUp) become(forgetting(state, Date.now()));
      if (!mustContinue()) continue;
      await condition(allHandlersFinished);
      const searchAttributes = keyFingerprint ? { LeadKeyId: [keyFingerprint] } : undefined;
      await makeContinueAsNewFunc<typeof pauses>({ memo: memoOf(state), searchAttributes })(state);
    }
    await condition(allHandlersFinished);
    // A change may have come during the wait.
  } while (!isEmpty(state));
}
