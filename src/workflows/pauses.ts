/**
 * Keeps all pauses of one installation in one run. Workers read them from its memo before they send. The memo also has the newest changes
 * with their reasons. The run ends when nothing is paused, all orders have expired, and all changes are old.
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
  applyChange,
  msUntilExpiry,
  dropExpired,
  isEmpty,
  noPauses,
  pausesCachedMs,
  type PauseChange,
  type PauseResult,
  type PausesMemo,
  type PausesState,
} from '../domain/pauses';
import { lookSignal } from './waiting-line';
import { withCurrentBuild } from './with-current-build';

const changeUpdate = defineUpdate<PauseResult, [PauseChange]>('change');

/** The order that starts the run arrives with the start. */
const firstOrderMs = 60_000;

/** The run may be open for months, so it moves to the current build. */
withCurrentBuild(pauses);

export async function pauses(before: PausesState = noPauses): Promise<void> {
  let state = before;
  let hasChanged = false;
  let keyFingerprint: string | undefined;

  const memoOf = ({ paused, changes }: PausesState) => ({ pauses: paused, changes }) satisfies PausesMemo;

  function setState(next: PausesState): void {
    state = next;
    setCurrentDetails(state.paused.length > 0 ? `Paused: ${state.paused.map(nameOf).join(', ')}` : 'Nothing is paused');
    upsertMemo(memoOf(state));
  }

  const firstOrderOf = ({ order }: PauseChange) => state.orders.find(({ orderId }) => orderId === order?.orderId);

  function check(change: PauseChange): void {
    const current = state.paused.find(isAt(change));
    if (firstOrderOf(change) || (change.verb === 'pause') === (current === undefined)) return;
    const words = current ? `is already paused${current.by ? ` by ${current.by}` : ''}, since ${current.since}` : 'is not paused';
    throw ApplicationFailure.nonRetryable(`${nameOf(change)} ${words}`, 'WRONG_STATE');
  }

  function apply(pauseChange: PauseChange): void {
    setState(applyChange(state, pauseChange, Date.now()));
    ({ keyFingerprint } = pauseChange);
    hasChanged = true;
  }

  async function change(pauseChange: PauseChange): Promise<PauseResult> {
    const first = firstOrderOf(pauseChange);
    if (!first) apply(pauseChange);
    // After this time every worker has read the new state.
    await sleep(pausesCachedMs);
    // A lost signal does no harm: a hold also reads the pause periodically.
    await getExternalWorkflowHandle(holdId(workflowInfo().taskQueue, pauseChange))
      .signal(lookSignal)
      .catch(() => undefined);
    return { isRepeat: first !== undefined, orderDigest: first?.orderDigest };
  }

  setHandler(changeUpdate, change, { validator: check });

  /** A search attribute names the key that encrypts this run, so a new key needs a new run. */
  const hasOtherKey = () => keyFingerprint !== undefined && keyFingerprint !== workflowInfo().searchAttributes.LeadKeyId?.[0];
  const mustContinue = () => workflowInfo().continueAsNewSuggested || hasOtherKey();

  if (isEmpty(state)) await condition(() => hasChanged, firstOrderMs);
  do {
    while (!isEmpty(state)) {
      hasChanged = false;
      const isTimeUp = !(await condition(() => hasChanged || mustContinue(), msUntilExpiry(state, Date.now())));
      if (isTimeUp) setState(dropExpired(state, Date.now()));
      if (!mustContinue()) continue;
      await condition(allHandlersFinished);
      const searchAttributes = keyFingerprint ? { LeadKeyId: [keyFingerprint] } : undefined;
      await makeContinueAsNewFunc<typeof pauses>({ memo: memoOf(state), searchAttributes })(state);
    }
    await condition(allHandlersFinished);
    // A change may have arrived during the wait.
  } while (!isEmpty(state));
}
