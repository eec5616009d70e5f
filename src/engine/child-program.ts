/**
 * Runs a child program that ends with this process. The program has its own session, so that Ctrl-C does not end it before the workers have
 * stopped. When this process ends in any way, a pipe closes, and that ends the program.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { messageOf } from '../lib/errors';

const graceS = 5;

/**
 * A subshell waits until the pipe closes, then ends the program with SIGTERM and, after a grace period, SIGKILL. The shell exits after both,
 * with the program's status. SIGPIPE is ignored, so that the program can shut down after this process has ended.
 */
const watcher = `
umask 077
trap '' PIPE
exec 2>&1 3<&0
"$@" 3<&- </dev/null &
program=$!
(
  while read -r _; do :; done <&3
  kill -TERM "$program"
  waited=0
  while [ "$waited" -lt ${graceS} ] && kill -0 "$program"; do sleep 1; waited=$((waited + 1)); done
  kill -KILL "$program"
) >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait "$program"
status=$?
kill "$watcher" 2>/dev/null
wait "$watcher" 2>/dev/null
exit "$status"
`;

export interface ChildProgram {
  /** The process id of the shell, which runs as long as the program. */
  readonly pid: number | undefined;
  /** Resolves with the status once the program and everything it started have ended, and their output is written. */
  readonly ended: Promise<string>;
  readonly hasEnded: () => boolean;
  /** Ends the program with SIGTERM, and with SIGKILL after a grace period. */
  stop(): Promise<string>;
}

/** Starts the program, and writes its output to `output`. */
export function startProgram(
  command: string,
  args: readonly string[],
  { output, env }: { output: Writable; env: NodeJS.ProcessEnv },
): ChildProgram {
  const child = spawn('/bin/sh', ['-c', watcher, 'leadgate-engine', command, ...args], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env,
  });
  child.stdin.on('error', () => undefined);
  child.stdout.pipe(output, { end: false });
  const printed = once(child.stdout, 'close').catch(() => undefined);
  let hasEnded = false;
  const end = async (): Promise<string> => {
    try {
      const [status, signal] = (await once(child, 'exit')) as [number | null, string | null];
      return String(signal ?? status);
    } catch (error) {
      return messageOf(error);
    } finally {
      hasEnded = true;
      endGroup(child.pid);
      await printed;
      await new Promise<void>((done) => void output.end(done));
    }
  };
  const ended = end();
  const stop = () => {
    child.stdin.destroy();
    return ended;
  };
  return { pid: child.pid, ended, hasEnded: () => hasEnded, stop };
}

/** Kills the remaining processes if the shell itself was killed. */
function endGroup(pid: number | undefined): void {
  if (!pid) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}
