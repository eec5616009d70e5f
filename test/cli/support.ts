/** Runs the command line in this process, and returns its output and status. */
import type { Command, Io, ExitStatus } from '../../tools/cli/command';
import { commands } from '../../tools/cli/commands';
import { run } from '../../tools/cli/run';
import { parseConfig } from '../../src/config/config';

export interface CommandResult {
  readonly status: ExitStatus;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly io?: Partial<Io>;
  readonly commands?: readonly Command[];
}

export async function leadgate(argv: readonly string[], around: RunOptions = {}): Promise<CommandResult> {
  const said = { out: '', err: '' };
  const to = (where: keyof typeof said) => (text: string) => {
    said[where] += text;
    around.io?.[where]?.(text);
  };
  const io: Io = {
    read: () => Promise.resolve(around.input ?? ''),
    isTerminal: false,
    hasColours: false,
    columns: 100,
    stopped: new AbortController().signal,
    ...around.io,
    out: to('out'),
    err: to('err'),
  };
  const status = await run(argv, { io, config: () => parseConfig(around.settings ?? {}), commands: around.commands ?? commands });
  return { status, ...said };
}
