/** Shared by the cluster checks: the result type, and a load of leads during an action. */
import { setTimeout as pause } from 'node:timers/promises';
import { sendUntilAnswered } from '../faults/caller';
import { newLead, type TestLead } from '../faults/lead';
import { judgeLeads, type SentLead, type LeadVerdict } from '../faults/oracle';
import { violationLines, isViolation } from '../faults/report';
import type { Stage } from '../faults/stage';

export interface CheckResult {
  /** A summary for people. */
  readonly line: string;
  /** Empty if the check passed. */
  readonly problems: readonly string[];
}

const patienceMs = 60_000;

/** Sends `perS` leads per second from well-behaved clients until `act` has ended, but at least `least` leads. */
export async function sendDuring(
  stage: Stage,
  { perS, least, lead = () => newLead({ group: 'cluster' }) }: { perS: number; least: number; lead?: () => TestLead },
  act: () => Promise<void>,
): Promise<SentLead[]> {
  const over = new AbortController();
  const acted = act().finally(() => over.abort());
  // A rejection is handled below, after the open leads have ended.
  acted.catch(() => undefined);
  const sent: Promise<SentLead>[] = [];
  while (!over.signal.aborted || sent.length < least) {
    const one = lead();
    sent.push(sendUntilAnswered(stage, one).then((answers) => ({ lead: one, answers: [answers] })));
    await pause(1000 / perS);
  }
  await acted;
  return Promise.all(sent);
}

export function judge(stage: Stage, sentLeads: readonly SentLead[]): Promise<LeadVerdict[]> {
  return judgeLeads(stage, sentLeads, Date.now(), patienceMs);
}

/** Summarises verdicts as a check result. */
export function summarize(name: string, sentLeads: readonly SentLead[], verdicts: readonly LeadVerdict[]): CheckResult {
  const firsts = sentLeads.flatMap(({ answers }) => answers.map(([answer]) => (answer ? String(answer.status) : 'no answer')));
  const count = (words: readonly string[]) =>
    [...new Set(words)].map((word) => `${words.filter((one) => one === word).length} ${word}`).join(', ');
  const bad = verdicts.filter(isViolation).length;
  return {
    line: `${verdicts.length} leads, first answers: ${count(firsts)}; final: ${count(verdicts.map(({ end }) => end))}; ${bad} lost, doubled or answered falsely`,
    problems: violationLines(name, verdicts),
  };
}
