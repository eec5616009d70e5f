/** `leadgate doctor`: checks that everything Leadgate needs is in place, and says what to do otherwise. */
import { ConfigError, type Config } from '../../src/config/config';
import { command, statuses, type Io } from './command';
import { checks, nodeVersion, type Finding } from './doctor-checks';
import { applyStyle, json, pluralize } from './print';

export const doctor = command({
  name: 'doctor',
  group: 'Operations',
  summary: 'Check the settings, keys, disk, engine, worker, API and upstreams',
  about: ['Connects to the upstreams, and sends them no request. Shows settings by name, never by value. Status 1 if a check fails.'],
  examples: ['doctor', 'doctor --json'],
  async run({ io, options, config }) {
    const findings = [nodeVersion(), ...(await findingsOf(config))];
    const troubles = findings.filter(({ state }) => state === 'trouble').length;
    if (options.json) io.out(json({ success: troubles === 0, findings }));
    else io.out(`${findings.map((finding) => line(io, finding)).join('\n')}\n\n${summary(troubles)}\n`);
    return troubles === 0 ? statuses.done : statuses.no;
  },
});

/** Runs all checks concurrently, because the slow ones wait for the network. */
async function findingsOf(config: () => Config): Promise<Finding[]> {
  try {
    const settings = config();
    return (await Promise.all(checks.map((check) => check(settings)))).flat();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [
      {
        what: 'Settings',
        state: 'trouble',
        found: error.message,
        next: 'see .env.example; the other checks run once the settings are valid',
      },
    ];
  }
}

const marks = { ok: 'ok ', note: '-  ', trouble: '!! ' } as const;
const styles = { ok: 'green', note: 'dim', trouble: 'red' } as const;
const width = 24;

const line = (io: Io, { what, state, found, next }: Finding): string =>
  [
    `${applyStyle(io, styles[state], marks[state])} ${what.padEnd(width)} ${found}`,
    ...(next ? [`${' '.repeat(width + 5)}${next}`] : []),
  ].join('\n');

const summary = (troubles: number): string =>
  troubles === 0 ? 'No problem found.' : `${pluralize(troubles, 'problem')} found, marked !!, each with what to do.`;
