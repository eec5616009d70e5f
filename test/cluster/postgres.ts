/** Starts a Postgres for one run, in a temporary directory, with synchronous commits, on loopback with a password. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createProgram, openLog, type Part } from '../faults/program';
import { postgresBin, postgresUser } from './programs';

export interface Postgres {
  readonly part: Part;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

const settings = ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on', 'max_connections=120', 'unix_socket_directories='];

export async function createPostgres(dir: string, port: number): Promise<Postgres> {
  const bin = postgresBin();
  const user = postgresUser();
  const home = join(dir, 'postgres');
  const data = join(home, 'data');
  const name = 'temporal';
  const password = randomBytes(18).toString('hex');
  mkdirSync(home, { mode: 0o700 });
  const passwordFile = join(home, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) for (const path of [home, passwordFile]) chownSync(path, user.uid, user.gid);
  const env = { PATH: process.env.PATH, HOME: home, LC_ALL: 'C' };
  const how = ['-D', data, '-U', name, '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8'];
  await promisify(execFile)(join(bin, 'initdb'), how, { env, cwd: home, ...user });
  rmSync(passwordFile);
  const part = createProgram({
    name: 'postgres',
    command: join(bin, 'postgres'),
    args: ['-D', data, '-h', '127.0.0.1', '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    env,
    user,
    log: openLog(join(dir, 'postgres.log')),
    isReady: (output) => output.includes('database system is ready to accept connections'),
  });
  return { part, port, user: name, password };
}
