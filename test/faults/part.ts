/** One part of the service as an operator runs it: a process of its own, that can be killed, frozen, ended and started again. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { enginesWith, processesWith } from '../engine/processes';

const dist = join(__dirname, '../../dist');

export const partNames = ['sandbox', 'engine', 'worker', 'api'] as const;
export type PartName = (typeof partNames)[number];

const entries: Readonly<Record<PartName, { readonly file: string; readonly ready: string }>> = {
  sandbox: { file: 'sandbox/server.js', ready: 'sandbox listening' },
  engine: { file: 'engine/main.js', ready: 'engine ready' },
  worker: { file: 'worker.js', ready: 'worker ready' },
  api: { file: 'api/server.js', ready: 'api ready' },
};

const startMostMs = 60_000;
const stopMostMs = 30_000;

export interface Part {
  readonly name: PartName;
  /** Starts it unless it runs, and waits until it says that it is ready. */
  start(): Promise<void>;
  /** kill -9, of everything that belongs to it. */
  kill(): Promise<void>;
  /** kill -9 of the engine's server alone: its parent starts it again. */
  killServer(): void;
  freeze(): void;
  thaw(): void;
  /** SIGTERM, and its end; by force when it does not come. */
  terminate(): Promise<void>;
  pid(): number | undefined;
  /** kill -9 without waiting: for when this process itself ends. */
  abandon(): void;
}

export interface PartSettings {
  readonly env: NodeJS.ProcessEnv;
  /** In the command lines of the engine's processes, and of nobody else's. */
  readonly dataDir: string;
  readonly log: WriteStream;
}

export const openLog = (file: string): WriteStream => createWriteStream(file, { flags: 'a' });

export function createPart(name: PartName, { env, dataDir, log }: PartSettings): Part {
  const { file, ready } = entries[name];
  let child: ChildProcess | undefined;
  const alive = () => (child && child.exitCode === null && child.signalCode === null ? child : undefined);
  const server = () => enginesWith(dataDir).map(({ pid }) => pid);
  const acting = () => (name === 'engine' ? server() : [alive()?.pid ?? []].flat());
  const signal = (pids: readonly number[], what: NodeJS.Signals) => {
    for (const pid of pids) {
      try {
        process.kill(pid, what);
      } catch {
        // It has ended meanwhile.
      }
    }
  };

  async function ended(process: ChildProcess): Promise<void> {
    if (process.exitCode === null && process.signalCode === null) await once(process, 'exit');
  }

  return {
    name,
    pid: () => alive()?.pid,
    abandon: () => signal([...acting(), ...[alive()?.pid ?? []].flat()], 'SIGKILL'),
    async start() {
      if (alive()) return;
      const started = spawn(process.execPath, [join(dist, file)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
      child = started;
      let said = '';
      for (const stream of [started.stdout, started.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          log.write(chunk);
        });
      }
      const deadline = Date.now() + startMostMs;
      while (!said.includes(`"${ready}"`)) {
        if (!alive() || Date.now() > deadline) throw new Error(`${name} did not start: ${said.trim().split('\n').slice(-5).join('\n')}`);
        await pause(20);
      }
    },
    async kill() {
      const process = alive();
      process?.kill('SIGKILL');
      if (process) await ended(process);
      if (name !== 'engine') return;
      while (processesWith(dataDir).length > 0) {
        signal(
          processesWith(dataDir).map(({ pid }) => pid),
          'SIGKILL',
        );
        await pause(20);
      }
    },
    killServer: () => signal(server(), 'SIGKILL'),
    freeze: () => signal(acting(), 'SIGSTOP'),
    thaw: () => signal(acting(), 'SIGCONT'),
    async terminate() {
      const process = alive();
      if (!process) return;
      process.kill('SIGTERM');
      const force = setTimeout(() => process.kill('SIGKILL'), stopMostMs);
      await ended(process);
      clearTimeout(force);
    },
  };
}
