/**
 * Runs a program that ends with this process. The program has a session of its own, so Ctrl-C and signals to our process group do not end
 * it before the workers are done. However this process ends, a pipe to it closes, and that ends the program.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { messageOf } from '../lib/errors';

const graceS = 5;

/**
 * A subshell waits for the pipe to close, then ends the program with SIGTERM and, after a while, SIGKILL. The shell exits
 * after both, with the program's status. SIGPIPE is ignored, so that the program can end politely after this process is gone.
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
leash=$!
exec 3<&-
wait "$program"
status=$?
kill "$leash" 2>/dev/null
wait "$leash" 2>/dev/null
exit "$status"
`;

export interface Leashed {
  /** The process id of the shell, which lives as long as the program. */
  readonly pid: number | undefined;
  /** Resolves with the status once the program and everything it started have ended, and their output is written. */
  readonly ended: Promise<string>;
  readonly hasEnded: () => boolean;
  /** Ends the program: politely, and by force after some seconds. */
  letGo(): Promise<string>;
}

/** Starts the program. All that it prints goes to `output`. */
export function onLeash(command: string, args: readonly string[], { output, env }: { output: Writable; env: NodeJS.ProcessEnv }): Leashed {
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
  const letGo = () => {
    child.stdin.destroy();
    return ended;
  };
  return { pid: child.pid, ended, hasEnded: () => hasEnded, letGo };
}

/** Ends what is left if the shell itself was killed. */
function endGroup(pid: number | undefined): void {
  if (!pid) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}
