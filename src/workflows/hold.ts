/**
 * The line before an upstream that is held. One lead is let through; while the upstream fails the pauses grow, and when it has
 * answered ever more go at once, up to a bound, until the line is empty. Durable, and one for all workers.
 */
import { condition, continueAsNew, getExternalWorkflowHandle, setHandler, workflowInfo } from '@temporalio/workflow';
import type { Heard, Held, HoldReport, Place } from '../domain/hold';
import { goSignal, heardSignal, holdQuery, joinSignal } from './messages';
import { withCurrentBuild } from './with-current-build';

/** The last one repeats: a lead is on its way within half a minute of the upstream's return. */
const pausesMs = [1_000, 1_000, 2_000, 2_000, 4_000, 4_000, 8_000, 8_000, 15_000] as const;
const longestPauseMs = 20_000;
/** A single new lead does not wait for as long as the others have made it: its caller waits, too. */
const singlePauseMs = 1_000;
const retryAfterMostMs = 300_000;
const mostAtOnce = 16;
/** Who was let through and says nothing for so long has ended without a word. */
const silenceMs = 120_000;
/** An upstream that failed last stays held for so long without any lead, so that the next one waits its pause. */
const lingerMs = 600_000;

/** What one run of this hands on to the next, before its history grows too long. */
export interface Line {
  readonly since: number;
  readonly failures: number;
  readonly tries: number;
  readonly failedAt: number;
  readonly retryAfterMs?: number;
  readonly atOnce: number;
  readonly reason: string;
  readonly waiting: readonly Place[];
  readonly through: readonly string[];
}

const newLine = ({ failures, failedAt, reason, retryAfterMs }: Held): Line => ({
  since: failedAt,
  failures,
  tries: 0,
  failedAt,
  retryAfterMs,
  atOnce: 1,
  reason,
  waiting: [],
  through: [],
});

/** There is one line for the leads of all builds, and it has no end of its own while leads come: it goes on with the current build. */
withCurrentBuild(hold);

export async function hold(held: Held, before: Line = newLine(held)): Promise<void> {
  let { failures, tries, failedAt, retryAfterMs, atOnce, reason } = before;
  const waiting = [...before.waiting];
  const through = new Set(before.through);

  setHandler(joinSignal, (place) => {
    if (waiting.some(({ runId }) => runId === place.runId)) return;
    // Who had its turn in vain may fail for a reason of its own: the others go first.
    waiting.splice(place.again ? waiting.length : countNew(), 0, place);
  });
  setHandler(heardSignal, ({ runId, heard }: { runId: string; heard: Heard }) => {
    through.delete(runId);
    if (heard.said === 'gone') waiting.splice(0, waiting.length, ...waiting.filter((place) => place.runId !== runId));
    if (heard.said === 'answered') [failures, tries, atOnce] = [0, 0, Math.min(atOnce * 2, mostAtOnce)];
    if (heard.said !== 'failed') return;
    failures++;
    tries++;
    atOnce = 1;
    failedAt = Date.now();
    ({ reason, retryAfterMs } = heard);
  });
  setHandler(holdQuery, (): HoldReport => {
    const nextAt = dueAt();
    const isPausing = nextAt > Date.now();
    return {
      upstream: held.upstream,
      instance: held.instance,
      state: failures === 0 ? 'draining' : isPausing || through.size === 0 ? 'held' : 'probing',
      since: new Date(before.since).toISOString(),
      failures,
      waiting: waiting.length,
      ...(isPausing && { nextProbeAt: new Date(nextAt).toISOString() }),
      lastError: reason,
    };
  });

  function countNew(): number {
    return waiting.filter(({ again }) => !again).length;
  }

  function dueAt(): number {
    if (failures === 0) return 0;
    const pauseMs = countNew() === 1 ? singlePauseMs : (pausesMs[tries] ?? longestPauseMs);
    return failedAt + Math.max(pauseMs, Math.min(retryAfterMs ?? 0, retryAfterMostMs));
  }

  const isSooner = (than: number) => () => dueAt() < than;
  const isDue = () => waiting.length > 0 && through.size < atOnce;
  for (;;) {
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof hold>(held, {
        since: before.since,
        failures,
        tries,
        failedAt,
        retryAfterMs,
        atOnce,
        reason,
        waiting,
        through: [...through],
      });
    const isOver = () => failures === 0 && waiting.length === 0 && through.size === 0;
    const came = await condition(() => isDue() || isOver(), through.size > 0 ? silenceMs : lingerMs);
    if (isOver() || (!came && through.size === 0)) return;
    if (!came) through.clear();
    else if (dueAt() > Date.now()) await condition(isSooner(dueAt()), dueAt() - Date.now());
    else await letThrough();
  }

  async function letThrough(): Promise<void> {
    const place = waiting.shift();
    if (!place) return;
    through.add(place.runId);
    // A lead that has ended meanwhile gives its turn to the next one.
    await getExternalWorkflowHandle(place.workflowId, place.runId)
      .signal(goSignal)
      .catch(() => through.delete(place.runId));
  }
}
