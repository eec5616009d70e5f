/** Parses the command line: finds the command, and checks its arguments and options. */
import { parseArgs } from 'node:util';
import { nearest } from '../../src/domain/nearest';
import { codeOf, messageOf } from '../../src/lib/errors';
import { CommandError, type Argument, type Invocation, type Command, type Option, type CommandOptions } from './command';
import { program } from './program';

/** Options of every command. */
export const globalOptions: CommandOptions = {
  json: { type: 'boolean', about: 'print JSON, for programs' },
  help: { type: 'boolean', short: 'h', about: 'what this command does, with examples' },
};

export interface FoundCommand {
  readonly command: Command;
  readonly rest: readonly string[];
}

/** Finds the command that the arguments begin with. The longest name wins, so that `lead show` is not parsed as `lead`. */
export function findCommand(commands: readonly Command[], argv: readonly string[]): FoundCommand | undefined {
  const fits = ({ name }: Command) => name.split(' ').every((word, at) => argv[at] === word);
  const command = commands.filter(fits).toSorted((one, other) => other.name.length - one.name.length)[0];
  return command && { command, rest: argv.slice(command.name.split(' ').length) };
}

export interface ParsedArguments {
  readonly args: readonly string[];
  readonly options: Invocation['options'];
}

export function parseArguments({ name, args: expected = [], options = {} }: Command, rest: readonly string[]): ParsedArguments {
  const hint = `; see ${program} ${name} --help`;
  const { values, positionals } = parseWords({ ...options, ...globalOptions }, rest, hint);
  if (values.help === true) return { args: positionals, options: values };
  const missing = expected.find(({ optional }, at) => !optional && positionals[at] === undefined);
  if (missing) throw new CommandError(`${argumentLabel(missing)} is missing${hint}`);
  if (positionals.length > expected.length)
    throw new CommandError(`There is one argument too many: ${positionals[expected.length] ?? ''}${hint}`);
  if (values.csv && values.json) throw new CommandError(`--csv and --json exclude each other: give one of them${hint}`);
  const absent = Object.entries(options).find(([option, { required }]) => required && values[option] === undefined);
  if (absent) throw new CommandError(`--${absent[0]} is missing${hint}`);
  return {
    args: expected.map((argument, at) => knownSpelling(argument, argumentLabel(argument), positionals[at], hint) ?? ''),
    options: Object.fromEntries(
      Object.entries(values).map(([option, value]) => {
        const known = <Value>(one: Value) => knownSpelling(options[option] ?? {}, `--${option}`, one, hint);
        return [option, Array.isArray(value) ? value.map(known) : known(value)];
      }),
    ),
  };
}

export const argumentLabel = ({ name, optional }: Argument): string => (optional ? `[${name}]` : `<${name}>`);

function parseWords(options: CommandOptions, rest: readonly string[], hint: string) {
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple }]) => [name, definedOnly({ type, short, multiple })]),
  );
  try {
    return parseArgs({ args: [...rest], options: config, allowPositionals: true });
  } catch (error) {
    if (!String(codeOf(error)).startsWith('ERR_PARSE_ARGS')) throw error;
    const [reason = ''] = messageOf(error).split(/[.\n]/);
    const [, unknown] = /^Unknown option '--([^']+)'/.exec(reason) ?? [];
    const suggestion = unknown === undefined ? undefined : nearest(unknown, Object.keys(options));
    throw new CommandError(
      suggestion === undefined ? `${reason}${hint}` : `${reason}: did you mean --${suggestion}?${hint.replace('; see', ' See')}`,
    );
  }
}

/** Leaves out undefined values, which parseArgs does not accept. */
const definedOnly = ({ type, short, multiple }: Pick<Option, 'type' | 'short' | 'multiple'>) => ({
  type,
  ...(short && { short }),
  ...(multiple && { multiple }),
});

/** Returns the known word that was meant, in any case, as the API accepts it. Throws if there is none. */
function knownSpelling<Value>({ words: known }: Pick<Option, 'words'>, what: string, given: Value, hint: string): Value | string {
  if (!known || given === undefined) return given;
  const word = known.find((one) => one.toLowerCase() === String(given).toLowerCase());
  if (word === undefined) throw new CommandError(`${what} must be one of ${known.join(', ')}${hint}`);
  return word;
}
