/** Common parts of the cluster's checks: the form of a result, and leads under way during an action. */
import { setTimeout as pause } from 'node:timers/promises';
import { carry } from '../faults/caller';
import { newLead, type Lead } from '../faults/lead';
import { judged, type Told, type Verdict } from '../faults/oracle';
import { broken, isBroken } from '../faults/report';
import type { Stage } from '../faults/stage';

export interface Found {
  /** What was seen, for people. */
  readonly line: string;
  /** None: all is well. */
  readonly problems: readonly string[];
}

const patienceMs = 60_000;

/** As many leads a second as that, sent by good clients, from now until `act` has ended, and at least `least` of them. */
export async function underLoad(
  stage: Stage,
  { perS, least, lead = () => newLead({ group: 'cluster' }) }: { perS: number; least: number; lead?: () => Lead },
  act: () => Promise<void>,
): Promise<Told[]> {
  const over = new AbortController();
  const acted = act().finally(() => over.abort());
  // Told below, when the leads that are under way have ended, and not as a crash.
  acted.catch(() => undefined);
  const sent: Promise<Told>[] = [];
  while (!over.signal.aborted || sent.length < least) {
    const one = lead();
    sent.push(carry(stage, one).then((heard) => ({ lead: one, heard: [heard] })));
    await pause(1000 / perS);
  }
  await acted;
  return Promise.all(sent);
}

export function judge(stage: Stage, told: readonly Told[]): Promise<Verdict[]> {
  return judged(stage, told, Date.now(), patienceMs);
}

/** Each lead once, each answer true: the words for a report. */
export function found(name: string, told: readonly Told[], verdicts: readonly Verdict[]): Found {
  const firsts = told.flatMap(({ heard }) => heard.map(([answer]) => (answer ? String(answer.status) : 'no answer')));
  const count = (words: readonly string[]) =>
    [...new Set(words)].map((word) => `${words.filter((one) => one === word).length} ${word}`).join(', ');
  const bad = verdicts.filter(isBroken).length;
  return {
    line: `${verdicts.length} leads, first heard: ${count(firsts)}; in the end: ${count(verdicts.map(({ end }) => end))}; ${bad} lost, doubled or answered falsely`,
    problems: broken(name, verdicts),
  };
}
