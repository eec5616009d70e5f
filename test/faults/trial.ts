/** Tries one row of the table: posts its leads, lets its fault strike, heals everything, and asks the oracle. */
import { setTimeout as pause } from 'node:timers/promises';
import { carry } from './caller';
import { newLead, type Lead } from './lead';
import { judged, withUntrue, type Verdict } from './oracle';
import { flowOf, leadsAt, points, waiting, type Waiting } from './points';
import { randomOf } from './random';
import type { Stage } from './stage';
import type { Play } from './stories';
import type { Fault } from './table';
import { upstreamOf } from './upstream';

export interface Trial {
  readonly fault: Fault;
  readonly step?: string;
  readonly leads: number;
  readonly seed: string;
}

const usualPatienceMs = 30_000;
/** Leads that are held up by their own words alone: until the third look-up has been and gone. */
const wordsPatienceMs = 27_000;
const reachMostMs = 4_000;
const laterMs = 2_000;

let groups = 0;

function planned({ fault, step, leads }: Trial): Waiting[] {
  const group = `g${++groups}`;
  const each = <T>(make: (at: number) => T) => Array.from({ length: leads }, (_, at) => make(at));
  const point = points.find((one) => one.step === step);
  if (point) return leadsAt(point, leads, group);
  if (fault.words) {
    const { words } = fault;
    // An instance each: what the gateway makes of one that fails for all of them is another row's matter.
    return each((at) => {
      const word = words[at % words.length] ?? '';
      const call = word.split('-')[0] ?? '';
      return waiting(newLead({ flow: flowOf(call), sentinels: [word], group: `${group}x${at}` }), call);
    });
  }
  if (fault.twice === 'same person') {
    const pairs = each((at) => {
      const person = newLead({ group, sentinels: ['v1-slow-300'], ...(at % 2 && { withoutKey: true }) });
      return [person, newLead({ group, person, ...(at % 2 && { withoutKey: true }) })];
    });
    return pairs.flat().map((lead) => waiting(lead, 'key'));
  }
  if (fault.twice) {
    const withoutKey = fault.twice === 'same body' ? true : undefined;
    return each(() => waiting(newLead({ group, callers: 3, sentinels: ['v1-slow-1500'], withoutKey }), 'key'));
  }
  return each(() => waiting(newLead({ group, sentinels: ['v1-slow-200'] }), 'v1'));
}

/** True when enough of them stand at their point; false when that takes too long, and then the fault strikes where they are. */
async function reached(stage: Stage, leads: readonly Waiting[], share: number): Promise<void> {
  const deadline = Date.now() + reachMostMs;
  while (Date.now() < deadline) {
    const seen = await upstreamOf(stage).requests();
    if (leads.filter(({ isReached }) => isReached(seen)).length >= leads.length * share) return;
    await pause(20);
  }
}

async function callers(stage: Stage, lead: Lead, afterMs: number, again: boolean) {
  await pause(afterMs);
  const heard = await Promise.all(Array.from({ length: lead.callers }, () => carry(stage, lead)));
  if (!again) return { lead, heard };
  await pause(laterMs);
  return { lead, heard: [...heard, await carry(stage, lead)] };
}

async function played(stage: Stage, { fault, seed, leads }: Trial, play: Play): Promise<Verdict[]> {
  const { told, untrue } = await play({ stage, random: randomOf(seed, fault.name), leads, group: `g${++groups}` });
  const verdicts = await judged(stage, told, Date.now(), fault.patienceMs ?? usualPatienceMs);
  return verdicts.map((verdict) => ({ ...verdict, falseAnswers: [...verdict.falseAnswers, ...(untrue.get(verdict.lead.tag) ?? [])] }));
}

export async function tryOnce(stage: Stage, trial: Trial): Promise<Verdict[]> {
  const { fault, step = '', seed } = trial;
  if (fault.story) return played(stage, trial, fault.story);
  const random = randomOf(seed, `${fault.name} ${step}`);
  const plan = planned(trial);
  const told = Promise.all(
    plan.map(({ lead }) => callers(stage, lead, random.between(0, fault.spreadMs ?? 0), fault.twice === 'same key')),
  );
  const untrue: string[] = [];
  const note = (what: string) => void untrue.push(what);
  await fault.act?.({ stage, random, reached: (share = 1) => reached(stage, plan, share), untrue: note });
  if (fault.act) await stage.heal();
  const healedAt = Date.now();
  const verdicts = await judged(stage, await told, healedAt, fault.patienceMs ?? (fault.words ? wordsPatienceMs : usualPatienceMs));
  return withUntrue(verdicts, untrue);
}
