/**
 * Starts the compared systems: the service, the plain steps, untuned Temporal, and the minimal service on Temporal. All use the same
 * simulators, in a separate process.
 */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdtempSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Connection } from '@temporalio/client';
import { build, freePort, startChild, startService } from '../scripts/service.mjs';
import { enginePid, ready } from './processes.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const compiled = createRequire(import.meta.url);

const databaseBytes = (directory) =>
  readdirSync(directory)
    .filter((name) => name.includes('.db'))
    .reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);

/** Reads the newest run as the engine stores it. */
async function lastRun(address, namespace) {
  const connection = await Connection.connect({ address });
  const { executions } = await connection.workflowService.listWorkflowExecutions({
    namespace,
    pageSize: 1,
    query: "ExecutionStatus = 'Completed'",
  });
  await connection.close();
  const [run] = executions;
  return { events: Number(run?.historyLength), historyBytes: Number(run?.historySizeBytes) };
}

export async function startSandbox() {
  await build();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const simulator = startChild(process.execPath, [here('../dist/tools/sandbox/main.js')], { SANDBOX_PORT: port });
  await ready(`${url}/__state`, simulator);
  return { url, port, pid: simulator.pid, stop: simulator.stop };
}

/** Starts the service with all features: encryption, search, outcomes, logs, validation, and synchronous writes. */
export async function startLeadgate(sandbox, settings = {}) {
  const { sandboxUrls, sandboxBoard, sandboxSecrets } = compiled('../dist/src/config/sandbox-urls.js');
  const upstreams = { ...sandboxUrls(sandbox.port), ...sandboxBoard, ...sandboxSecrets(() => true) };
  const service = await startService({
    ...upstreams,
    LEADFORMS_SITES_FILE: here('../config/sites.json'),
    SANDBOX: 'off',
    ...settings,
  });
  const engine = enginePid(service.engineAddress.split(':')[1]);
  return {
    name: 'leadgate',
    base: service.url,
    pids: { app: service.pid, engine },
    databaseBytes: () => databaseBytes(service.data),
    lastRun: () => lastRun(service.engineAddress, 'leadgate'),
    stop: service.stop,
  };
}

export async function startPlain(sandbox) {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const app = startChild(process.execPath, [here('plain.mjs')], { PORT: port, UPSTREAM_URL: sandbox.url });
  await ready(`${base}/health/ready`, app);
  return { name: 'plain', base, pids: { app: app.pid }, stop: app.stop };
}

/** Starts the engine program of the service, with its own data. `prepare` may create a database first. */
async function startEngine({ pids }, argumentsFor, prepare = async () => {}) {
  const data = mkdtempSync(join(tmpdir(), 'leadgate-bench-'));
  const [port, uiPort] = await Promise.all([freePort(), freePort()]);
  const address = `127.0.0.1:${port}`;
  const executable = readlinkSync(`/proc/${pids.engine}/exe`);
  const databaseFile = join(data, 'engine.db');
  await prepare(databaseFile, executable);
  const engine = startChild(executable, argumentsFor({ executable, port, uiPort, databaseFile }));
  await untilUp(address, engine);
  const stop = async () => {
    await engine.stop();
    rmSync(data, { recursive: true, force: true });
  };
  return { address, pid: engine.pid, databaseBytes: () => databaseBytes(data), stop };
}

/** Starts a service on such an engine; `app` is the part that receives the requests. */
async function startOn({ stop, ...engine }, sandbox, name, scripts, settings = {}) {
  const env = { TEMPORAL_ADDRESS: engine.address, UPSTREAM_URL: sandbox.url, PORT: await freePort(), ...settings };
  const base = `http://127.0.0.1:${env.PORT}`;
  const parts = Object.entries(scripts).map(([part, script]) => [part, startChild(process.execPath, [here(script)], env)]);
  await ready(`${base}/health/ready`, Object.fromEntries(parts).app);
  return {
    name,
    base,
    pids: { ...Object.fromEntries(parts.map(([part, { pid }]) => [part, pid])), engine: engine.pid },
    databaseBytes: engine.databaseBytes,
    lastRun: () => lastRun(engine.address, 'default'),
    async stop() {
      for (const [, part] of parts) await part.stop();
      await stop();
    },
  };
}

/** Starts untuned Temporal, with its defaults. */
export async function startUntuned(sandbox, leadgate) {
  const engine = await startEngine(leadgate, ({ port, uiPort, databaseFile }) => [
    ...['server', 'start-dev', '--log-level', 'never', '--db-filename', databaseFile],
    ...['--port', `${port}`, '--ui-port', `${uiPort}`],
  ]);
  return startOn(engine, sandbox, 'untuned', { app: 'untuned/api.mjs', worker: 'untuned/worker.mjs' });
}

/** Starts the minimum on an engine that is tuned as for the service: `guarded` and `bare` run the five steps, `empty` none. */
export async function startLeast(sandbox, leadgate, workflow) {
  const { engineArguments } = compiled('../dist/src/engine/tuning.js');
  const argumentsFor = ({ executable, ...places }) => {
    const help = execFileSync(executable, ['server', 'start-dev', '--help'], { encoding: 'utf8' });
    // Without logs, because it warns of every broken connection at its end.
    return [...engineArguments({ host: '127.0.0.1', sync: 'full', hasLimits: false, ...places }, help), '--log-level', 'never'];
  };
  const { giveDatabase } = compiled('../dist/src/engine/new-database.js');
  const engine = await startEngine(leadgate, argumentsFor, (file, executable) => giveDatabase(file, executable, process.env));
  return startOn(engine, sandbox, workflow, { app: 'bare/service.mjs' }, { WORKFLOW: workflow });
}

async function untilUp(address, { hasEnded }) {
  for (const deadline = Date.now() + 60_000; ;) {
    try {
      return await (await Connection.connect({ address })).close();
    } catch (error) {
      if (hasEnded() || Date.now() > deadline) throw error;
    }
  }
}
