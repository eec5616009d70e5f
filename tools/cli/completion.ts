/** `leadgate completion`: writes a shell completion script from the table of commands. */
import { command, statuses, type Command, type CommandOptions } from './command';
import { globalOptions } from './parse';

const shells = ['bash', 'zsh', 'fish'] as const;

const optionsOf = ({ options = {} }: Command): CommandOptions => ({ ...options, ...globalOptions });
const withValue = (commands: readonly Command[]) =>
  commands.flatMap((one) => Object.entries(optionsOf(one)).flatMap(([name, { type }]) => (type === 'string' ? [`--${name}`] : [])));

/**
 * The completions of each position: `lead find --state` → the values of the option; `lead send 0` → the values of the first argument and
 * the options; `lead find -` → the options; ` 0` and `lead 0` → the words of command names.
 */
function candidates(commands: readonly Command[]): ReadonlyMap<string, ReadonlySet<string>> {
  const after = new Map<string, Set<string>>();
  const add = (place: string, words: readonly string[]) => after.set(place, new Set([...(after.get(place) ?? []), ...words]));
  for (const command of commands) {
    const { name, args = [] } = command;
    const [first = '', second] = name.split(' ');
    const options = Object.keys(optionsOf(command)).map((option) => `--${option}`);
    add(' 0', [first]);
    if (second) add(`${first} 0`, [second]);
    add(`${name} -`, options);
    // For an argument that is a file, bash completes file names.
    for (const [at, argument] of [...args, undefined].entries())
      if (!argument?.file) add(`${name} ${at}`, [...(argument?.words ?? []), ...options]);
    for (const [option, { words }] of Object.entries(optionsOf(command))) if (words) add(`${name} --${option}`, words);
  }
  return after;
}

const cases = (commands: readonly Command[]) =>
  [...candidates(commands)].map(([place, words]) => `    '${place}') words='${[...words].join(' ')}' ;;`).join('\n');

const namesOf = (commands: readonly Command[]) => commands.map(({ name }) => `'${name}'`).join('|');

/**
 * A bash function. It finds the command, and whether the cursor is at an option's value or at an argument. If the position has no words, it
 * completes file names.
 */
const bash = (commands: readonly Command[]) => `_leadgate() {
  local word='' command='' place='' option='' words='' current="\${COMP_WORDS[COMP_CWORD]}" count=0
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ -n $option ]]; then option=''; continue; fi
    case "$word" in
      ${[...new Set(withValue(commands))].join('|')}) option="$word" ;;
      -*) ;;
      *) case "\${command:+$command }$word" in
          ${namesOf(commands)}) command="\${command:+$command }$word"; count=0 ;;
          *) if [[ -z $command ]]; then command="$word"; else count=$((count + 1)); fi ;;
        esac ;;
    esac
  done
  place="$command \${option:-$count}"
  [[ -z $option && $current == -* ]] && place="$command -"
  case "$place" in
${cases(commands)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${#COMPREPLY[@]} -eq 0 && $current != -* ]] && COMPREPLY=($(compgen -f -- "$current"))
  return 0
}
complete -o filenames -F _leadgate leadgate
`;

const zsh = (commands: readonly Command[]) => `#compdef leadgate
autoload -U +X bashcompinit && bashcompinit
${bash(commands)}`;

const quoted = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`;

function fish(commands: readonly Command[]): string {
  const line = (condition: string, ...rest: readonly string[]) => ['complete -c leadgate', `-n ${quoted(condition)}`, ...rest].join(' ');
  const seen = new Set<string>();
  return [
    ...commands.flatMap(({ name, summary, args = [], options = {} }) => {
      const [first = '', second] = name.split(' ');
      const here = second
        ? `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`
        : `__fish_seen_subcommand_from ${first}`;
      const isNew = !seen.has(first) && seen.add(first);
      return [
        ...(isNew ? [line('__fish_use_subcommand', '-f', `-a ${first}`, `-d ${quoted(second ? `${first} …` : summary)}`)] : []),
        ...(second
          ? [
              line(
                `__fish_seen_subcommand_from ${first}; and test (count (commandline -opc)) -eq 2`,
                '-f',
                `-a ${second}`,
                `-d ${quoted(summary)}`,
              ),
            ]
          : []),
        ...(args[0]?.words ? [line(here, '-f', `-a ${quoted(args[0].words.join(' '))}`)] : []),
        ...Object.entries({ ...options, ...globalOptions }).map(([option, { about, type, words }]) =>
          line(
            here,
            `-l ${option}`,
            ...(type === 'string' ? ['-r'] : []),
            ...(words ? ['-f', `-a ${quoted(words.join(' '))}`] : []),
            `-d ${quoted(about)}`,
          ),
        ),
      ];
    }),
    '',
  ].join('\n');
}

const scripts: Readonly<Record<string, (commands: readonly Command[]) => string>> = { bash, zsh, fish };

export const completion = command({
  name: 'completion',
  group: 'This command line',
  summary: 'The completion script of a shell',
  args: [{ name: 'shell', about: 'your shell', words: shells }],
  examples: ['completion bash > ~/.local/share/bash-completion/completions/leadgate', 'completion fish | source'],
  run({ io, args: [shell = ''], commands }) {
    io.out(scripts[shell]?.(commands) ?? '');
    return Promise.resolve(statuses.done);
  },
});
