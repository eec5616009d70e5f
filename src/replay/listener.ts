/**
 * Records what the code asks for during a replay. The engine only reports that it differs, not how, so a replayed bundle gets one more
 * interceptor. The bundle that serves leads does not have it.
 */
import type { InjectedSinks } from '@temporalio/worker';
import { readFileSync } from 'node:fs';
import { isObject } from '../domain/formats';
import { isCompared, type Done } from './commands';

const appended = `
;(() => {
  const { importInterceptors } = __TEMPORAL__;
  const names = (command) => Object.keys(command).filter((kind) => kind !== 'userMetadata' && command[kind]).map((kind) => {
    const { activityType, workflowType, seq } = command[kind];
    return { kind, name: activityType || workflowType, seq };
  });
  const concludeActivation = (input, next) => {
    const activator = globalThis.__TEMPORAL_ACTIVATOR__;
    activator.sinkCalls.push({ ifaceName: 'replay', fnName: 'asked', workflowInfo: activator.info, args: [input.commands.flatMap(names)] });
    return next(input);
  };
  __TEMPORAL__ = { ...__TEMPORAL__, importInterceptors: () => [...importInterceptors(), { interceptors: () => ({ internals: [{ concludeActivation }] }) }] };
})();
`;

/** Adds the interceptor before the source map, which the SDK expects at the end. */
export function listeningBundle(bundlePath: string): { readonly code: string } {
  const code = readFileSync(bundlePath, 'utf8');
  const end = code.lastIndexOf('//# sourceMappingURL=');
  return { code: end < 0 ? `${code}${appended}` : `${code.slice(0, end)}${appended}${code.slice(end)}` };
}

export interface Listener {
  readonly sinks: InjectedSinks<{ replay: { asked(commands: readonly unknown[]): void } }>;
  /** Returns what the run asked for, in order, and forgets it. */
  take(runId: string): readonly Done[];
}

/** A timer has a number, by which it is cancelled. */
type Asked = Done & { readonly seq?: number };

export function createListener(): Listener {
  const asked = new Map<string, Asked[]>();
  const hear = (runId: string, said: unknown) => {
    if (!isObject(said)) return;
    const list = asked.get(runId) ?? [];
    const seq = typeof said.seq === 'number' ? said.seq : undefined;
    const name = typeof said.name === 'string' ? { name: said.name } : {};
    const heard: Asked = { kind: String(said.kind), seq, ...name };
    const isWithdrawn = (each: Asked) => heard.kind === 'cancelTimer' && each.kind === 'startTimer' && each.seq === seq;
    const before = list.map((each) => (isWithdrawn(each) ? { ...each, withdrawn: true as const } : each));
    asked.set(runId, isCompared(heard) ? [...before, heard] : before);
  };
  return {
    sinks: {
      replay: { asked: { callDuringReplay: true, fn: ({ runId }, commands) => commands.forEach((said) => hear(runId, said)) } },
    },
    take(runId) {
      const list = asked.get(runId) ?? [];
      asked.delete(runId);
      return list;
    },
  };
}
