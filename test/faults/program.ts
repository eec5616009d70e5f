/** A program in a process of its own that can be killed, frozen, ended and started again. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const startMostMs = 60_000;
const stopMostMs = 30_000;
const pollMs = 20;

export interface Part {
  readonly name: string;
  /** Starts it unless it runs, and waits until it is ready. */
  start(): Promise<void>;
  /** kill -9, of everything that belongs to it. */
  kill(): Promise<void>;
  /** kill -9 of the engine's server alone: its parent, or the stage, starts it again. */
  killServer(): void;
  freeze(): void;
  thaw(): void;
  /** SIGTERM, and its end; by force when it does not come. */
  terminate(): Promise<void>;
  /** Undefined when it does not run. */
  pid(): number | undefined;
  /** kill -9 without waiting: for when this process itself ends. */
  abandon(): void;
}

export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly log: WriteStream;
  /** Whom it runs as; unset: who runs this. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Asked again and again with all that it has written so far. */
  isReady(said: string): boolean | Promise<boolean>;
}

export const openLog = (file: string): WriteStream => createWriteStream(file, { flags: 'a' });

export function signal(pids: readonly number[], what: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, what);
    } catch {
      // It has ended meanwhile.
    }
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

export function createProgram({ name, command, args, env, log, user, isReady }: Program): Part {
  let child: ChildProcess | undefined;
  const alive = () => (child && child.exitCode === null && child.signalCode === null ? child : undefined);
  const pids = () => [alive()?.pid ?? []].flat();

  return {
    name,
    pid: () => alive()?.pid,
    abandon: () => signal(pids(), 'SIGKILL'),
    async start() {
      if (alive()) return;
      const started = spawn(command, args, { env, ...user, stdio: ['ignore', 'pipe', 'pipe'] });
      child = started;
      let said = '';
      started.once('error', (error) => (said += error.message));
      for (const stream of [started.stdout, started.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          log.write(chunk);
        });
      }
      const deadline = Date.now() + startMostMs;
      while (!(await isReady(said))) {
        if (!alive() || Date.now() > deadline) throw new Error(`${name} did not start: ${said.trim().split('\n').slice(-5).join('\n')}`);
        await pause(pollMs);
      }
    },
    async kill() {
      const running = alive();
      running?.kill('SIGKILL');
      if (running) await ended(running);
    },
    killServer: () => signal(pids(), 'SIGKILL'),
    freeze: () => signal(pids(), 'SIGSTOP'),
    thaw: () => signal(pids(), 'SIGCONT'),
    async terminate() {
      const running = alive();
      if (!running) return;
      running.kill('SIGTERM');
      const force = setTimeout(() => running.kill('SIGKILL'), stopMostMs);
      await ended(running);
      clearTimeout(force);
    },
  };
}

/** Copies of one part as one: what is done to it is done to each, and it runs when all do. */
export function together(parts: readonly Part[]): Part {
  const each = (work: (part: Part) => void) => () => parts.forEach(work);
  const all = (work: (part: Part) => Promise<void>) => async () => void (await Promise.all(parts.map(work)));
  return {
    name: parts[0]?.name ?? '',
    pid: () => (parts.every((part) => part.pid() !== undefined) ? parts[0]?.pid() : undefined),
    start: all((part) => part.start()),
    kill: all((part) => part.kill()),
    terminate: all((part) => part.terminate()),
    killServer: each((part) => part.killServer()),
    freeze: each((part) => part.freeze()),
    thaw: each((part) => part.thaw()),
    abandon: each((part) => part.abandon()),
  };
}
