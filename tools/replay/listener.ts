/** Records the commands that the code issues during a replay, through sinks. The engine reports that they differ, but not where. */
import type { InjectedSinks } from '@temporalio/worker';
import type { LockSinks } from '../../src/domain/locks';
import type { IssuedCommand, ReplaySinks } from '../../src/domain/replay-sinks';
import { isCompared, type Command } from './commands';

export interface Listener {
  readonly sinks: InjectedSinks<ReplaySinks & LockSinks>;
  /** Returns the commands of the run, in order, and forgets them. Undefined if the bundle is not for replays and reports none. */
  takeCommands(runId: string): readonly Command[] | undefined;
}

type NumberedCommand = Command & Pick<IssuedCommand, 'seq'>;

export function createListener(): Listener {
  const issued = new Map<string, readonly NumberedCommand[]>();
  const commandsOf = (runId: string) => issued.get(runId) ?? [];
  const append = (list: readonly NumberedCommand[], command: NumberedCommand): readonly NumberedCommand[] => {
    const isCancelled = ({ kind, seq }: NumberedCommand) => command.kind === 'cancelTimer' && kind === 'startTimer' && seq === command.seq;
    const before = list.map((each) => (isCancelled(each) ? { ...each, cancelled: true as const } : each));
    return isCompared(command) ? [...before, command] : before;
  };
  return {
    sinks: {
      // A replay must not release a lock.
      locks: { giveBack: { fn: () => undefined } },
      replay: {
        started: { callDuringReplay: true, fn: ({ runId }) => void issued.set(runId, commandsOf(runId)) },
        issued: { callDuringReplay: true, fn: ({ runId }, commands) => void issued.set(runId, commands.reduce(append, commandsOf(runId))) },
      },
    },
    takeCommands(runId) {
      const list = issued.get(runId);
      issued.delete(runId);
      return list;
    },
  };
}
