/** Declares the faults: how each is caused, and when it strikes. */
import { freeze, kill, killAndShut, killServer, shut, taskLostMs, terminate, type FaultAction } from './actions';
import { jumpAnHour, jumpClocks } from './clock';
import { abortDisk, fillDisk, fillDiskAndKill } from './disk';
import { points } from './points';
import { erasedAfter, killedInErasure, type Scenario } from './erasure-scenarios';

export interface Fault {
  readonly name: string;
  readonly description: string;
  /** Strikes at each of these steps, before and after the upstream stores the request; one row of the report each. */
  readonly at?: readonly string[];
  /** Or: leads are sent over this time. */
  readonly spreadMs?: number;
  /** Or: sentinels for the simulators, one for each lead in turn. */
  readonly sentinels?: readonly string[];
  /** Or: how the same lead is sent more than once. */
  readonly twice?: 'same key' | 'same body' | 'same person';
  /** Or: a scenario that includes its fault. */
  readonly scenario?: Scenario;
  readonly act?: FaultAction;
  /** How long to wait for the leads after the fault. */
  readonly patienceMs?: number;
  readonly stage?: 'shifted clock' | 'small disk' | 'ext4 disk';
}

const everyStep = points.map(({ step }) => step);
const sends = ['send-to-rt', 'send-comments', 'send (B, C, D)'];
const calls = ['check-email', ...sends];

/** An effect of the sandbox at each call of no-prescreen in turn. */
const upstream = (effect: string, description: string, among = ['key', 'lookup', 'v1', 'comment']): Fault => ({
  name: `upstream ${effect}`,
  description,
  sentinels: among.map((call) => `${call}-${effect}`),
});
/** The same for B, C and D, which have no look-up. Every second lead succeeds, because an upstream that fails every lead is held. */
const forwarded = (effect: string, description: string): Fault => ({
  name: `forward ${effect}`,
  description,
  sentinels: ['recruit', 'leadforms', 'screening'].flatMap((call) => [`${call}-${effect}`, `${call}-slow-1`]),
});
const sendCalls = ['v1', 'comment'];

export const faults: readonly Fault[] = [
  { name: 'kill-worker', description: 'SIGKILL to the worker', at: everyStep, act: kill('worker') },
  {
    name: 'kill-worker, upstream down',
    description: 'SIGKILL to the worker; when its task runs again, the upstreams refuse connections',
    at: sends,
    act: killAndShut,
  },
  { name: 'kill-api', description: 'SIGKILL to the API', at: everyStep, act: kill('api') },
  { name: 'kill-engine', description: 'SIGKILL to the engine and its parent', at: everyStep, act: kill('engine') },
  { name: 'kill-server', description: "SIGKILL to the engine's server only", at: calls, act: killServer },
  { name: 'kill-all', description: 'SIGKILL to worker, API and engine at once', at: everyStep, act: kill('worker', 'api', 'engine') },

  {
    name: 'freeze-worker',
    description: 'SIGSTOP to the worker for 11 s, longer than the time-out of its workflow tasks',
    at: calls,
    act: freeze('worker', taskLostMs),
  },
  { name: 'freeze-api', description: 'SIGSTOP to the API for 6 s', at: calls, act: freeze('api') },
  { name: 'freeze-engine', description: "SIGSTOP to the engine's server for 6 s", at: calls, act: freeze('engine') },
  {
    name: 'freeze-upstream',
    description: 'SIGSTOP to the simulators for 6 s, like a network that drops all packets',
    at: calls,
    act: freeze('sandbox'),
  },

  { name: 'stop-worker', description: 'SIGTERM to the worker under load, then a restart', spreadMs: 3_000, act: terminate('worker') },
  { name: 'stop-api', description: 'SIGTERM to the API under load, then a restart', spreadMs: 3_000, act: terminate('api') },
  { name: 'stop-engine', description: 'SIGTERM to the engine under load, then a restart', spreadMs: 3_000, act: terminate('engine') },

  { name: 'upstream down', description: 'the upstreams refuse connections for 5 s', spreadMs: 3_000, act: shut(5_000) },
  upstream('reset-once', 'connection reset, nothing stored'),
  upstream('reset-after-once', 'connection reset, but stored', sendCalls),
  upstream('hang-once', 'no answer within the deadline, nothing stored'),
  upstream('hang-after-once', 'no answer within the deadline, but stored', sendCalls),
  upstream('drip-once', 'an answer slower than the deadline, but stored'),
  upstream('429-x2', '429 with Retry-After in seconds, twice'),
  upstream('429-date-x2', '429 with a date, twice'),
  upstream('429-bare-x2', '429 without Retry-After, twice'),
  upstream('500-once', 'HTTP 500, nothing stored'),
  upstream('500-after-once', 'HTTP 500, but stored', sendCalls),
  upstream('503-once', 'HTTP 503, nothing stored'),
  upstream('html-once', "a proxy's HTML page with 200, nothing stored"),
  upstream('html-after-once', "a proxy's HTML page with 200, but stored", sendCalls),
  upstream('truncated-once', 'truncated JSON with 200, but stored'),
  upstream('cut-once', 'connection closed in the middle of the answer, but stored'),
  upstream('oversized-once', 'an answer of 512 KB, but stored'),
  upstream('redirect-once', 'HTTP 302, nothing stored'),
  upstream('refused', 'a refusal of the data', sendCalls),
  upstream('late-5000-once', 'connection reset, stored 5 s later, after the deadline', sendCalls),

  forwarded('reset-once', 'connection reset, nothing stored'),
  forwarded('reset-after-once', 'connection reset, but stored'),
  forwarded('hang-after-once', 'no answer within the deadline, but stored'),
  forwarded('500-after-once', 'HTTP 500, but stored'),
  forwarded('html-after-once', "a proxy's HTML page with 200, but stored"),
  forwarded('429-x2', '429 with Retry-After, twice'),
  forwarded('refused', 'a refusal of the data'),

  { name: 'same key', description: 'three callers at once with one Idempotency-Key, and one of them again later', twice: 'same key' },
  { name: 'same body', description: 'three callers at once with the same body and no Idempotency-Key', twice: 'same body' },
  { name: 'same person', description: 'two leads of one person at once, with and without Idempotency-Keys', twice: 'same person' },
  {
    name: 'same key, kill-api',
    description: 'three callers at once with one Idempotency-Key, and SIGKILL to the API',
    twice: 'same key',
    act: kill('api'),
  },
  {
    name: 'same person, kill-worker',
    description: 'two leads of one person at once, and SIGKILL to the worker',
    twice: 'same person',
    act: kill('worker'),
  },

  {
    name: 'erasure, kill-api before',
    description: 'SIGKILL to the API between the acceptance of a lead and its erasure',
    scenario: erasedAfter('api'),
    patienceMs: 60_000,
  },
  {
    name: 'erasure, kill-api during',
    description: 'SIGKILL to the API during the erasure of a person with an unsent lead',
    scenario: killedInErasure('api'),
    patienceMs: 60_000,
  },
  {
    name: 'erasure, kill-all during',
    description: 'SIGKILL to worker, API and engine during the erasure of a person with an unsent lead',
    scenario: killedInErasure('worker', 'api', 'engine'),
    patienceMs: 60_000,
  },

  { name: 'disk full', description: "the engine's disk is full for 6 s under load", spreadMs: 8_000, act: fillDisk, stage: 'small disk' },
  {
    name: 'disk full, kill-server',
    description: "the same, and SIGKILL to the engine's server as soon as the disk is full",
    spreadMs: 8_000,
    act: fillDiskAndKill,
    stage: 'small disk',
  },
  {
    name: 'disk read-only',
    description: "the engine's disk is read-only for 6 s under load, as ext4 after an error, and is then repaired",
    spreadMs: 8_000,
    act: abortDisk,
    stage: 'ext4 disk',
  },
  {
    name: 'clock jumps',
    description: 'clocks of API and worker: 1 h ahead, 1 h behind, 3 days ahead, then correct',
    spreadMs: 8_000,
    act: jumpClocks,
    stage: 'shifted clock',
  },
  ...(['same key', 'same body', 'same person'] as const).map((twice): Fault => ({
    name: `clock jumps, ${twice}`,
    description: `clocks of API and worker: 1 h ahead, 1 h behind, 1 h ahead, then correct, with the leads of \`${twice}\``,
    twice,
    spreadMs: 6_000,
    act: jumpAnHour,
    stage: 'shifted clock',
  })),
];

/** A few short rows, as prefixes of names. */
export const quick = [
  'upstream reset-after-once',
  'forward reset-after-once',
  'same key',
  'kill-worker send-comments',
  'stop-api',
  'erasure, kill-api',
];
