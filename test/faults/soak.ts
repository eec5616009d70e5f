/** Sends many leads by many callers while faults follow each other, then heals everything and accounts for every lead. */
import { setTimeout as pause } from 'node:timers/promises';
import { freeze, kill, killServer, shut, taskLostMs, terminate, type Act } from './acts';
import { carry } from './caller';
import { flows, isSite, newLead, sendCall, siteFlows, type Lead } from './lead';
import { judged, withUntrue, type Told, type Verdict } from './oracle';
import { randomOf, type Random } from './random';
import { p95 } from './report';
import type { Stage } from './stage';

export interface SoakOrder {
  readonly seed: string;
  readonly chains: number;
  /** What strikes; everything by default. */
  readonly acts?: typeof everyAct;
  /** On a machine that cannot carry them all in this time, fewer are sent, and the report says how many. */
  readonly loadMostMs?: number;
  say(line: string): void;
}

const callers = 16;
const patienceMs = 90_000;
const promisedMs = 60_000;
const pauseBetweenMs = { least: 5_000, most: 12_000 };
const usualLoadMostMs = 15 * 60_000;

const everyAct: readonly (readonly [name: string, act: Act])[] = [
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

/** One in seven goes to B, C or D, one in ten meets a failing upstream, one in twenty comes twice at once. */
function chain(random: Random, before: Lead | undefined): Lead {
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
  { seed, chains, acts = everyAct, loadMostMs = usualLoadMostMs, say }: SoakOrder,
): Promise<{ verdicts: Verdict[]; notes: string[] }> {
  const random = randomOf(seed, 'soak');
  const told: Told[] = [];
  let before: Lead | undefined;
  let started = 0;
  const startedAt = Date.now();
  const oneCaller = async () => {
    while (started++ < chains && Date.now() - startedAt < loadMostMs) {
      const lead = (before = chain(random, before));
      told.push({ lead, heard: await Promise.all(Array.from({ length: lead.callers }, () => carry(stage, lead))) });
    }
  };

  const over = new AbortController();
  const untrue: string[] = [];
  const struck = new Map<string, number>();
  const strike = async () => {
    const fate = randomOf(seed, 'soak faults');
    while (!over.signal.aborted) {
      await pause(fate.between(pauseBetweenMs.least, pauseBetweenMs.most));
      const [name, act] = fate.pick(acts);
      struck.set(name, (struck.get(name) ?? 0) + 1);
      say(`soak: ${told.length} of ${chains} answered; ${name}`);
      await act({ stage, random: fate, reached: () => Promise.resolve(), untrue: (what) => void untrue.push(what) });
      await stage.heal();
    }
  };

  const load = Promise.all(Array.from({ length: callers }, oneCaller)).then(() => over.abort());
  await Promise.all([load, strike()]);
  const healedAt = Date.now();
  const loadS = Math.round((healedAt - startedAt) / 1000);
  const verdicts = withUntrue(await judged(stage, told, healedAt, patienceMs), untrue);

  const finalMs = verdicts.map((verdict) => verdict.finalMs ?? Infinity);
  const inTime = finalMs.filter((ms) => ms <= promisedMs).length;
  const notes = [
    `soak: ${told.length} leads in ${loadS} s at ${callers} callers; faults: ${[...struck].map(([name, times]) => `${name} ${times}`).join(', ')}`,
    `soak: ${((inTime / verdicts.length) * 100).toFixed(1)} % of the leads final within ${promisedMs / 1000} s after the last fault; p95 of all: ${p95(finalMs)} ms`,
  ];
  return { verdicts, notes };
}
