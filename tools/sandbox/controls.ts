/** The sandbox's own paths, such as `/__state`. They begin with two underscores, as no upstream's path does. */
import type { Answer, Simulator } from './call';
import type { Journal } from './journal';

export type Controlled = { simulators: Simulator[]; journal: Journal; latency: { ms: number }; release(): number; reset(): void };

type Control = { method: 'get' | 'post'; path: string; about: string; run(sandbox: Controlled, query: URLSearchParams): Answer };

const latencyMaxMs = 600_000;
const fillMax = 20_000;

export const controls: readonly Control[] = [
  {
    method: 'get',
    path: '/__state',
    about: 'what each simulator holds, how often each call came, and the latest requests with their raw bodies',
    run: ({ simulators, journal, latency }) => {
      const held = Object.fromEntries(simulators.map(({ name, state }) => [name, state()]));
      return { status: 200, body: { latencyMs: latency.ms, ...journal.state(), ...held } };
    },
  },
  {
    method: 'post',
    path: '/__reset',
    about: 'back to the start: the first data, no keys, no counts, no latency',
    run: ({ reset }) => {
      reset();
      return { status: 200, body: { reset: true } };
    },
  },
  {
    method: 'post',
    path: '/__revoke',
    about: 'makes every key that was given out useless',
    run: ({ simulators }) => ({ status: 200, body: { revoked: simulators.reduce((sum, { revokeKeys }) => sum + revokeKeys(), 0) } }),
  },
  {
    method: 'post',
    path: '/__release',
    about: 'answers every call that `hold` or `hold-after` keeps waiting',
    run: ({ release }) => ({ status: 200, body: { released: release() } }),
  },
  {
    method: 'post',
    path: '/__fill',
    about: 'adds `?projects=&users=&cards=&comments=` to the task board, cards with `bytes=` of text, and says where they are',
    run: ({ simulators }, query) => {
      const number = (name: string) => Math.min(Math.max(Number(query.get(name)) || 0, 0), fillMax);
      const wanted = {
        projects: number('projects'),
        users: number('users'),
        cards: number('cards'),
        comments: number('comments'),
        bytes: number('bytes'),
      };
      const filled = simulators.flatMap(({ name, fill }) => (fill ? [[name, fill(wanted)]] : []));
      return { status: 200, body: Object.fromEntries(filled) };
    },
  },
  {
    method: 'post',
    path: '/__latency',
    about: 'from now on every call takes `?ms=` milliseconds longer',
    run: ({ latency }, query) => {
      const ms = query.get('ms') ?? '';
      if (!/^\d+$/.test(ms) || Number(ms) > latencyMaxMs) {
        return { status: 400, body: { error: `ms must be a whole number from 0 to ${latencyMaxMs}` } };
      }
      latency.ms = Number(ms);
      return { status: 200, body: { latencyMs: latency.ms } };
    },
  },
];
