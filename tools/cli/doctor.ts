/** `leadgate doctor`: checks whether everything that Leadgate needs is there, and says what to do if not. */
import { ConfigError, type Config } from '../../src/config/config';
import { command, statuses, type Io } from './command';
import { checks, nodeVersion, type Finding } from './doctor-checks';
import { json, styled } from './print';

export const doctor = command({
  name: 'doctor',
  group: 'Operations',
  summary: 'Is everything there that a Leadgate needs, and if not, what to do',
  about: [
    'Upstreams are only connected to, nothing is asked of them. Settings are told by name, never by value. Status 1 when there is trouble.',
  ],
  examples: ['doctor', 'doctor --json'],
  async run({ io, options, config }) {
    const findings = [nodeVersion(), ...(await findingsOf(config))];
    const troubles = findings.filter(({ state }) => state === 'trouble').length;
    if (options.json) io.out(json({ success: troubles === 0, findings }));
    else io.out(`${findings.map((finding) => line(io, finding)).join('\n')}\n\n${summary(troubles)}\n`);
    return troubles === 0 ? statuses.done : statuses.no;
  },
});

/** Runs all checks at once, because slow ones wait for the network. */
async function findingsOf(config: () => Config): Promise<Finding[]> {
  try {
    const settings = config();
    return (await Promise.all(checks.map((check) => check(settings)))).flat();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [
      { what: 'Settings', state: 'trouble', found: error.message, next: 'see .env.example; the rest is looked at when they are right' },
    ];
  }
}

const marks = { ok: 'ok ', note: '-  ', trouble: '!! ' } as const;
const styles = { ok: 'green', note: 'dim', trouble: 'red' } as const;
const width = 24;

const line = (io: Io, { what, state, found, next }: Finding): string =>
  [`${styled(io, styles[state], marks[state])} ${what.padEnd(width)} ${found}`, ...(next ? [`${' '.repeat(width + 5)}${next}`] : [])].join(
    '\n',
  );

const summary = (troubles: number): string =>
  troubles === 0
    ? 'Nothing is wrong.'
    : `${troubles} ${troubles === 1 ? 'thing is' : 'things are'} wrong, marked !!, each with what to do.`;
