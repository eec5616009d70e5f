/** Runs the embedded engine during the life of this process: checks its ports, starts it, restarts it after a crash, and stops it. */
import { readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError, type Config } from '../config/config';
import { assertRestoreEnded } from '../config/restored';
import { messageOf } from '../lib/errors';
import { log } from '../lib/log';
import { claimDataDir } from './data-dir';
import { engineLog } from './engine-log';
import { findEngine, engineSources } from './find';
import { run, searchContext } from './search-context';
import { startProgram, type ChildProgram } from './child-program';
import { prepareDatabase } from './new-database';
import { assertPortsFree, freePort, type Port } from '../config/ports';
import { waitUntilServing } from './ready';
import { engineArguments, type EngineSettings } from './tuning';
import { randomLoopbackAddress, startUiProxy, type UiProxy } from '../temporal-ui/ui-proxy';

const host = '127.0.0.1';
const startTimeoutMs = 60_000;
const restartPauseMs = { first: 250, most: 10_000, forgottenAfter: 60_000 };

export interface EmbeddedEngine {
  readonly address: string;
  /** Undefined if no UI is served. */
  readonly uiUrl?: string;
  stop(): Promise<void>;
}

export interface EngineOptions {
  readonly codecEndpoint?: string;
  /** For tests: stores nothing, and uses no data directory. */
  readonly isInMemory?: boolean;
  readonly executable?: string;
  /** Further ports that are checked before anything starts. */
  readonly ports?: readonly Port[];
}

type EngineConfig = Pick<Config, 'TEMPORAL_PORT' | 'TEMPORAL_UI_PORT' | 'LEADGATE_DATA_DIR'> &
  Partial<Pick<Config, 'TEMPORAL_CLI_PATH' | 'UPSTREAM_LIMITS'>>;

/** The engine's environment, without keys and credentials. `GOGC` trades memory for CPU time. */
const environment = (): NodeJS.ProcessEnv => {
  const { PATH, HOME, TMPDIR, TZ, LANG, GOGC } = process.env;
  return { PATH, HOME, TMPDIR, TZ, LANG, GOGC };
};

interface Launch {
  readonly executable: string;
  readonly args: readonly string[];
  readonly port: number;
  readonly logFile: string;
  started(pid: number | undefined): void;
}

/** Starts the engine. An error has the last lines of its log. */
async function launch({ executable, args, port, logFile, started }: Launch, stopped?: AbortSignal): Promise<ChildProgram> {
  const output = engineLog(logFile);
  const before = statSync(logFile).size;
  const engine = startProgram(executable, args, { output, env: environment() });
  try {
    started(engine.pid);
  } catch (error) {
    await engine.stop();
    throw error;
  }
  const isHopeless = () => engine.hasEnded() || stopped?.aborted === true;
  if (await waitUntilServing(host, port, isHopeless, startTimeoutMs)) return engine;
  const status = engine.hasEnded() ? `ended with ${await engine.ended}` : `did not answer within ${startTimeoutMs / 1000} s`;
  await engine.stop();
  const logged = readFileSync(logFile);
  const lines = logged
    .subarray(logged.length < before ? 0 : before)
    .toString()
    .trim()
    .split('\n')
    .slice(-8);
  throw new ConfigError([`The Temporal engine ${status}. The last lines of its log (${logFile}):`, ...lines].join('\n  '));
}

async function supervise(first: ChildProgram, again: Launch, stopped: AbortSignal, running: (engine: ChildProgram) => void): Promise<void> {
  let engine: ChildProgram | undefined = first;
  let pauseMs = restartPauseMs.first;
  while (!stopped.aborted) {
    const since = Date.now();
    const status = await engine?.ended;
    if (stopped.aborted) return;
    if (engine && Date.now() - since > restartPauseMs.forgottenAfter) pauseMs = restartPauseMs.first;
    if (engine) log.error('the Temporal engine ended unexpectedly and is restarted', { status, log: again.logFile });
    await pause(pauseMs, undefined, { signal: stopped }).catch(() => undefined);
    if (stopped.aborted) return;
    pauseMs = Math.min(pauseMs * 2, restartPauseMs.most);
    try {
      engine = await launch(again, stopped);
      running(engine);
      log.info('the Temporal engine was restarted');
    } catch (error) {
      engine = undefined;
      if (stopped.aborted) return;
      log.error('the Temporal engine could not be restarted; it is retried', { reason: messageOf(error) });
    }
  }
}

export async function startEngine(config: EngineConfig, options: EngineOptions = {}): Promise<EmbeddedEngine> {
  const { isInMemory = false, codecEndpoint } = options;
  let proxy: UiProxy | undefined;
  const claim = isInMemory ? undefined : await claimDataDir(config.LEADGATE_DATA_DIR);
  try {
    if (claim) assertRestoreEnded(config.LEADGATE_DATA_DIR);
    const enginePorts = [
      { setting: 'TEMPORAL_PORT', port: config.TEMPORAL_PORT },
      { setting: 'TEMPORAL_UI_PORT', port: config.TEMPORAL_UI_PORT },
    ];
    await assertPortsFree([...(options.ports ?? []), ...enginePorts]);

    const ui = await randomLoopbackAddress();
    if (ui) proxy = await startUiProxy(config.TEMPORAL_UI_PORT, ui);
    else log.warn('the Temporal UI is not served: this system has no loopback address except 127.0.0.1, which any web page can guess');

    const executable = options.executable ?? (await findEngine(engineSources(searchContext(config.TEMPORAL_CLI_PATH))));
    const settings: EngineSettings = {
      host,
      port: config.TEMPORAL_PORT || (await freePort()),
      ui,
      hasLimits: config.UPSTREAM_LIMITS !== undefined,
      databaseFile: isInMemory ? undefined : join(config.LEADGATE_DATA_DIR, 'engine.db'),
      codecEndpoint,
    };
    if (settings.databaseFile) await prepareDatabase(settings.databaseFile, executable, environment());
    const args = engineArguments(settings, await run(executable, ['server', 'start-dev', '--help']));
    const logFile = isInMemory ? join(tmpdir(), `leadgate-engine-${process.pid}.log`) : join(config.LEADGATE_DATA_DIR, 'engine.log');
    const how = { executable, args, port: settings.port, logFile, started: (pid: number | undefined) => claim?.setEngine(pid) };

    let engine = await launch(how);
    const stopping = new AbortController();
    const supervised = supervise(engine, how, stopping.signal, (next) => (engine = next));
    const stop = async () => {
      stopping.abort();
      await proxy?.close();
      await engine.stop();
      await supervised;
      await engine.stop();
      claim?.setEngine(undefined);
      claim?.release();
      if (isInMemory) rmSync(logFile, { force: true });
    };
    let stopped: Promise<void> | undefined;
    return { address: `${host}:${settings.port}`, uiUrl: proxy?.url, stop: () => (stopped ??= stop()) };
  } catch (error) {
    await proxy?.close();
    claim?.release();
    throw error;
  }
}
