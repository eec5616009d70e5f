/** Sends many leads from many callers during successive faults, then undoes the faults and accounts for every lead. */
import { setTimeout as pause } from 'node:timers/promises';
import { freeze, kill, killServer, shut, taskLostMs, terminate, type FaultAction } from './actions';
import { sendUntilAnswered } from './caller';
import { flows, isSite, newLead, sendCall, siteFlows, type TestLead } from './lead';
import { judgeLeads, addViolations, type SentLead, type LeadVerdict } from './oracle';
import { randomOf, type Random } from './random';
import { p95 } from './report';
import type { Stage } from './stage';

export interface SoakOptions {
  readonly seed: string;
  readonly leads: number;
  /** The faults; all by default. */
  readonly acts?: typeof everyAct;
  /** The longest time to send leads. A slow machine sends fewer, and the report says how many. */
  readonly loadMostMs?: number;
  say(line: string): void;
}

const callers = 16;
const patienceMs = 90_000;
const promisedMs = 60_000;
const pauseBetweenMs = { least: 5_000, most: 12_000 };
const usualLoadMostMs = 15 * 60_000;

const everyAct: readonly (readonly [name: string, act: FaultAction])[] = [
  ['kill-worker', kill('worker')],
  ['kill-api', kill('api')],
  ['kill-engine', kill('engine')],
  ['kill-server', killServer],
  ['kill-all', kill('worker', 'api', 'engine')],
  ['freeze-worker', freeze('worker', taskLostMs)],
  ['freeze-api', freeze('api')],
  ['freeze-engine', freeze('engine')],
  ['freeze-upstream', freeze('sandbox')],
  ['stop-worker', terminate('worker')],
  ['stop-api', terminate('api')],
  ['stop-engine', terminate('engine')],
  ['upstream down', shut(4_000)],
];

const words = [
  ...['key-500-once', 'key-hang-once', 'key-429-once'],
  ...['lookup-500-once', 'lookup-reset-once', 'lookup-hang-once', 'lookup-429-date-once'],
  ...[
    'v1-500-after-once',
    'v1-reset-after-once',
    'v1-hang-after-once',
    'v1-429-once',
    'v1-truncated-once',
    'v1-late-5000-once',
    'v1-refused',
  ],
  ...['v1-reset-once', 'comment-reset-after-once', 'comment-500-once', 'comment-429-bare-once', 'comment-refused'],
];
const sendEffects = ['429-once', 'reset-after-once', '500-once', 'refused'];

/** Some 9 % of the leads are for B, C or D, 10 % have a failing upstream, and 5 % are sent twice concurrently. */
function soakLead(random: Random, before: TestLead | undefined): TestLead {
  const flow = random.chance(0.85) ? random.pick(siteFlows) : random.pick(flows);
  const word = isSite(flow) ? random.pick(words) : `${sendCall[flow]}-${random.pick(sendEffects)}`;
  const person = flow === 'no-prescreen' && before?.flow === flow && random.chance(0.03) ? before : undefined;
  return newLead({
    flow,
    group: 'soak',
    ...(random.chance(0.1) && { sentinels: [word] }),
    ...(random.chance(0.05) && { callers: 2 }),
    ...(person && { person }),
  });
}

export async function soak(
  stage: Stage,
  { seed, leads: chains, acts = everyAct, loadMostMs = usualLoadMostMs, say }: SoakOptions,
): Promise<{ verdicts: LeadVerdict[]; notes: string[] }> {
  const random = randomOf(seed, 'soak');
  const sentLeads: SentLead[] = [];
  let before: TestLead | undefined;
  let started = 0;
  const startedAt = Date.now();
  const oneCaller = async () => {
    while (started++ < chains && Date.now() - startedAt < loadMostMs) {
      const lead = (before = soakLead(random, before));
      sentLeads.push({ lead, answers: await Promise.all(Array.from({ length: lead.callers }, () => sendUntilAnswered(stage, lead))) });
    }
  };

  const over = new AbortController();
  const violations: string[] = [];
  const struck = new Map<string, number>();
  const strike = async () => {
    const fate = randomOf(seed, 'soak faults');
    while (!over.signal.aborted) {
      await pause(fate.between(pauseBetweenMs.least, pauseBetweenMs.most));
      const [name, act] = fate.pick(acts);
      struck.set(name, (struck.get(name) ?? 0) + 1);
      say(`soak: ${sentLeads.length} of ${chains} answered; ${name}`);
      await act({ stage, random: fate, reached: () => Promise.resolve(), reportViolation: (what) => void violations.push(what) });
      await stage.heal();
    }
  };

  const load = Promise.all(Array.from({ length: callers }, oneCaller)).then(() => over.abort());
  await Promise.all([load, strike()]);
  const healedAt = Date.now();
  const loadS = Math.round((healedAt - startedAt) / 1000);
  const verdicts = addViolations(await judgeLeads(stage, sentLeads, healedAt, patienceMs), violations);

  const finalMs = verdicts.map((verdict) => verdict.finalMs ?? Infinity);
  const inTime = finalMs.filter((ms) => ms <= promisedMs).length;
  const notes = [
    `soak: ${sentLeads.length} leads in ${loadS} s at ${callers} callers; faults: ${[...struck].map(([name, times]) => `${name} ${times}`).join(', ')}`,
    `soak: ${((inTime / verdicts.length) * 100).toFixed(1)} % of the leads final within ${promisedMs / 1000} s after the last fault; p95 of all: ${p95(finalMs)} ms`,
  ];
  return { verdicts, notes };
}
