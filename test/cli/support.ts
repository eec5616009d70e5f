/** The command line in this process: what it printed, and its status. */
import type { Command, Io, Status } from '../../tools/cli/command';
import { commands } from '../../tools/cli/commands';
import { run } from '../../tools/cli/run';
import { parseConfig } from '../../src/config/config';

export interface Said {
  readonly status: Status;
  readonly out: string;
  readonly err: string;
}

export interface Around {
  readonly settings?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly io?: Partial<Io>;
  readonly commands?: readonly Command[];
}

export async function leadgate(argv: readonly string[], around: Around = {}): Promise<Said> {
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
