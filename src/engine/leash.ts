/**
 * A program whose life hangs on this process. It has its own session, so that Ctrl-C and a signal to our process group do not end it before
 * the workers are done; and it ends when this process does, however that ends, because a pipe to us then closes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { messageOf } from '../lib/errors';

const graceS = 5;

/** One subshell waits for the pipe to close and ends the program, politely first; the shell itself ends with the program's status. */
const watcher = `
umask 077
exec 3<&0
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
exit "$status"
`;

export interface Leashed {
  /** Of the shell, which is there for as long as the program is. */
  readonly pid: number | undefined;
  /** Fulfilled with the status when the program is really gone, and everything that it started. */
  readonly ended: Promise<string>;
  readonly hasEnded: () => boolean;
  /** Ends it: politely, and after some seconds by force. */
  letGo(): Promise<string>;
}

/** `output` is a file descriptor: the program can go on writing there after this process has gone. */
export function onLeash(command: string, args: readonly string[], { output, env }: { output: number; env: NodeJS.ProcessEnv }): Leashed {
  const child = spawn('/bin/sh', ['-c', watcher, 'leadgate-engine', command, ...args], {
    detached: true,
    stdio: ['pipe', output, output],
    env,
  });
  child.stdin?.on('error', () => undefined);
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
    }
  };
  const ended = end();
  const letGo = () => {
    child.stdin?.destroy();
    return ended;
  };
  return { pid: child.pid, ended, hasEnded: () => hasEnded, letGo };
}

/** Whatever is left when the shell itself was killed. */
function endGroup(pid: number | undefined): void {
  if (!pid) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing was left.
  }
}
