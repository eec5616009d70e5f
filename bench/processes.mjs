/** Reads CPU time, memory and disk writes of processes, finds the process of the engine, and waits until a process is ready. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const ticksPerS = Number(execFileSync('getconf', ['CLK_TCK']));
const text = (pid, file) => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
};

/** User and system time so far. */
export function cpuMs(pid) {
  const fields = text(pid, 'stat').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerS) * 1000;
}

const field = (pid, file, name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text(pid, file))?.[1] ?? NaN);
export const rssMib = (pid) => field(pid, 'status', 'VmRSS') / 1024;
/** Write calls, and bytes written to the disk. */
export const written = (pid) => ({ calls: field(pid, 'io', 'syscw'), bytes: field(pid, 'io', 'write_bytes') });

/** The process of the engine on a port, not the shell that watches it. */
export const enginePid = (port) =>
  Number(
    readdirSync('/proc').find(
      (pid) => /^\d+$/.test(pid) && text(pid, 'comm').startsWith('temporal') && text(pid, 'cmdline').includes(`\0${port}\0`),
    ),
  );

// On a signal, exit normally, so that all started processes end.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

export async function ready(url, { hasEnded }) {
  for (const deadline = Date.now() + 60_000; ; await pause(50)) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    if (hasEnded() || Date.now() > deadline) throw new Error(`no answer at ${url}`);
  }
}
