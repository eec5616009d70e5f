/** Runs a program in its own process, which can be killed, frozen, terminated and restarted. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const startMostMs = 60_000;
const stopMostMs = 30_000;
const pollMs = 20;

export interface Part {
  readonly name: string;
  /** Starts it if it does not run, and waits until it is ready. */
  start(): Promise<void>;
  /** Sends SIGKILL to all its processes. */
  kill(): Promise<void>;
  /** Sends SIGKILL to the engine's server only. Its parent, or the stage, restarts it. */
  killServer(): void;
  freeze(): void;
  thaw(): void;
  /** Sends SIGTERM and waits for the end; after a time-out, sends SIGKILL. */
  terminate(): Promise<void>;
  /** Undefined if it does not run. */
  pid(): number | undefined;
  /** Sends SIGKILL without waiting, for the exit of this process. */
  abandon(): void;
}

export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly log: WriteStream;
  /** The user to run it as; by default the current user. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Called repeatedly with all output so far. */
  isReady(output: string): boolean | Promise<boolean>;
}

export const openLog = (file: string): WriteStream => createWriteStream(file, { flags: 'a' });

export function signal(pids: readonly number[], what: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, what);
    } catch {
      // It has already ended.
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
      let output = '';
      started.once('error', (error) => (output += error.message));
      for (const stream of [started.stdout, started.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          output += chunk.toString();
          log.write(chunk);
        });
      }
      const deadline = Date.now() + startMostMs;
      while (!(await isReady(output))) {
        if (!alive() || Date.now() > deadline) throw new Error(`${name} did not start: ${output.trim().split('\n').slice(-5).join('\n')}`);
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

/** Combines copies of a part: each action applies to all copies, and it runs if all do. */
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
