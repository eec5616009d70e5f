import { execFileSync } from 'node:child_process';

interface Row {
  readonly pid: number;
  readonly args: string;
}

/** The processes that have `text` in their command line: the engine's shell and the engine itself. */
export function processesWith(text: string): Row[] {
  const rows = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' }).trim().split('\n');
  return rows
    .map((row) => /^\s*(\d+)\s+(.*)$/.exec(row))
    .flatMap((match) => (match ? [{ pid: Number(match[1]), args: match[2] ?? '' }] : []))
    .filter(({ pid, args }) => args.includes(text) && !args.startsWith('ps ') && pid !== process.pid);
}

export const enginesWith = (text: string): Row[] => processesWith(text).filter(({ args }) => /^\S+ server start-dev/.test(args));
