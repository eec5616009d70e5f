/** Runs the command of a command line, and returns the exit status. It prints an error as one plain line. */
import { ConfigError, type Config } from '../../src/config/config';
import { LeadgateError } from '../client';
import { version } from '../../src/config/version';
import { ApiError, engineAway } from '../../src/contract/errors';
import { nearest } from '../../src/domain/nearest';
import { isRefusal } from '../../src/temporal/ask';
import { statuses, CommandError, type Command, type Io, type ExitStatus } from './command';
import { commandErrorOf } from './gateway';
import { commandHelp, overview } from './help';
import { json, sanitizedIo } from './print';
import { program } from './program';
import { findCommand, parseArguments } from './parse';

export interface CliEnvironment {
  readonly io: Io;
  config(): Config;
  readonly commands: readonly Command[];
}

const helpWords: readonly (string | undefined)[] = [undefined, 'help', '--help', '-h'];

export async function run(argv: readonly string[], { io: rawIo, config, commands }: CliEnvironment): Promise<ExitStatus> {
  const io = sanitizedIo(rawIo);
  try {
    const [first] = argv;
    if (first === '--version') return printAndEnd(io, `${version}\n`);
    const found = findCommand(commands, first === 'help' ? argv.slice(1) : argv);
    if (!found) return helpWords.includes(first) ? printAndEnd(io, overview(commands, io)) : handleUnknown(argv, { io, commands, config });
    const { args, options } = parseArguments(found.command, first === 'help' ? ['--help'] : found.rest);
    if (options.help === true) return printAndEnd(io, commandHelp(found.command, io));
    return await found.command.run({ io, args, options, config, commands });
  } catch (thrown) {
    const error = thrown instanceof LeadgateError ? commandErrorOf(thrown) : thrown;
    const plain = errorMessage(error);
    if (argv.includes('--json')) io.out(json({ success: false, message: plain }));
    io.err(`leadgate: ${plain}\n`);
    return error instanceof CommandError ? error.status : statuses.unable;
  }
}

function printAndEnd(io: Io, text: string): ExitStatus {
  io.out(text);
  return statuses.done;
}

/** Handles an unknown command. `lead` alone lists the commands that begin with `lead`. */
function handleUnknown(argv: readonly string[], { io, commands }: CliEnvironment): ExitStatus {
  const [first = '', second = '--help'] = argv;
  const siblings = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (siblings.length > 0 && helpWords.includes(second)) return printAndEnd(io, overview(siblings, io));
  const typed = siblings.length > 0 ? `${first} ${second}` : first;
  const suggestion = nearest(typed, siblings.length > 0 ? namesOf(siblings) : namesOf(commands)) ?? suggestTwoWords(argv, commands);
  const hint = suggestion === undefined ? '; see' : `: did you mean ${program} ${suggestion}? See`;
  throw new CommandError(`There is no command "${typed}"${hint} ${program}${siblings.length > 0 ? ` ${first}` : ''} --help`);
}

const namesOf = (commands: readonly Command[]): string[] => commands.map(({ name }) => name);

/** Suggests a command of two words if both are misspelt, or if the first is missing. */
function suggestTwoWords([first = '', second = '']: readonly string[], commands: readonly Command[]): string | undefined {
  const twoWords = namesOf(commands).filter((name) => name.includes(' '));
  return nearest(`${first} ${second}`, twoWords) ?? twoWords.find((name) => name.endsWith(` ${first}`));
}

/** For an unexpected error, only its name and place: its message may contain data. */
function errorMessage(error: unknown): string {
  if (error instanceof CommandError || error instanceof ConfigError || error instanceof ApiError) return error.message;
  if (!isRefusal(error)) return engineAway().message;
  if (!(error instanceof Error)) return 'An unknown error occurred';
  const places = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return [`Unexpected error, please report it: ${error.name}`, ...places.slice(0, 6)].join('\n');
}
