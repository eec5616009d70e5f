/**
 * Installs and builds the project if needed, and runs one part of it: `node scripts/bootstrap.mjs
 * start|worker|api|sandbox|engine|decoder|cli|test|build|install`, or `run FILE` for any other program. It uses only Node's own modules,
 * because it runs before node_modules exists. If everything is up to date, it takes milliseconds. The part runs in the same process, so that
 * it receives signals and saves memory.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const entries = {
  start: 'dist/src/main.js',
  worker: 'dist/src/worker.js',
  api: 'dist/src/api/server.js',
  sandbox: 'dist/tools/sandbox/main.js',
  engine: 'dist/src/engine/main.js',
  decoder: 'dist/src/temporal-ui/main.js',
  cli: 'dist/tools/cli/main.js',
};

/** The entries that run the embedded engine. */
const hasEngine = ['start', 'engine'];

const projectDir = join(dirname(fileURLToPath(import.meta.url)), '..');
const at = (...path) => join(projectDir, ...path);
const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
const say = (text) => process.stderr.write(`${text}\n`);

class Plain extends Error {}

const installStamp = at('node_modules', '.leadgate-install');
const buildStamp = at('dist', '.stamp');

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new Plain(`Leadgate needs Node 20.19 or newer; this is Node ${process.versions.node}.`);
}

/** True in a container image, which has dist/ and the production packages, so that nothing is installed or built. */
function isImage() {
  return existsSync(buildStamp) && existsSync(at('node_modules', '.package-lock.json')) && !existsSync(at('node_modules', 'typescript'));
}

const lockfileHash = () =>
  createHash('sha256')
    .update(readFileSync(at('package-lock.json')))
    .digest('hex');

function isInstalled() {
  if (read(installStamp) === lockfileHash()) return true;
  if (!installedByHand()) return false;
  writeFileSync(installStamp, lockfileHash());
  return true;
}

/** True after an `npm ci` by hand: npm's record of node_modules matches the lockfile. */
function installedByHand() {
  const record = read(at('node_modules', '.package-lock.json'));
  if (!record) return false;
  const there = JSON.parse(record).packages;
  const wanted = JSON.parse(readFileSync(at('package-lock.json'), 'utf8')).packages;
  const agrees = ([path, { version }]) => wanted[path]?.version === version;
  const isThere = ([path, { optional, devOptional }]) => !path || optional || devOptional || path in there;
  return Object.entries(there).every(agrees) && Object.entries(wanted).every(isThere);
}

async function install() {
  say('Installing the packages of the lockfile, which takes about half a minute …');
  const npm = process.env.npm_execpath;
  const args = ['ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund'];
  // Use the npm that started this, because the `npm` on the PATH may be another one.
  const status = npm?.endsWith('.js') ? await run(process.execPath, [npm, ...args]) : await run('npm', args);
  if (status !== 0)
    throw new Plain('The packages could not be installed: `npm ci` failed, see above. The first start needs network access.');
  writeFileSync(installStamp, lockfileHash());
}

/** The n8n nodes, and what `npm pack` builds of the client: no part of the service. */
const packaged = /[\\/]tools[\\/](?:n8n-nodes-leadgate|client[\\/]dist)[\\/]/;

function sourcesHash() {
  const sources = ['src', 'tools']
    .flatMap((folder) => readdirSync(at(folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => !packaged.test(file))
    .sort();
  const hash = createHash('sha256');
  for (const file of [
    ...sources,
    ...['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'scripts/bootstrap.mjs'].map((name) => at(name)),
  ]) {
    hash
      .update(`${file.slice(projectDir.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

const isBuilt = () => read(buildStamp) === sourcesHash();

/** Builds into a temporary directory that then replaces dist/, so that dist/ is always complete and has no output of deleted sources. */
async function build() {
  say('Building, which takes about 20 s …');
  const hash = sourcesHash();
  for (const name of readdirSync(projectDir).filter((entry) => entry.startsWith('.dist-'))) rmSync(at(name), { recursive: true });
  const next = at(`.dist-${process.pid}`);
  const old = `${next}-old`;
  mkdirSync(next);
  try {
    cpSync(at('tools/console'), join(next, 'tools/console'), { recursive: true });
    const [types, bundle] = await Promise.all([
      run(process.execPath, [at('node_modules/typescript/bin/tsc'), '-p', at('tsconfig.build.json'), '--outDir', next]),
      // In a separate process, so that the service does not keep the memory of the bundler.
      run(process.execPath, [fileURLToPath(import.meta.url), 'bundle', next]),
    ]);
    if (types !== 0 || bundle !== 0) throw new Plain('The build failed, see above.');
    writeFileSync(join(next, '.stamp'), hash);
    if (existsSync(at('dist'))) renameSync(at('dist'), old);
    renameSync(next, at('dist'));
  } finally {
    rmSync(next, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

/** The entry that the SDK generates names its modules as they are given here: relative paths make the same bundle in every directory. */
const workflowsDir = at('src/workflows');
const interceptorPath = './execution-context.ts';
/**
 * The SDK captures a stack trace for every promise of a workflow, which takes a sixth of a lead's time. So the worker's bundle has no
 * traces; a replay shows the location of an error. With WORKFLOW_STACK_TRACES=1 both bundles have them.
 */
const hasTraces = Boolean(process.env.WORKFLOW_STACK_TRACES);

/** The replay bundle also records the commands of the code, which is slower. */
const bundles = {
  'workflow-bundle.js': { interceptorPaths: [interceptorPath], hasTraces },
  'replay-bundle.js': { interceptorPaths: [interceptorPath, './tell-commands.ts'], hasTraces: true },
};

async function bundle(dir) {
  process.chdir(workflowsDir);
  for (const [name, options] of Object.entries(bundles)) writeFileSync(join(dir, name), await bundled(options));
}

async function bundled({ interceptorPaths: workflowInterceptorModules, hasTraces }) {
  const { bundleWorkflowCode, DefaultLogger } = (await import('@temporalio/worker')).default;
  const workflowsPath = './index.ts';
  const failureConverterPath = at('src/temporal/failure-converter.ts');
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules,
    failureConverterPath,
    // Loaded once for all runs.
    preloadModules: [workflowsPath, '../temporal/failure-converter.ts', ...workflowInterceptorModules],
    webpackConfigHook: (config) => compiled(config, hasTraces),
    logger: new DefaultLogger('WARN'),
  });
  return hasTraces ? code : `Error.stackTraceLimit = 0;\n${code}`;
}

/**
 * By default, the SDK compiles workflows for a Node of 2017 and does not concatenate modules; both slow down each run. It requires a source
 * map, but does not use it without traces, so that map is minimal.
 */
function compiled(config, hasTraces) {
  const { options } = config.module.rules.map(({ use }) => use).find((use) => use.options?.jsc);
  options.jsc.target = 'es2022';
  const devtool = hasTraces ? config.devtool : 'inline-nosources-cheap-source-map';
  const output = {
    ...config.output,
    filename: 'workflow-bundle.js',
    devtoolModuleFilenameTemplate: ({ absoluteResourcePath }) => absoluteResourcePath.replaceAll(join(projectDir, '/'), ''),
  };
  return { ...config, devtool, output, optimization: { concatenateModules: true } };
}

/**
 * Finds or fetches the engine while the first build runs, so that the start need not wait for it. Rejects with how to get one; a wrong
 * setting is reported by the start itself.
 */
async function fetchEngine() {
  const child = spawn(process.execPath, [at('test/support/run-ts.js'), at('scripts/fetch-engine.ts')], {
    cwd: projectDir,
    stdio: ['ignore', 2, 'pipe'],
  });
  const [status, reason] = await Promise.all([new Promise((done) => child.once('close', done)), text(child.stderr)]);
  if (status !== 0) throw new Plain(reason.trimEnd());
}

/** Runs a command with its output on stderr. Returns its exit status, or -1 if it cannot start. */
function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: projectDir, stdio: ['ignore', 2, 2] });
    child.once('error', (error) => (say(`${command}: ${error.message}`), resolve(-1)));
    child.once('exit', (status) => resolve(status ?? -1));
  });
}

/** In the project directory, because only users who may write there can install. */
const lockFile = at('.bootstrap.lock');
/** Longer than any installation or build. */
const lockedMostMs = 1_200_000;
const unwrittenMs = 2_000;
const unknownStart = 'unknown';

/** The start time of a process, in the format of the system; undefined if it is unknown. */
function startOf(pid) {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[19];
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** True if the process that created the lock still runs. Compares the start time, because process ids are reused. */
function isHeld(lock) {
  const [pid, start] = lock.split('\n');
  if (start === unknownStart) return true;
  // A lock without content is just being written.
  if (!start) return Date.now() - (statSync(lockFile, { throwIfNoEntry: false })?.mtimeMs ?? 0) < unwrittenMs;
  return startOf(pid) === start;
}

/** Runs work under a lock, so that concurrent commands install or build only once. */
async function inTurn(work) {
  const giveUpAt = Date.now() + lockedMostMs;
  for (let waited = false; ; waited = true) {
    try {
      writeFileSync(lockFile, `${process.pid}\n${startOf(process.pid) ?? unknownStart}`, { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw new Plain(`${projectDir} is not writable (${error.code}), so nothing can be installed or built.`);
      const lock = read(lockFile);
      if (lock !== undefined && !isHeld(lock)) rmSync(lockFile, { force: true });
      else if (Date.now() > giveUpAt)
        throw new Plain(
          `Another command has been installing or building for ${lockedMostMs / 60_000} minutes. Stop it, or delete ${lockFile}.`,
        );
      if (!waited) say('Waiting for another command to install or build …');
      await pause(200);
    }
  }
  try {
    await work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

const ensureInstalled = async () => isInstalled() || (await inTurn(async () => isInstalled() || (await install())));
const ensureBuilt = async () => isBuilt() || (await inTurn(async () => isBuilt() || (await build())));

/**
 * For the short-lived processes of jest: collect garbage rarely, and optimise only very hot code. The last flag exists only in Node 20.
 */
const testFlags = [
  '--min-semi-space-size=32',
  '--max-semi-space-size=64',
  ...(process.version.startsWith('v20.') ? ['--interrupt-budget=300000'] : []),
];

/** Runs jest in this process, with the workflow bundle of the build. Without a build, the tests that need one explain the error. */
async function test(args) {
  await ensureBuilt().catch(() => undefined);
  // Jest passes them to its worker processes.
  process.execArgv.push(...testFlags);
  if (isBuilt()) process.env.LEADGATE_TEST_BUNDLE ??= at('dist/workflow-bundle.js');
  const jest = at('node_modules/jest/bin/jest.js');
  process.argv = [process.execPath, jest, ...args];
  await import(pathToFileURL(jest).href);
}

/** Runs a program of bench, scripts or test. TypeScript is compiled on load. */
async function runFile([file, ...args]) {
  const loader = file.endsWith('.ts') ? [at('test/support/run-ts.js')] : [];
  process.argv = [process.execPath, ...loader, at(file), ...args];
  await import(pathToFileURL(process.argv[1]).href);
}

async function main([what, ...args]) {
  checkNode();
  if (what === 'bundle') return bundle(args[0]);
  if (!isImage()) {
    if (what === 'start' && !isInstalled()) say('The first start installs, builds and fetches the Temporal engine: about a minute.');
    await ensureInstalled();
    if (what === 'install') return;
    if (what === 'test') return test(args);
    const fetched = hasEngine.includes(what) && !existsSync(buildStamp) ? fetchEngine() : undefined;
    fetched?.catch(() => undefined);
    await ensureBuilt();
    await fetched;
  }
  if (what === 'build') return;
  if (what === 'run') return runFile(args);
  const entry = entries[what];
  if (!entry) throw new Plain(`bootstrap.mjs: one of ${[...Object.keys(entries), 'test', 'build', 'install', 'run'].join(', ')}`);
  if (!existsSync(at(entry))) throw new Plain(`${entry} does not exist: the build does not have this part.`);
  process.argv = [process.execPath, at(entry), ...args];
  await import(pathToFileURL(at(entry)).href);
}

main(process.argv.slice(2)).catch((error) => {
  say(error instanceof Plain ? error.message : String(error.stack));
  process.exitCode = 1;
});
