/** Runs the command that the command line names, and returns the exit status. It reports an error in one plain line. */
import { ConfigError, type Config } from '../../src/config/config';
import { LeadgateError } from '../client';
import { version } from '../../src/config/version';
import { ApiError, engineAway } from '../../src/contract/errors';
import { nearest } from '../../src/contract/nearest';
import { isRefusal } from '../../src/temporal/ask';
import { statuses, Unable, type Command, type Io, type Status } from './command';
import { refused } from './gateway';
import { commandHelp, overview } from './help';
import { json, printing } from './print';
import { program } from './program';
import { named, words } from './words';

export interface Surroundings {
  readonly io: Io;
  config(): Config;
  readonly commands: readonly Command[];
}

const helpWords: readonly (string | undefined)[] = [undefined, 'help', '--help', '-h'];

export async function run(argv: readonly string[], { io: given, config, commands }: Surroundings): Promise<Status> {
  const io = printing(given);
  try {
    const [first] = argv;
    if (first === '--version') return said(io, `${version}\n`);
    const found = named(commands, first === 'help' ? argv.slice(1) : argv);
    if (!found) return helpWords.includes(first) ? said(io, overview(commands, io)) : unknown(argv, { io, commands, config });
    const { args, options } = words(found.command, first === 'help' ? ['--help'] : found.rest);
    if (options.help === true) return said(io, commandHelp(found.command, io));
    return await found.command.run({ io, args, options, config, commands });
  } catch (thrown) {
    const error = thrown instanceof LeadgateError ? refused(thrown) : thrown;
    const plain = plainly(error);
    if (argv.includes('--json')) io.out(json({ success: false, message: plain }));
    io.err(`leadgate: ${plain}\n`);
    return error instanceof Unable ? error.status : statuses.unable;
  }
}

function said(io: Io, text: string): Status {
  io.out(text);
  return statuses.done;
}

/** Handles an unknown command. `lead` alone lists the commands that begin with it. */
function unknown(argv: readonly string[], { io, commands }: Surroundings): Status {
  const [first = '', second = '--help'] = argv;
  const sisters = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (sisters.length > 0 && helpWords.includes(second)) return said(io, overview(sisters, io));
  const given = sisters.length > 0 ? `${first} ${second}` : first;
  const meant = nearest(given, sisters.length > 0 ? namesOf(sisters) : namesOf(commands)) ?? alsoMeant(argv, commands);
  const hint = meant === undefined ? '; see' : `: did you mean ${program} ${meant}? See`;
  throw new Unable(`There is no command "${given}"${hint} ${program}${sisters.length > 0 ? ` ${first}` : ''} --help`);
}

const namesOf = (commands: readonly Command[]): string[] => commands.map(({ name }) => name);

/** A command of two words: both may be misspelt, or the first one may be missing. */
function alsoMeant([first = '', second = '']: readonly string[], commands: readonly Command[]): string | undefined {
  const twoWords = namesOf(commands).filter((name) => name.includes(' '));
  return nearest(`${first} ${second}`, twoWords) ?? twoWords.find((name) => name.endsWith(` ${first}`));
}

/** An unexpected error prints its name and place only: its message may quote data. */
function plainly(error: unknown): string {
  if (error instanceof Unable || error instanceof ConfigError || error instanceof ApiError) return error.message;
  if (!isRefusal(error)) return engineAway().message;
  if (!(error instanceof Error)) return 'something went wrong';
  const places = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return [`this was not foreseen, please report it: ${error.name}`, ...places.slice(0, 6)].join('\n');
}
