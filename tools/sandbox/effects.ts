/** Declares every failure of a simulated call. All simulators and `docs/sandbox.md` use this table. */
import * as plays from './plays';

export type Effect = {
  name: string;
  /** Whether the upstream stores the request. The client cannot know; `GET /__state` shows it. */
  stored: 'no' | 'yes' | 'later';
  about: string;
  /** The calls that have it; by default all. */
  calls?: readonly string[];
  /** How often it happens if the sentinel does not specify it; by default every time. */
  times?: number;
  play: plays.EffectPlay;
};

/** The calls with which a lead stores something. */
const storingCalls = ['v1', 'comment', 'recruit', 'leadforms', 'screening'] as const;
const onlyStoring = `${storingCalls.slice(0, -1).join(', ')} and ${storingCalls.at(-1)} only`;

export const effects: readonly Effect[] = [
  {
    name: 'refused',
    stored: 'no',
    about:
      'a refusal in the format of the upstream: V1 200 with `status` 1, `recruit` and the task board 200 with `errors`, the others 422',
    play: plays.refuse,
  },
  { name: '422', stored: 'no', about: 'HTTP 422', play: plays.failWith(422) },
  { name: '401', stored: 'no', about: 'HTTP 401 with any key', play: plays.failWith(401) },
  {
    name: 'revoked',
    stored: 'no',
    about: 'once: the key in use is revoked and answered 401, the next key works; the key call issues a revoked key',
    times: 1,
    play: plays.revoke,
  },
  { name: '404', stored: 'no', about: 'HTTP 404', play: plays.failWith(404) },
  { name: '405', stored: 'no', about: 'HTTP 405, like an upstream without this call', play: plays.failWith(405) },
  { name: '429', stored: 'no', about: 'HTTP 429 with `Retry-After: 1`', play: plays.failWith(429, () => ({ 'retry-after': '1' })) },
  { name: '429-date', stored: 'no', about: 'HTTP 429 with a date in `Retry-After`', play: plays.failWith(429, plays.retryAfterDate) },
  { name: '429-bare', stored: 'no', about: 'HTTP 429 without `Retry-After`', play: plays.failWith(429) },
  { name: '500', stored: 'no', about: 'HTTP 500', play: plays.failWith(500) },
  { name: '500-after', stored: 'yes', about: 'HTTP 500', play: plays.storeThen(plays.failWith(500)) },
  { name: '503', stored: 'no', about: 'HTTP 503', play: plays.failWith(503) },
  { name: 'reset', stored: 'no', about: 'the connection is reset', play: plays.reset },
  { name: 'reset-after', stored: 'yes', about: 'the connection is reset', play: plays.storeThen(plays.reset) },
  { name: 'hang', stored: 'no', about: 'no answer until the client disconnects', play: plays.hang },
  { name: 'hang-after', stored: 'yes', about: 'no answer until the client disconnects', play: plays.storeThen(plays.hang) },
  { name: 'hold', stored: 'no', about: 'waits for `POST /__release`, then processes and answers the request', play: plays.hold },
  { name: 'hold-after', stored: 'yes', about: 'the normal answer after `POST /__release`', play: plays.holdAnswer },
  { name: 'drip', stored: 'yes', about: 'the normal answer at four bytes per second', play: plays.drip },
  { name: 'slow-<ms>', stored: 'yes', about: 'the normal answer after `<ms>` milliseconds', play: plays.slow },
  {
    name: 'late-<ms>',
    stored: 'later',
    about: 'the connection is reset at once; the request is stored `<ms>` milliseconds later',
    play: plays.late,
  },
  { name: 'html', stored: 'no', about: 'HTTP 200 with an HTML page, like the answer of a proxy', play: plays.html },
  { name: 'html-after', stored: 'yes', about: 'HTTP 200 with an HTML page', play: plays.storeThen(plays.html) },
  { name: 'truncated', stored: 'yes', about: 'HTTP 200 with truncated JSON', play: plays.truncated },
  { name: 'cut', stored: 'yes', about: 'the connection is closed in the middle of the answer', play: plays.cut },
  { name: 'oversized', stored: 'yes', about: 'the normal answer, padded to more than 512 KB', play: plays.withChangedBody(plays.pad) },
  {
    name: 'incomplete',
    stored: 'yes',
    about: 'an answer without its essential field: no `key`, no `PatientID`, no `data`',
    play: plays.withChangedBody(plays.withoutTheLastEssential),
  },
  {
    name: 'bare',
    stored: 'yes',
    about: 'only the essential fields: no `created`, no `message`, no `meta`',
    play: plays.withChangedBody(plays.onlyEssentials),
  },
  {
    name: 'redirect',
    stored: 'no',
    about: 'HTTP 302 to `/__redirected`; `GET /__state` lists the requests that follow it',
    play: plays.redirect,
  },
  { name: 'error', stored: 'no', about: 'HTTP 200 with an `error.message`', play: plays.errorInside },
  {
    name: 'forgotten',
    stored: 'no',
    about: `the normal answer with an id, which no later read finds; ${onlyStoring}`,
    calls: storingCalls,
    play: plays.storeCopies(0),
  },
  {
    name: 'doubled',
    stored: 'yes',
    about: `the normal answer; it is stored twice, a patient with two ids; ${onlyStoring}`,
    calls: storingCalls,
    play: plays.storeCopies(2),
  },
];
