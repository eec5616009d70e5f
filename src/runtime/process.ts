/**
 * Runs the process of an entry: loads the settings, checks the version of the data directory, installs the Temporal SDK's runtime, stops on a
 * signal, and prints a readable error if it cannot start.
 */
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { setFlagsFromString } from 'node:v8';
import { ConfigError, givenNames, isBlank, loadConfig, type Config } from '../config/config';
import { claimDataVersion } from '../config/data-version';
import { findUnreadSettings } from '../config/unread-settings';
import { errorNameOf, framesOf, messageOf } from '../lib/errors';
import { log } from '../lib/log';
import { startTracing, stopTracing } from '../temporal/tracing';

export type Stop = () => Promise<void>;

/** The workers of events and of limited upstreams have activities only, so the SDK's warning about it says nothing. */
const isIntended = (message: string): boolean => message.startsWith('No workflows registered');

/** Logs the SDK's messages with a few ids only, because their other fields may quote failures. */
const sdkLogger = new DefaultLogger('WARN', ({ level, message, meta }) => {
  if (isIntended(message)) return;
  const { workflowId, activityType, workflowType, attempt } = (meta ?? {}) as Record<string, string | number | undefined>;
  log[level === 'ERROR' ? 'error' : 'warn'](`engine: ${message}`, { workflowId, workflowType, activityType, attempt });
});

let hasRuntime = false;

/** Installs the SDK's runtime once. It must not handle signals, because a stop has an order: the API, the worker, the engine. */
export const installRuntime = (): void => {
  if (hasRuntime) return;
  hasRuntime = true;
  Runtime.install({ logger: sdkLogger, shutdownSignals: [], telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } } });
};

const secondSignalMs = 1_000;

/** Ends the process with a log line. Node itself would print the error's message and fields, which may hold a person's data. */
function crash(error: unknown): never {
  log.error('unexpected error', { name: errorNameOf(error), stack: framesOf(error) });
  process.exit(1);
}

/** Adds the name of the setting to an error of the data directory. */
function namedSetting(error: unknown, { LEADGATE_DATA_DIR: dir }: Config): unknown {
  const path = error instanceof Error && 'path' in error ? String(error.path) : '';
  return path.startsWith(dir) ? new ConfigError(`LEADGATE_DATA_DIR: ${dir} cannot be used: ${messageOf(error)}`) : error;
}

function tellOddSettings(config: Config): void {
  for (const { message } of findUnreadSettings(config, givenNames())) log.warn(message);
  if (isBlank('GATEWAY_API_KEYS') && !config.GATEWAY_API_KEYS && !config.OIDC_ISSUER)
    log.info('GATEWAY_API_KEYS is blank: no key is required');
}

export function runProcess(start: (config: Config) => Promise<Stop>): void {
  // V8 collects garbage when the heap has grown by 80 %, instead of several times that.
  setFlagsFromString('--heap-growing-percent=80');
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  let stoppingSince = 0;
  const started = (async () => {
    const config = loadConfig();
    tellOddSettings(config);
    installRuntime();
    await startTracing(config);
    try {
      claimDataVersion(config);
      return await start(config);
    } catch (error) {
      throw namedSetting(error, config);
    }
  })();

  const end = async (signal: string) => {
    // One Ctrl-C arrives twice, from the terminal and from npm: only a later signal stops at once.
    if (stoppingSince && Date.now() - stoppingSince > secondSignalMs) process.exit(1);
    if (stoppingSince) return;
    stoppingSince = Date.now();
    log.info('stopping after the sends in progress; a second signal stops at once', { signal });
    const stop = await started.catch(() => undefined);
    await stop?.();
    await stopTracing();
    log.info('stopped');
    process.exit(0);
  };
  process.on('SIGINT', (signal) => void end(signal));
  process.on('SIGTERM', (signal) => void end(signal));

  started.catch((error: unknown) => {
    if (stoppingSince) return;
    const plain = error instanceof Error && (error instanceof ConfigError || error.name.startsWith('Sandbox'));
    process.stderr.write(
      plain ? `${error.message}\n` : `Could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exit(1);
  });
}
