/**
 * Suspends the engine during a function. SIGSTOP stops its processes; a helper process continues them afterwards, also if this process is
 * killed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../lib/errors';

const stopTimeoutMs = 5_000;
/** Without /proc the state of the threads is unknown. */
const unknownStatePauseMs = 200;

/** `group` is the process group of the engine. */
export async function whileSuspended<T>(group: number, work: () => Promise<T>): Promise<T> {
  const script = 'read -r _; kill -s CONT -- "-$1"';
  const helper = spawn('/bin/sh', ['-c', script, 'leadgate-backup', `${group}`], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  helper.stdin.on('error', () => undefined);
  await once(helper, 'spawn');
  try {
    process.kill(-group, 'SIGSTOP');
    await waitUntilStopped(group);
    return await work();
  } finally {
    helper.stdin.end();
    resume(group);
  }
}

function resume(group: number): void {
  try {
    process.kill(-group, 'SIGCONT');
  } catch (error) {
    // The engine has ended.
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

/** Waits until every thread has stopped; a thread in a write stops only after it. */
async function waitUntilStopped(group: number): Promise<void> {
  const deadline = Date.now() + stopTimeoutMs;
  for (;;) {
    const states = threadStates(group);
    if (!states) return pause(unknownStatePauseMs);
    if (states.every((state) => 'TtZX'.includes(state))) return;
    if (Date.now() > deadline) throw new Error('The engine could not be suspended');
    await pause(2);
  }
}

/** Returns the state of each thread of the group; undefined without /proc. */
function threadStates(group: number): string[] | undefined {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && statOf(name)?.group === group);
    return pids.flatMap((pid) => readdirSync(`/proc/${pid}/task`).flatMap((thread) => statOf(`${pid}/task/${thread}`)?.state ?? []));
  } catch {
    return undefined;
  }
}

function statOf(path: string): { readonly state: string; readonly group: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${path}/stat`, 'utf8');
    const [state = '', , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, group: Number(group) };
  } catch {
    return undefined;
  }
}
