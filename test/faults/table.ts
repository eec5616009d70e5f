/** The table of faults: how each is made, and when it strikes. */
import { freeze, kill, killAndShut, killServer, shut, taskLostMs, terminate, type Act } from './acts';
import { jumpAnHour, jumpClocks } from './clock';
import { abortDisk, fillDisk, fillDiskAndKill } from './disk';
import { points } from './points';
import { erasedAfter, killedInErasure, type Play } from './stories';

export interface Fault {
  readonly name: string;
  readonly how: string;
  /** At each of these steps, before and after the upstream stored it; one row of the report each. */
  readonly at?: readonly string[];
  /** Or: leads that come one after the other over this time. */
  readonly spreadMs?: number;
  /** Or: words for the simulators, one for each lead in turn. */
  readonly words?: readonly string[];
  /** Or: how the same lead comes more than once. */
  readonly twice?: 'same key' | 'same body' | 'same person';
  /** Or: a story of its own, with its fault in it. */
  readonly story?: Play;
  readonly act?: Act;
  /** How long the leads are waited for after the fault. */
  readonly patienceMs?: number;
  readonly stage?: 'shifted clock' | 'small disk' | 'ext4 disk';
}

const everyStep = points.map(({ step }) => step);
const sends = ['send-to-rt', 'send-comments', 'send (B, C, D)'];
const calls = ['check-email', ...sends];

/** One effect of the sandbox, at each call of no-prescreen in turn. */
const upstream = (effect: string, how: string, among = ['key', 'lookup', 'v1', 'comment']): Fault => ({
  name: `upstream ${effect}`,
  how,
  words: among.map((call) => `${call}-${effect}`),
});
/** The same at B, C and D, where nobody can be asked; every second lead goes through, as an upstream that fails for all of them is held. */
const forwarded = (effect: string, how: string): Fault => ({
  name: `forward ${effect}`,
  how,
  words: ['recruit', 'leadforms', 'screening'].flatMap((call) => [`${call}-${effect}`, `${call}-slow-1`]),
});
const sendCalls = ['v1', 'comment'];

export const faults: readonly Fault[] = [
  { name: 'kill-worker', how: 'kill -9 of the worker', at: everyStep, act: kill('worker') },
  {
    name: 'kill-worker, upstream down',
    how: 'kill -9 of the worker, and nobody listens at the upstreams when its task runs again',
    at: sends,
    act: killAndShut,
  },
  { name: 'kill-api', how: 'kill -9 of the API', at: everyStep, act: kill('api') },
  { name: 'kill-engine', how: 'kill -9 of the engine and its parent', at: everyStep, act: kill('engine') },
  { name: 'kill-server', how: "kill -9 of the engine's server alone", at: calls, act: killServer },
  { name: 'kill-all', how: 'kill -9 of worker, API and engine at once', at: everyStep, act: kill('worker', 'api', 'engine') },

  { name: 'freeze-worker', how: 'SIGSTOP for 11 s, past the time-out of its tasks', at: calls, act: freeze('worker', taskLostMs) },
  { name: 'freeze-api', how: 'SIGSTOP for 6 s', at: calls, act: freeze('api') },
  { name: 'freeze-engine', how: 'SIGSTOP for 6 s', at: calls, act: freeze('engine') },
  {
    name: 'freeze-upstream',
    how: 'SIGSTOP of the simulators for 6 s, as a network that drops everything',
    at: calls,
    act: freeze('sandbox'),
  },

  { name: 'stop-worker', how: 'SIGTERM under load, and a new start', spreadMs: 3_000, act: terminate('worker') },
  { name: 'stop-api', how: 'SIGTERM under load, and a new start', spreadMs: 3_000, act: terminate('api') },
  { name: 'stop-engine', how: 'SIGTERM under load, and a new start', spreadMs: 3_000, act: terminate('engine') },

  { name: 'upstream down', how: 'nobody listens at its port for 5 s', spreadMs: 3_000, act: shut(5_000) },
  upstream('reset-once', 'the connection is reset before anything is stored'),
  upstream('reset-after-once', 'the connection is reset after it was stored', sendCalls),
  upstream('hang-once', 'no answer before our deadline, nothing stored'),
  upstream('hang-after-once', 'no answer before our deadline, but stored', sendCalls),
  upstream('drip-once', 'stored, and an answer so slow that the deadline comes first'),
  upstream('429-x2', '429 with Retry-After in seconds, twice'),
  upstream('429-date-x2', '429 with a date, twice'),
  upstream('429-bare-x2', '429 without Retry-After, twice'),
  upstream('500-once', 'HTTP 500, nothing stored'),
  upstream('500-after-once', 'HTTP 500, but stored', sendCalls),
  upstream('503-once', 'HTTP 503, nothing stored'),
  upstream('html-once', "a proxy's HTML page with 200, nothing stored"),
  upstream('html-after-once', "a proxy's HTML page with 200, but stored", sendCalls),
  upstream('truncated-once', 'JSON that stops in the middle, stored'),
  upstream('cut-once', 'the connection ends in the middle of the answer, stored'),
  upstream('oversized-once', 'an answer of 512 KB, stored'),
  upstream('redirect-once', 'HTTP 302, nothing stored'),
  upstream('refused', 'the data is refused', sendCalls),
  upstream('late-5000-once', 'reset at once, stored 5 s later, past our deadline', sendCalls),

  forwarded('reset-once', 'the connection is reset before anything is stored'),
  forwarded('reset-after-once', 'the connection is reset after it was stored'),
  forwarded('hang-after-once', 'no answer before our deadline, but stored'),
  forwarded('500-after-once', 'HTTP 500, but stored'),
  forwarded('html-after-once', "a proxy's HTML page with 200, but stored"),
  forwarded('429-x2', '429 with Retry-After, twice'),
  forwarded('refused', 'the data is refused'),

  { name: 'same key', how: 'three callers at once, one Idempotency-Key, and one of them again later', twice: 'same key' },
  { name: 'same body', how: 'three callers at once, the same body, no key', twice: 'same body' },
  { name: 'same person', how: 'two leads of one person at once, with and without a key', twice: 'same person' },
  { name: 'same key, kill-api', how: 'three callers at once with one key, and kill -9 of the API', twice: 'same key', act: kill('api') },
  {
    name: 'same person, kill-worker',
    how: 'two leads of one person, and kill -9 of the worker',
    twice: 'same person',
    act: kill('worker'),
  },

  {
    name: 'erasure, kill-api before',
    how: 'kill -9 of the API between a lead and its erasure',
    story: erasedAfter('api'),
    patienceMs: 60_000,
  },
  {
    name: 'erasure, kill-api during',
    how: 'kill -9 of the API while a person with an unsent lead is erased',
    story: killedInErasure('api'),
    patienceMs: 60_000,
  },
  {
    name: 'erasure, kill-all during',
    how: 'kill -9 of worker, API and engine while a person with an unsent lead is erased',
    story: killedInErasure('worker', 'api', 'engine'),
    patienceMs: 60_000,
  },

  { name: 'disk full', how: "the engine's disk is full for 6 s under load", spreadMs: 8_000, act: fillDisk, stage: 'small disk' },
  {
    name: 'disk full, kill-server',
    how: "the same, and kill -9 of the engine's server as soon as it is full",
    spreadMs: 8_000,
    act: fillDiskAndKill,
    stage: 'small disk',
  },
  {
    name: 'disk read-only',
    how: "the engine's disk turns read-only for 6 s under load, as ext4 does after an error, and is repaired",
    spreadMs: 8_000,
    act: abortDisk,
    stage: 'ext4 disk',
  },
  {
    name: 'clock jumps',
    how: 'API and worker: 1 h on, 2 h back, 3 days on, and right again',
    spreadMs: 8_000,
    act: jumpClocks,
    stage: 'shifted clock',
  },
  ...(['same key', 'same body', 'same person'] as const).map((twice): Fault => ({
    name: `clock jumps, ${twice}`,
    how: `API and worker: 1 h on, 2 h back, 2 h on, and right again, with the leads of \`${twice}\``,
    twice,
    spreadMs: 6_000,
    act: jumpAnHour,
    stage: 'shifted clock',
  })),
];

/** A few rows that are over soon: beginnings of names. */
export const quick = [
  'upstream reset-after-once',
  'forward reset-after-once',
  'same key',
  'kill-worker send-comments',
  'stop-api',
  'erasure, kill-api',
];
