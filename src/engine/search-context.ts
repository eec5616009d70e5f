/** Defines what the search for the engine's program depends on: TEMPORAL_CLI_PATH, the environment, the cache, and how to run a command. */
import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf, messageOf } from '../lib/errors';

export type RunCommand = (
  command: string,
  args: readonly string[],
  options?: { timeoutMs?: number; env?: NodeJS.ProcessEnv; cwd?: string; signal?: AbortSignal },
) => Promise<string>;

export interface SearchContext {
  /** The path from TEMPORAL_CLI_PATH. */
  readonly given?: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cacheDir: string;
  readonly run: RunCommand;
}

/** Runs a command and returns its output. An error has the last line of the command's error output. */
export const run: RunCommand = async (command, args, { timeoutMs = 10_000, ...options } = {}) => {
  const running = promisify(execFile)(command, args, { ...options, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: 16_777_216 });
  running.child.stdin?.end();
  try {
    return (await running).stdout;
  } catch (error) {
    throw new Error(reasonOf(error, command, timeoutMs), { cause: error });
  }
};

function reasonOf(error: unknown, command: string, timeoutMs: number): string {
  const code = codeOf(error);
  if (code === 'ENOENT') return `there is no ${command}`;
  if (code === 'EACCES') return `${command} may not be run`;
  if (code === 'ABORT_ERR') return 'it made no progress';
  const { killed, stderr = '' } = error as { killed?: boolean; stderr?: string };
  if (killed) return `it took longer than ${timeoutMs / 1000} s`;
  const lines = stderr.split('\n').filter((line) => line.trim());
  return (lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1) ?? messageOf(error)).trim().slice(0, 300);
}

export const searchContext = (given?: string, env: NodeJS.ProcessEnv = process.env): SearchContext => ({
  given,
  env,
  run,
  cacheDir: join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'leadgate', 'engine'),
});
