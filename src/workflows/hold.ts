/**
 * Runs one hold: the waiting line of an upstream that failed for three different leads in a row. While the upstream fails, it lets one lead
 * through at a time, with growing pauses. After an answer the line drains: each further answer doubles the number of leads at once, up to a
 * limit. A lead that fails then has trouble of its own and waits elsewhere; three of them in a row hold the upstream again. While the
 * upstream is paused, it lets no lead through. All workers share the run.
 */
import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  getExternalWorkflowHandle,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { retryAfterObeyedMs } from '../domain/deadlines';
import { holdsUpstream, withFailed, type HoldNotice, type HoldQueryResult, type LeadResult, type LinePlace } from '../domain/hold';
import { leadIdOf, type Address } from '../domain/ids';
import { pausedWords, type Pause } from '../domain/pauses';
import { nameOf } from '../domain/upstreams';
import { growingPause } from './long-waits';
import { untilDone } from './proxies';
import { goSignal, lookSignal, nextSignal, resultSignal } from './waiting-line';
import { withCurrentBuild } from './with-current-build';

const joinSignal = defineSignal<[LinePlace]>('join');
const holdQuery = defineQuery<HoldQueryResult>('hold');

/** The pauses after the first failed leads: short enough that a lead goes out within half a minute after the upstream recovers. */
const pausesMs = [1_000, 1_000, 2_000, 2_000, 4_000, 4_000, 8_000, 8_000, 15_000, 20_000] as const;
/** The pause for a single new lead, whose caller waits for the answer. */
const singlePauseMs = 1_000;
const mostAtOnce = 16;
/** A lead that was let through and reports nothing for this long is assumed to have ended. */
const silenceMs = 120_000;
/** A paused hold reads the pause again after this time, in case the signal of its end was lost. */
const lookAgainMs = 60_000;
const lookDeadlineMs = 10_000;
/** An empty hold stays open for as long as the circuit breakers stop all leads, so that the next lead still waits for its pause. */
const lingerMs = 60_000;

/** The state that the run passes on when it continues as new. */
export interface HoldState {
  readonly since: number;
  readonly failures: number;
  readonly leads: readonly Address[];
  readonly tries: number;
  readonly failedAt: number;
  readonly retryAfterMs?: number;
  readonly atOnce: number;
  readonly reason: string;
  readonly waiting: readonly LinePlace[];
  readonly through: readonly string[];
  readonly pause?: Pause;
}

const newHoldState = ({ failures, leads, failedAt, reason, retryAfterMs }: HoldNotice): HoldState => ({
  since: failedAt,
  failures,
  leads,
  tries: 0,
  failedAt,
  retryAfterMs,
  atOnce: 1,
  reason,
  waiting: [],
  through: [],
});

/** One hold serves the leads of all builds and may stay open for long, so it moves to the current build. */
withCurrentBuild(hold);

export async function hold(held: HoldNotice, before: HoldState = newHoldState(held)): Promise<void> {
  let { failures, leads, tries, failedAt, retryAfterMs, atOnce, reason, pause } = before;
  let mustLook = false;
  const waiting = [...before.waiting];
  const through = new Set(before.through);

  setHandler(joinSignal, (place) => {
    through.delete(place.runId);
    if (place.paused && !pause) mustLook = true;
    if (waiting.some(({ runId }) => runId === place.runId)) return;
    // A lead that failed may have trouble of its own: new leads go first.
    waiting.splice(place.again ? waiting.length : countNewLeads(), 0, place);
  });
  setHandler(lookSignal, () => {
    mustLook = true;
  });
  setHandler(nextSignal, () => {
    failedAt = 0;
    retryAfterMs = undefined;
  });
  setHandler(resultSignal, ({ heard, ...run }: LeadResult) => {
    through.delete(run.runId);
    if (heard.said === 'gone') waiting.splice(0, waiting.length, ...waiting.filter(({ runId }) => runId !== run.runId));
    if (heard.said === 'answered') [failures, leads, tries, atOnce] = [0, [], 0, Math.min(atOnce * 2, mostAtOnce)];
    if (heard.said !== 'failed') return;
    failures++;
    leads = withFailed(leads, run);
    tries++;
    atOnce = 1;
    failedAt = Date.now();
    ({ reason, retryAfterMs } = heard);
  });
  const isHeld = () => holdsUpstream(leads);
  const report = (): HoldQueryResult => {
    const nextAt = dueAt();
    const isPausing = nextAt > Date.now();
    return {
      upstream: held.upstream,
      instance: held.instance,
      state: !isHeld() ? 'draining' : isPausing || through.size === 0 ? 'held' : 'probing',
      since: new Date(before.since).toISOString(),
      failures,
      waiting: waiting.length,
      ...(isPausing && { nextProbeAt: new Date(nextAt).toISOString() }),
      lastError: reason,
      failedLast: leads.findLast((run) => leadIdOf(run) !== ''),
    };
  };
  setHandler(holdQuery, report);
  function details(): string {
    const { state, nextProbeAt } = report();
    return `${nameOf(held)} ${pause ? pausedWords(pause) : `is ${state}`}; waiting leads: ${waiting.length}${nextProbeAt ? `; next try at ${nextProbeAt}` : ''}`;
  }

  function countNewLeads(): number {
    return waiting.filter(({ again }) => !again).length;
  }

  function dueAt(): number {
    if (!isHeld()) return 0;
    const pauseMs = countNewLeads() === 1 ? singlePauseMs : growingPause(pausesMs, tries);
    return failedAt + Math.max(pauseMs, Math.min(retryAfterMs ?? 0, retryAfterObeyedMs));
  }

  const isSooner = (than: number) => () => mustLook || dueAt() < than;
  const isDue = () => mustLook || (waiting.length > 0 && through.size < atOnce);
  const isEmpty = () => waiting.length === 0 && through.size === 0;
  const mustWake = () => mustLook || isEmpty() || workflowInfo().continueAsNewSuggested;
  for (;;) {
    setCurrentDetails(details());
    if (mustLook) await readPause();
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof hold>(held, {
        since: before.since,
        failures,
        leads,
        tries,
        failedAt,
        retryAfterMs,
        atOnce,
        reason,
        waiting,
        through: [...through],
        pause,
      });
    if (pause && isEmpty()) return;
    if (pause) {
      if (!(await condition(mustWake, lookAgainMs))) mustLook = true;
      continue;
    }
    const isOver = () => !isHeld() && isEmpty();
    const isWoken = await condition(() => isDue() || isOver(), through.size > 0 ? silenceMs : lingerMs);
    if (isOver() || (!isWoken && through.size === 0)) return;
    if (!isWoken) through.clear();
    else if (mustLook) continue;
    else if (dueAt() > Date.now()) await condition(isSooner(dueAt()), dueAt() - Date.now());
    else await letThrough();
  }

  /** After a pause the upstream is assumed to work, until a lead fails. */
  async function readPause(): Promise<void> {
    mustLook = false;
    const wasPaused = pause !== undefined;
    pause = await untilDone('read the pause', lookDeadlineMs).readPause(held);
    if (wasPaused && !pause) [failures, leads, tries, atOnce, failedAt] = [0, [], 0, 1, 0];
  }

  async function letThrough(): Promise<void> {
    const place = waiting.shift();
    if (!place) return;
    through.add(place.runId);
    // If the lead has ended in the meantime, the next one is let through.
    await getExternalWorkflowHandle(place.workflowId, place.runId)
      .signal(goSignal, isHeld() ? 'probe' : 'drain')
      .catch(() => through.delete(place.runId));
  }
}
