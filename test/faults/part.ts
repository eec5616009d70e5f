/** Starts one part of the service as an operator does, in a process of its own. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { projectDir } from '../../src/config/config';
import { enginesWith, processesWith } from '../engine/processes';
import { createProgram, signal, type Part, type Program } from './program';

export const partNames = ['sandbox', 'engine', 'worker', 'api'] as const;
export type PartName = (typeof partNames)[number];

const entries: Readonly<Record<PartName, { readonly file: string; readonly ready: string }>> = {
  sandbox: { file: 'tools/sandbox/main.js', ready: 'sandbox listening' },
  engine: { file: 'src/engine/main.js', ready: 'engine ready' },
  worker: { file: 'src/worker.js', ready: 'worker ready' },
  api: { file: 'src/api/server.js', ready: 'api ready' },
};

export interface PartSettings extends Pick<Program, 'env' | 'log'> {
  /** In the command lines of the engine's processes, and of nobody else's. */
  readonly dataDir: string;
  /** Of another build than this clone's. */
  readonly dist?: string;
}

export function createPart(name: PartName, { env, log, dataDir, dist = join(projectDir, 'dist') }: PartSettings): Part {
  const { file, ready } = entries[name];
  const args = [join(dist, file)];
  const part = createProgram({ name, command: process.execPath, args, env, log, isReady: (said) => said.includes(`"${ready}"`) });
  return name === 'engine' ? withServer(part, dataDir) : part;
}

/** The engine's parent and its server are two: faults strike the server. */
function withServer(parent: Part, dataDir: string): Part {
  const server = () => enginesWith(dataDir).map(({ pid }) => pid);
  return {
    ...parent,
    killServer: () => signal(server(), 'SIGKILL'),
    freeze: () => signal(server(), 'SIGSTOP'),
    thaw: () => signal(server(), 'SIGCONT'),
    abandon() {
      signal(server(), 'SIGKILL');
      parent.abandon();
    },
    async kill() {
      await parent.kill();
      for (let left = processesWith(dataDir); left.length > 0; left = processesWith(dataDir)) {
        const pids = left.map(({ pid }) => pid);
        signal(pids, 'SIGKILL');
        await pause(20);
      }
    },
  };
}
