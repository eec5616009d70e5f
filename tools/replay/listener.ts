/** Keeps what the code asks for during a replay, as the bundle for replays tells it. The engine only reports that the code differs. */
import type { InjectedSinks } from '@temporalio/worker';
import type { LockSinks } from '../../src/domain/locks';
import type { IssuedCommand, ReplaySinks } from '../../src/domain/replay-sinks';
import { isCompared, type Done } from './commands';

export interface Listener {
  readonly sinks: InjectedSinks<ReplaySinks & LockSinks>;
  /** Returns what the run asked for, in order, and forgets it. Undefined if nothing was told, as by a bundle that is not for replays. */
  take(runId: string): readonly Done[] | undefined;
}

type Asked = Done & Pick<IssuedCommand, 'seq'>;

export function createListener(): Listener {
  const asked = new Map<string, readonly Asked[]>();
  const heardOf = (runId: string) => asked.get(runId) ?? [];
  const hear = (list: readonly Asked[], heard: IssuedCommand): readonly Asked[] => {
    const isWithdrawn = ({ kind, seq }: Asked) => heard.kind === 'cancelTimer' && kind === 'startTimer' && seq === heard.seq;
    const before = list.map((each) => (isWithdrawn(each) ? { ...each, withdrawn: true as const } : each));
    return isCompared(heard) ? [...before, heard] : before;
  };
  return {
    sinks: {
      // A replay gives no lock back.
      locks: { giveBack: { fn: () => undefined } },
      replay: {
        started: { callDuringReplay: true, fn: ({ runId }) => void asked.set(runId, heardOf(runId)) },
        issued: { callDuringReplay: true, fn: ({ runId }, commands) => void asked.set(runId, commands.reduce(hear, heardOf(runId))) },
      },
    },
    take(runId) {
      const list = asked.get(runId);
      asked.delete(runId);
      return list;
    },
  };
}
