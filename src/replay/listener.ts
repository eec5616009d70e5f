/** Hears from the runs of a replay what their code asks for (workflows/asked.ts). */
import type { InjectedSinks } from '@temporalio/worker';
import type { Asked, ReplaySinks } from '../domain/replay-sinks';
import { isCompared, type Done } from './commands';

export interface Listener {
  readonly sinks: InjectedSinks<ReplaySinks>;
  /** Returns what the run asked for, in order, and forgets it. */
  take(runId: string): readonly Done[];
}

type Heard = Asked & Done;

export function createListener(): Listener {
  const asked = new Map<string, readonly Heard[]>();
  const hear = (runId: string, heard: Asked) => {
    const isWithdrawn = (each: Asked) => heard.kind === 'cancelTimer' && each.kind === 'startTimer' && each.seq === heard.seq;
    const before = (asked.get(runId) ?? []).map((each) => (isWithdrawn(each) ? { ...each, withdrawn: true as const } : each));
    asked.set(runId, isCompared(heard) ? [...before, heard] : before);
  };
  return {
    sinks: {
      replay: { asked: { callDuringReplay: true, fn: ({ runId }, commands) => commands.forEach((heard) => hear(runId, heard)) } },
    },
    take(runId) {
      const list = asked.get(runId) ?? [];
      asked.delete(runId);
      return list;
    },
  };
}
