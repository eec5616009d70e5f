/** What is measured side by side: the service, the floor, and Temporal as it comes. All ask the same simulator, a process of its own. */
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

/** What the engine keeps of the latest run. */
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
  const simulator = startChild(process.execPath, [here('../dist/sandbox/server.js')], { SANDBOX_PORT: port });
  await ready(`${url}/__state`, simulator);
  return { url, port, pid: simulator.pid, stop: simulator.stop };
}

/** Everything on: encryption, search, outcomes, logs, validation, writes that survive a loss of power. */
export async function startLeadgate(sandbox, settings = {}) {
  const { sandboxUrls, sandboxBoard, sandboxSecrets } = compiled('../dist/sandbox/urls.js');
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

/** With the very engine that the service found, and its defaults. */
export async function startUntuned(sandbox, { pids }) {
  const data = mkdtempSync(join(tmpdir(), 'leadgate-untuned-'));
  const [port, uiPort, apiPort] = await Promise.all([freePort(), freePort(), freePort()]);
  const base = `http://127.0.0.1:${apiPort}`;
  const address = `127.0.0.1:${port}`;
  const engine = startChild(readlinkSync(`/proc/${pids.engine}/exe`), [
    ...['server', 'start-dev', '--log-level', 'never', '--db-filename', join(data, 'engine.db')],
    ...['--port', `${port}`, '--ui-port', `${uiPort}`],
  ]);
  const env = { TEMPORAL_ADDRESS: address, UPSTREAM_URL: sandbox.url, PORT: apiPort };
  await untilUp(address, engine);
  const worker = startChild(process.execPath, [here('untuned/worker.mjs')], env);
  const api = startChild(process.execPath, [here('untuned/api.mjs')], env);
  await ready(`${base}/health/ready`, api);
  return {
    name: 'untuned',
    base,
    pids: { app: api.pid, worker: worker.pid, engine: engine.pid },
    databaseBytes: () => databaseBytes(data),
    lastRun: () => lastRun(address, 'default'),
    async stop() {
      for (const each of [api, worker, engine]) await each.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
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
