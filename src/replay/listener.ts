/**
 * What the code asks for while it is replayed. The engine's own words say that it differs, not what it asks for instead; so a
 * replayed bundle gets one interceptor more, which tells. It is no part of the bundle that serves.
 */
import { readFileSync } from 'node:fs';
import type { InjectedSinks } from '@temporalio/worker';
import { isObject } from '../domain/formats';
import { isCompared, type Done } from './commands';

const appended = `
;(() => {
  const { importInterceptors } = __TEMPORAL__;
  const names = (command) => Object.keys(command).filter((kind) => kind !== 'userMetadata' && command[kind]).map((kind) => {
    const { activityType, workflowType } = command[kind];
    return { kind, name: activityType || workflowType };
  });
  const concludeActivation = (input, next) => {
    const activator = globalThis.__TEMPORAL_ACTIVATOR__;
    activator.sinkCalls.push({ ifaceName: 'replay', fnName: 'asked', workflowInfo: activator.info, args: [input.commands.flatMap(names)] });
    return next(input);
  };
  __TEMPORAL__ = { ...__TEMPORAL__, importInterceptors: () => [...importInterceptors(), { interceptors: () => ({ internals: [{ concludeActivation }] }) }] };
})();
`;

/** Before the source map, which the SDK takes to be the end. */
export function listeningBundle(bundlePath: string): { readonly code: string } {
  const code = readFileSync(bundlePath, 'utf8');
  const end = code.lastIndexOf('//# sourceMappingURL=');
  return { code: end < 0 ? `${code}${appended}` : `${code.slice(0, end)}${appended}${code.slice(end)}` };
}

export interface Listener {
  readonly sinks: InjectedSinks<{ replay: { asked(commands: readonly unknown[]): void } }>;
  /** What the run asked for, in its order; forgotten with the answer. */
  take(runId: string): readonly Done[];
}

export function createListener(): Listener {
  const asked = new Map<string, Done[]>();
  const done = (said: unknown): Done[] => {
    if (!isObject(said)) return [];
    const read = { kind: String(said.kind), ...(typeof said.name === 'string' && { name: said.name }) };
    return isCompared(read) ? [read] : [];
  };
  return {
    sinks: {
      replay: {
        asked: {
          callDuringReplay: true,
          fn: ({ runId }, commands) => void asked.set(runId, [...(asked.get(runId) ?? []), ...commands.flatMap(done)]),
        },
      },
    },
    take(runId) {
      const list = asked.get(runId) ?? [];
      asked.delete(runId);
      return list;
    },
  };
}
