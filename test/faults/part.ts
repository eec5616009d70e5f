/** Starts one process of the service as an operator does. */
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
  /** Part of the command lines of the engine's processes only. */
  readonly dataDir: string;
  /** The dist directory of another build. */
  readonly dist?: string;
}

export function createPart(name: PartName, { env, log, dataDir, dist = join(projectDir, 'dist') }: PartSettings): Part {
  const { file, ready } = entries[name];
  const args = [join(dist, file)];
  const part = createProgram({ name, command: process.execPath, args, env, log, isReady: (output) => output.includes(`"${ready}"`) });
  return name === 'engine' ? withServer(part, dataDir) : part;
}

/** The engine is a parent and a server process. Faults strike the server. */
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
