/** `leadgate completion`: writes the shell's completion from the table of commands. */
import { command, statuses, type Command } from './command';
import { everywhere } from './words';

const shells = ['bash', 'zsh', 'fish'] as const;

/** Words before the cursor → the words that may follow: a command's second word, its options, the values of its first argument. */
function candidates(commands: readonly Command[]): ReadonlyMap<string, readonly string[]> {
  const after = new Map<string, Set<string>>();
  const add = (before: string, ...more: readonly string[]) => after.set(before, new Set([...(after.get(before) ?? []), ...more]));
  for (const { name, args = [], options = {} } of commands) {
    const [first = '', second] = name.split(' ');
    add('', first);
    if (second) add(first, second);
    add(name, ...(args[0]?.words ?? []), ...Object.keys({ ...options, ...everywhere }).map((option) => `--${option}`));
  }
  return new Map([...after].map(([before, more]) => [before, [...more]]));
}

const cases = (commands: readonly Command[]) =>
  [...candidates(commands)].map(([before, more]) => `    '${before}') words='${more.join(' ')}' ;;`).join('\n');

/** A bash function. It looks at up to two words before the cursor, without options; for anything unknown it completes file names. */
const bash = (commands: readonly Command[]) => `_leadgate() {
  local word before='' words='' current="\${COMP_WORDS[COMP_CWORD]}" count=0
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* || $count -ge 2 ]] && continue
    before="\${before:+$before }$word"; count=$((count + 1))
  done
  case "$before" in
${cases(commands)}
    *) case "\${before%% *}" in
${cases(commands.filter(({ name }) => !name.includes(' ')))}
    esac ;;
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
        ...Object.entries({ ...options, ...everywhere }).map(([option, { about, type }]) =>
          line(here, `-l ${option}`, ...(type === 'string' ? ['-r'] : []), `-d ${quoted(about)}`),
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
