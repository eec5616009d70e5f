/**
 * Starts the service for a benchmark or a long test: builds it, starts it on free loopback ports with its own data directory, and waits
 * until it is ready.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));
const bootstrap = join(project, 'scripts', 'bootstrap.mjs');
const startWithinMs = 300_000;

/** Imports a built module; requires a build. */
export const built = (module) => import(pathToFileURL(join(project, 'dist', module)).href);

export const freePort = async () => (await built('src/config/ports.js')).freePort();

/** Resolves when the child has exited. */
const ended = (child) =>
  new Promise((done, refuse) => {
    child.once('error', refuse);
    child.once('exit', (status, signal) => done(status ?? signal));
  });

/** Unsets every setting of this machine, so that no request reaches a real upstream. */
export async function environment(data, settings) {
  const { variableNames } = await built('src/config/settings.js');
  const unset = Object.fromEntries(variableNames.filter((name) => name !== 'TEMPORAL_CLI_PATH').map((name) => [name, '']));
  const [PORT, TEMPORAL_PORT, TEMPORAL_UI_PORT, SANDBOX_PORT] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  return { ...process.env, ...unset, PORT, TEMPORAL_PORT, TEMPORAL_UI_PORT, SANDBOX_PORT, LEADGATE_DATA_DIR: data, ...settings };
}

const children = new Set();
process.once('exit', () => children.forEach((child) => child.kill('SIGTERM')));

/** Starts a process that is terminated when this one exits. */
export function startChild(command, args, env = {}) {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
  const gone = ended(child);
  children.add(child);
  const stop = async () => {
    child.kill('SIGTERM');
    await gone;
    children.delete(child);
  };
  return { pid: child.pid, stop, hasEnded: () => child.exitCode !== null || child.signalCode !== null };
}

export async function build() {
  const status = await ended(spawn(process.execPath, [bootstrap, 'build'], { stdio: ['ignore', 2, 2] }));
  if (status !== 0) throw new Error('the build failed');
}

export const isReady = (url) =>
  fetch(`${url}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );

export async function startService(settings = {}) {
  await build();
  const data = mkdtempSync(join(tmpdir(), 'leadgate-service-'));
  const env = await environment(data, settings);
  const child = startChild(process.execPath, [bootstrap, 'start'], env);
  const stop = async () => {
    await child.stop();
    rmSync(data, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${env.PORT}`;
  for (const deadline = Date.now() + startWithinMs; ; await pause(50)) {
    if (await isReady(url)) {
      const at = (port) => `127.0.0.1:${port}`;
      return { url, sandboxUrl: `http://${at(env.SANDBOX_PORT)}`, engineAddress: at(env.TEMPORAL_PORT), data, pid: child.pid, stop };
    }
    if (!child.hasEnded() && Date.now() < deadline) continue;
    await stop();
    throw new Error('the service did not start');
  }
}
