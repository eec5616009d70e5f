/** `leadgate doctor`: checks that everything Leadgate needs is in place, and says what to do otherwise. */
import { ConfigError, type Config } from '../../src/config/config';
import { accountNamed } from '../../src/domain/clinicsys';
import { command, CommandError, statuses, type Io } from './command';
import { checks, nodeVersion, type Check, type Finding } from './doctor-checks';
import { repeats } from './doctor-repeats';
import { signIn } from './doctor-sign-in';
import { probe } from './probe';
import { applyStyle, json, pluralize } from './print';

export const doctor = command({
  name: 'doctor',
  group: 'Operations',
  summary: 'Check the settings, keys, disk, engine, worker, API and upstreams',
  about: [
    'Connects to the upstreams, and sends them no request without --probe; asks the issuer of OIDC_ISSUER for its public document. Shows settings by name, never by value. Status 1 if a check fails.',
  ],
  options: {
    probe: { type: 'boolean', about: 'also ask the upstreams: a key, which is thrown away, a look-up of nobody, and lists' },
    instance: { type: 'string', value: 'name', about: 'the instance of the site system to probe, such as erg-oct' },
    account: { type: 'string', value: 'name', about: 'the account of this instance, ERG or Futuro; ERG by default' },
  },
  examples: ['doctor', 'doctor --json', 'doctor --probe --instance erg-oct'],
  async run({ io, options, config }) {
    const account = accountNamed(options.account ?? 'ERG');
    if (!account) throw new CommandError('--account must be ERG or Futuro');
    const all = [
      ...checks,
      signIn,
      repeats,
      ...(options.probe ? [(settings: Config) => probe(settings, { account, instanceName: options.instance })] : []),
    ];
    const findings = [nodeVersion(), ...(await findingsOf(config, all))];
    const troubles = findings.filter(({ state }) => state === 'trouble').length;
    if (options.json) io.out(json({ success: troubles === 0, findings }));
    else io.out(`${findings.map((finding) => line(io, finding)).join('\n')}\n\n${summary(troubles)}\n`);
    return troubles === 0 ? statuses.done : statuses.no;
  },
});

/** Runs all checks concurrently, because the slow ones wait for the network. */
async function findingsOf(config: () => Config, all: readonly Check[]): Promise<Finding[]> {
  try {
    const settings = config();
    return (await Promise.all(all.map((check) => check(settings)))).flat();
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
