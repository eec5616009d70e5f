/** Reads the CPU time and the disk writes of running processes. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface Cost {
  readonly cpuMs: number;
  readonly bytes: number;
}

const msPerTick = 1_000 / Number(execFileSync('getconf', ['CLK_TCK']));

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** The fields after the process name, which may contain anything: the parent is at 1, user and system time at 11 and 12. */
const statOf = (pid: number): number[] => (read(pid, 'stat').split(') ').at(-1) ?? '').split(' ').map(Number);

/** All descendants of a process. */
export function startedBy(pid: number): number[] {
  const parents = readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .map((one) => [one, statOf(one)[1]] as const);
  const below = (of: number): number[] => parents.flatMap(([one, parent]) => (parent === of ? [one, ...below(one)] : []));
  return below(pid);
}

export function costOf(pids: readonly number[]): Cost {
  let [cpuMs, bytes] = [0, 0];
  for (const pid of pids) {
    const stat = statOf(pid);
    cpuMs += ((stat[11] ?? 0) + (stat[12] ?? 0)) * msPerTick;
    bytes += Number(/^write_bytes: (\d+)/m.exec(read(pid, 'io'))?.[1] ?? 0);
  }
  return { cpuMs, bytes };
}
