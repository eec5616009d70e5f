/** The table of everything that can go wrong in a simulated call. All simulators and `docs/sandbox.md` use it. */
import * as plays from './plays';

export type Effect = {
  name: string;
  /** Whether the upstream stored what was sent. The client cannot tell; `GET /__state` can. */
  stored: 'no' | 'yes' | 'later';
  about: string;
  /** How often it happens if the sentinel does not say; by default every time. */
  times?: number;
  play: plays.Play;
};

export const effects: readonly Effect[] = [
  {
    name: 'refused',
    stored: 'no',
    about: 'refuses in its own form: V1 200 with `status` 1, `recruit` and the task board 200 with `errors`, the others 422',
    play: plays.refuse,
  },
  { name: '422', stored: 'no', about: 'HTTP 422', play: plays.fails(422) },
  { name: '401', stored: 'no', about: 'HTTP 401, whatever the key', play: plays.fails(401) },
  {
    name: 'revoked',
    stored: 'no',
    about: 'once: the key in use is revoked and answered 401, the next key works; the key call hands out a dead key',
    times: 1,
    play: plays.revoke,
  },
  { name: '404', stored: 'no', about: 'HTTP 404', play: plays.fails(404) },
  { name: '405', stored: 'no', about: 'HTTP 405, as an upstream without this call', play: plays.fails(405) },
  { name: '429', stored: 'no', about: 'HTTP 429 with `Retry-After: 1`', play: plays.fails(429, () => ({ 'retry-after': '1' })) },
  { name: '429-date', stored: 'no', about: 'HTTP 429 with a date in `Retry-After`', play: plays.fails(429, plays.inASecond) },
  { name: '429-bare', stored: 'no', about: 'HTTP 429 without `Retry-After`', play: plays.fails(429) },
  { name: '500', stored: 'no', about: 'HTTP 500', play: plays.fails(500) },
  { name: '500-after', stored: 'yes', about: 'HTTP 500', play: plays.afterwards(plays.fails(500)) },
  { name: '503', stored: 'no', about: 'HTTP 503', play: plays.fails(503) },
  { name: 'reset', stored: 'no', about: 'the connection is reset', play: plays.reset },
  { name: 'reset-after', stored: 'yes', about: 'the connection is reset', play: plays.afterwards(plays.reset) },
  { name: 'hang', stored: 'no', about: 'never answers, until the client goes away', play: plays.hang },
  { name: 'hang-after', stored: 'yes', about: 'never answers, until the client goes away', play: plays.afterwards(plays.hang) },
  { name: 'hold', stored: 'no', about: 'waits for `POST /__release`, then does and answers what was asked', play: plays.hold },
  { name: 'hold-after', stored: 'yes', about: 'gives the right answer after `POST /__release`', play: plays.holdAnswer },
  { name: 'drip', stored: 'yes', about: 'gives the right answer, four bytes a second', play: plays.drip },
  { name: 'slow-<ms>', stored: 'yes', about: 'gives the right answer after so many milliseconds', play: plays.slow },
  {
    name: 'late-<ms>',
    stored: 'later',
    about: 'the connection is reset at once; it is stored so many milliseconds later',
    play: plays.late,
  },
  { name: 'html', stored: 'no', about: 'HTTP 200 with an HTML page, as a proxy on the way answers', play: plays.html },
  { name: 'html-after', stored: 'yes', about: 'HTTP 200 with an HTML page', play: plays.afterwards(plays.html) },
  { name: 'truncated', stored: 'yes', about: 'HTTP 200, but the JSON stops in the middle', play: plays.truncated },
  { name: 'cut', stored: 'yes', about: 'the connection ends in the middle of the answer', play: plays.cut },
  { name: 'oversized', stored: 'yes', about: 'the right answer, padded to more than 512 KB', play: plays.changed(plays.pad) },
  {
    name: 'incomplete',
    stored: 'yes',
    about: 'an answer without what matters: no `key`, no `PatientID`, no `data`',
    play: plays.changed(plays.withoutTheLastEssential),
  },
  {
    name: 'bare',
    stored: 'yes',
    about: 'only what matters: no `created`, no `message`, no `meta`',
    play: plays.changed(plays.onlyEssentials),
  },
  {
    name: 'redirect',
    stored: 'no',
    about: 'HTTP 302 to `/__redirected`; `GET /__state` lists the requests that follow it',
    play: plays.redirect,
  },
  { name: 'error', stored: 'no', about: 'HTTP 200 with an `error.message`', play: plays.errorInside },
];
