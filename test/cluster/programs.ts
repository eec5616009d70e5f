/** Finds the programs of a cluster: Temporal's server and schema tool, built once from the Go module into the cache, and Postgres. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { searchContext } from '../../src/engine/search-context';

const version = 'v1.32.0';
const goModule = 'go.temporal.io/server';
const packages = ['cmd/server', 'cmd/tools/sql'];
const minuteMs = 60_000;

export interface ServerPrograms {
  readonly server: string;
  readonly sql: string;
}

/** Builds in a temporary directory and moves the result into place atomically. Runs with low priority. */
export async function temporalPrograms(say: (line: string) => void): Promise<ServerPrograms> {
  const dir = join(dirname(searchContext().cacheDir), 'server', version);
  const programs = { server: join(dir, 'server'), sql: join(dir, 'sql') };
  if (existsSync(programs.server) && existsSync(programs.sql)) return programs;
  say(`building Temporal ${version} with Go, once; about four minutes on two cores …`);
  mkdirSync(dirname(dir), { recursive: true, mode: 0o700 });
  const made = mkdtempSync(join(dirname(dir), '.new-'));
  try {
    const env = { GOFLAGS: '-p=2', ...process.env, GOBIN: made };
    const args = ['-n', '10', 'go', 'install', ...packages.map((name) => `${goModule}/${name}@${version}`)];
    await promisify(execFile)('nice', args, { env, cwd: made, timeout: 60 * minuteMs, maxBuffer: 16_777_216 });
    rmSync(dir, { recursive: true, force: true });
    renameSync(made, dir);
    return programs;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** Looks in Debian's directories, the newest version first, then on the PATH. */
export function postgresBin(): string {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((one, other) => Number(other) - Number(one)) : [];
  const dirs = [...versions.map((name) => join(debian, name, 'bin')), ...(process.env.PATH ?? '').split(delimiter)];
  const found = dirs.find((dir) => existsSync(join(dir, 'postgres')) && existsSync(join(dir, 'initdb')));
  if (!found) throw new Error('Postgres is not installed: apt install postgresql');
  return found;
}

/** Postgres refuses to run as root; then it runs as the user of its package. */
export function postgresUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (which: string) => Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
