/** Runs one row of the table: posts its leads, causes the fault, undoes it, and judges the leads. */
import { setTimeout as pause } from 'node:timers/promises';
import { sendUntilAnswered } from './caller';
import { newLead, type TestLead } from './lead';
import { judgeLeads, addViolations, type LeadVerdict } from './oracle';
import { flowOf, leadsAt, points, plannedLead, type PlannedLead } from './points';
import { randomOf } from './random';
import type { Stage } from './stage';
import type { Scenario } from './erasure-scenarios';
import type { Fault } from './table';
import { upstreamOf } from './upstream';

export interface Trial {
  readonly fault: Fault;
  readonly step?: string;
  readonly leads: number;
  readonly seed: string;
}

const usualPatienceMs = 30_000;
/** For leads that only sentinels delay: longer than the third look-up takes. */
const wordsPatienceMs = 27_000;
const reachMostMs = 4_000;
const laterMs = 2_000;

let groups = 0;

function planLeads({ fault, step, leads }: Trial): PlannedLead[] {
  const group = `g${++groups}`;
  const each = <T>(make: (at: number) => T) => Array.from({ length: leads }, (_, at) => make(at));
  const point = points.find((one) => one.step === step);
  if (point) return leadsAt(point, leads, group);
  if (fault.sentinels) {
    const { sentinels } = fault;
    // Each lead has its own instance, so that no hold begins.
    return each((at) => {
      const sentinel = sentinels[at % sentinels.length] ?? '';
      const call = sentinel.split('-')[0] ?? '';
      return plannedLead(newLead({ flow: flowOf(call), sentinels: [sentinel], group: `${group}x${at}` }), call);
    });
  }
  if (fault.twice === 'same person') {
    const pairs = each((at) => {
      const person = newLead({ group, sentinels: ['v1-slow-300'], ...(at % 2 && { withoutKey: true }) });
      return [person, newLead({ group, person, ...(at % 2 && { withoutKey: true }) })];
    });
    return pairs.flat().map((lead) => plannedLead(lead, 'key'));
  }
  if (fault.twice) {
    const withoutKey = fault.twice === 'same body' ? true : undefined;
    return each(() => plannedLead(newLead({ group, callers: 3, sentinels: ['v1-slow-1500'], withoutKey }), 'key'));
  }
  return each(() => plannedLead(newLead({ group, sentinels: ['v1-slow-200'] }), 'v1'));
}

/** Waits until enough leads are at their point, or a time-out; then the fault strikes anyway. */
async function reached(stage: Stage, leads: readonly PlannedLead[], share: number): Promise<void> {
  const deadline = Date.now() + reachMostMs;
  while (Date.now() < deadline) {
    const seen = await upstreamOf(stage).requests();
    if (leads.filter(({ isReached }) => isReached(seen)).length >= leads.length * share) return;
    await pause(20);
  }
}

async function runCallers(stage: Stage, lead: TestLead, afterMs: number, again: boolean) {
  await pause(afterMs);
  const answers = await Promise.all(Array.from({ length: lead.callers }, () => sendUntilAnswered(stage, lead)));
  if (!again) return { lead, answers };
  await pause(laterMs);
  return { lead, answers: [...answers, await sendUntilAnswered(stage, lead)] };
}

async function runScenario(stage: Stage, { fault, seed, leads }: Trial, play: Scenario): Promise<LeadVerdict[]> {
  const { sentLeads, violations } = await play({ stage, random: randomOf(seed, fault.name), leads, group: `g${++groups}` });
  const verdicts = await judgeLeads(stage, sentLeads, Date.now(), fault.patienceMs ?? usualPatienceMs);
  return verdicts.map((verdict) => ({ ...verdict, falseAnswers: [...verdict.falseAnswers, ...(violations.get(verdict.lead.tag) ?? [])] }));
}

export async function runTrial(stage: Stage, trial: Trial): Promise<LeadVerdict[]> {
  const { fault, step = '', seed } = trial;
  if (fault.scenario) return runScenario(stage, trial, fault.scenario);
  const random = randomOf(seed, `${fault.name} ${step}`);
  const plan = planLeads(trial);
  const sentLeads = Promise.all(
    plan.map(({ lead }) => runCallers(stage, lead, random.between(0, fault.spreadMs ?? 0), fault.twice === 'same key')),
  );
  const violations: string[] = [];
  const note = (what: string) => void violations.push(what);
  await fault.act?.({ stage, random, reached: (share = 1) => reached(stage, plan, share), reportViolation: note });
  if (fault.act) await stage.heal();
  const healedAt = Date.now();
  const verdicts = await judgeLeads(
    stage,
    await sentLeads,
    healedAt,
    fault.patienceMs ?? (fault.sentinels ? wordsPatienceMs : usualPatienceMs),
  );
  return addViolations(verdicts, violations);
}
