/** Declares the sandbox's control paths, such as `/__state`. They begin with two underscores, unlike every upstream's path. */
import type { SimulatedAnswer, Simulator } from './call';
import type { Journal } from './journal';

export type ControlTarget = { simulators: Simulator[]; journal: Journal; latency: { ms: number }; release(): number; reset(): void };

type Control = {
  method: 'get' | 'post';
  path: string;
  about: string;
  run(sandbox: ControlTarget, query: URLSearchParams): SimulatedAnswer | { csv: string };
};

/** The simulators of the upstreams that cannot be asked for their patients. */
const exportedSimulators = ['recruitment', 'leadforms', 'screening'] as const;

const latencyMaxMs = 600_000;
const fillMax = 20_000;

export const controls: readonly Control[] = [
  {
    method: 'get',
    path: '/__state',
    about: 'the data of each simulator, the number of requests of each call, and the latest requests with their raw bodies',
    run: ({ simulators, journal, latency }) => {
      const held = Object.fromEntries(simulators.map(({ name, state }) => [name, state()]));
      return { status: 200, body: { latencyMs: latency.ms, ...journal.state(), ...held } };
    },
  },
  ...exportedSimulators.map((wanted): Control => ({
    method: 'get',
    path: `/__exports/${wanted}.csv`,
    about: `what ${wanted} stores, as the CSV that such a system exports`,
    run: ({ simulators }) => ({ csv: simulators.find(({ name }) => name === wanted)?.csv?.() ?? '' }),
  })),
  {
    method: 'post',
    path: '/__reset',
    about: 'restores the initial data, and clears keys, counts and latency',
    run: ({ reset }) => {
      reset();
      return { status: 200, body: { reset: true } };
    },
  },
  {
    method: 'post',
    path: '/__revoke',
    about: 'revokes every key',
    run: ({ simulators }) => ({ status: 200, body: { revoked: simulators.reduce((sum, { revokeKeys }) => sum + revokeKeys(), 0) } }),
  },
  {
    method: 'post',
    path: '/__release',
    about: 'answers every call that `hold` or `hold-after` holds',
    run: ({ release }) => ({ status: 200, body: { released: release() } }),
  },
  {
    method: 'post',
    path: '/__fill',
    about: 'adds `?projects=&users=&cards=&comments=` to the task board, cards with `bytes=` of text, and returns their ids',
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
    about: 'delays every following call by `?ms=` milliseconds',
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
