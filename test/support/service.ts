/** Runs the service with `npm start`, with its own engine, data directory and ports. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectDir, variableNames } from '../../src/config/settings';
import { freePort } from '../../src/config/ports';
import { engineVariables } from './engine';
import { until } from './until';

export interface Service {
  readonly url: string;
  readonly uiUrl: string;
  readonly sandboxUrl: string;
  readonly dataDir: string;
  readonly pid: number;
  /** The output of its processes on stdout and stderr. */
  output(): string;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Stops it with SIGTERM or another signal, and waits for its exit. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Stops it and removes its files. */
  remove(): Promise<void>;
}

export async function startService(changes: Readonly<Record<string, string>> = {}): Promise<Service> {
  const dataDir = mkdtempSync(join(tmpdir(), 'leadgate-service-'));
  const [api, engine, ui, sandbox] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  // Unset every setting of this machine, so that only the sandbox is used.
  const unset = Object.fromEntries(variableNames.map((name) => [name, '']));
  const env = {
    ...process.env,
    ...unset,
    PORT: String(api),
    TEMPORAL_PORT: String(engine),
    TEMPORAL_UI_PORT: String(ui),
    SANDBOX_PORT: String(sandbox),
    // Outside jest, the service finds its engine as usual.
    TEMPORAL_CLI_PATH: process.env[engineVariables.executable] ?? process.env.TEMPORAL_CLI_PATH ?? '',
    LEADGATE_DATA_DIR: dataDir,
    ...changes,
  };
  const child = spawn(process.execPath, [join(projectDir, 'scripts/bootstrap.mjs'), 'start'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const written: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => written.push(chunk.toString()));
  const url = `http://127.0.0.1:${api}`;
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  };
  const service: Service = {
    url,
    uiUrl: `http://127.0.0.1:${ui}`,
    sandboxUrl: `http://127.0.0.1:${sandbox}`,
    dataDir,
    pid: child.pid ?? 0,
    output: () => written.join(''),
    post: (path, body, headers = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    stop,
    remove: async () => {
      await stop();
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
  try {
    await until(async () => (await fetch(`${url}/health/ready`)).ok, `the service is ready: ${written.join('')}`);
    return service;
  } catch (error) {
    await service.remove();
    throw new Error(`the service did not start: ${written.join('')}`, { cause: error });
  }
}
