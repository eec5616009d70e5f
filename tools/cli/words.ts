/** Parses the command line: finds the command, and checks its arguments and options. */
import { parseArgs } from 'node:util';
import { nearest } from '../../src/contract/nearest';
import { codeOf, messageOf } from '../../src/lib/errors';
import { Unable, type Argument, type Call, type Command, type Option, type Options } from './command';
import { program } from './program';

/** Options of every command. */
export const everywhere: Options = {
  json: { type: 'boolean', about: 'print JSON, for programs' },
  help: { type: 'boolean', short: 'h', about: 'what this command does, with examples' },
};

export interface Named {
  readonly command: Command;
  readonly rest: readonly string[];
}

/** The command that the words begin with. The longest name wins, so that `lead show` is not read as `lead`. */
export function named(commands: readonly Command[], argv: readonly string[]): Named | undefined {
  const fits = ({ name }: Command) => name.split(' ').every((word, at) => argv[at] === word);
  const command = commands.filter(fits).toSorted((one, other) => other.name.length - one.name.length)[0];
  return command && { command, rest: argv.slice(command.name.split(' ').length) };
}

export interface Words {
  readonly args: readonly string[];
  readonly options: Call['options'];
}

export function words({ name, args: wanted = [], options = {} }: Command, rest: readonly string[]): Words {
  const hint = `; see ${program} ${name} --help`;
  const { values, positionals } = parsed({ ...options, ...everywhere }, rest, hint);
  if (values.help === true) return { args: positionals, options: values };
  const missing = wanted.find(({ optional }, at) => !optional && positionals[at] === undefined);
  if (missing) throw new Unable(`${written(missing)} is missing${hint}`);
  if (positionals.length > wanted.length) throw new Unable(`There is one word too many: ${positionals[wanted.length] ?? ''}${hint}`);
  wanted.forEach((argument, at) => mustBeOneOf(argument, written(argument), positionals[at], hint));
  const absent = Object.entries(options).find(([option, { needed }]) => needed && values[option] === undefined);
  if (absent) throw new Unable(`--${absent[0]} is missing${hint}`);
  for (const [option, declared] of Object.entries(options)) mustBeOneOf(declared, `--${option}`, values[option], hint);
  return { args: wanted.map((_, at) => positionals[at] ?? ''), options: values };
}

export const written = ({ name, optional }: Argument): string => (optional ? `[${name}]` : `<${name}>`);

function parsed(options: Options, rest: readonly string[], hint: string) {
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple }]) => [name, present({ type, short, multiple })]),
  );
  try {
    return parseArgs({ args: [...rest], options: config, allowPositionals: true });
  } catch (error) {
    if (!String(codeOf(error)).startsWith('ERR_PARSE_ARGS')) throw error;
    const [said = ''] = messageOf(error).split(/[.\n]/);
    const [, unknown] = /^Unknown option '--([^']+)'/.exec(said) ?? [];
    const meant = unknown === undefined ? undefined : nearest(unknown, Object.keys(options));
    throw new Unable(meant === undefined ? `${said}${hint}` : `${said}: did you mean --${meant}?${hint.replace('; see', ' See')}`);
  }
}

/** Leaves out undefined values, which parseArgs does not accept. */
const present = ({ type, short, multiple }: Pick<Option, 'type' | 'short' | 'multiple'>) => ({
  type,
  ...(short && { short }),
  ...(multiple && { multiple }),
});

function mustBeOneOf({ words: known }: Pick<Option, 'words'>, what: string, given: unknown, hint: string): void {
  if (!known || given === undefined || known.includes(String(given))) return;
  throw new Unable(`${what} must be one of ${known.join(', ')}${hint}`);
}
