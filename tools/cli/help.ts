/** Formats the help from the table of commands. */
import type { Command, Io, CommandOptions } from './command';
import { columns, heading } from './print';
import { program } from './program';
import { globalOptions, argumentLabel } from './parse';

const intro = 'leadgate: inspect and decide leads, operate the service, and test code before it is deployed.';

const general = `Exit status: 0 done, or as it should be; 1 carried out, and the answer is no (refused, not there,
would not replay, trouble found); 2 could not be carried out (wrong usage, a setting, nobody answers).
The API is looked for at LEADGATE_URL, with the key LEADGATE_API_KEY; settings are read from the
environment and from .env. Lists have column heads on a terminal only, so that scripts read rows
alone. Personal data is masked in what is printed, unless --clear is given.`;

export function overview(commands: readonly Command[], io: Io): string {
  const groups = [...new Set(commands.map(({ group }) => group))].map((group) => {
    const rows = commands.filter((command) => command.group === group).map(({ name, summary }) => [`  ${name}`, summary]);
    return `${heading(io, group)}\n${columns(rows, 22)}`;
  });
  const isFirst = ({ group }: Command, at: number) => commands.findIndex((command) => command.group === group) === at;
  const examples = commands
    .filter(isFirst)
    .flatMap((command) => command.examples.slice(0, 2))
    .map((line) => `  ${program} ${line}`);
  return [
    intro,
    `${heading(io, 'Usage')}\n  ${program} <command> [--json] [--help]`,
    ...groups,
    `${heading(io, 'Examples')}\n${examples.join('\n')}`,
    general,
    '',
  ].join('\n\n');
}

export const usage = ({ name, args = [], options = {} }: Command): string =>
  [program, name, ...args.map(argumentLabel), ...(Object.keys(options).length > 0 ? ['[options]'] : [])].join(' ');

export function commandHelp(command: Command, io: Io): string {
  const { summary, about = [], args = [], options = {}, examples } = command;
  const argumentRows = args.map((argument) => [`  ${argumentLabel(argument)}`, withWords(argument.about, argument.words)]);
  return [
    summary,
    ...about,
    `${heading(io, 'Usage')}\n  ${usage(command)}`,
    ...(argumentRows.length > 0 ? [`${heading(io, 'Arguments')}\n${columns(argumentRows)}`] : []),
    `${heading(io, 'Options')}\n${columns(optionRows({ ...options, ...globalOptions }))}`,
    `${heading(io, 'Examples')}\n${examples.map((line) => `  ${program} ${line}`).join('\n')}`,
    '',
  ].join('\n\n');
}

const optionRows = (options: CommandOptions): string[][] =>
  Object.entries(options).map(([name, { short, type, value, about, words, required }]) => [
    `  ${short ? `-${short}, ` : ''}--${name}${type === 'string' ? ` <${value ?? name}>` : ''}`,
    `${withWords(about, words)}${required ? ' (required)' : ''}`,
  ]);

const withWords = (about: string, words?: readonly string[]) => (words ? `${about}: ${words.join(', ')}` : about);
