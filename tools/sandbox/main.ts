/** Entry of `npm run sandbox`. */
import { ConfigError, loadConfig } from '../../src/config/config';
import { log } from '../../src/lib/log';
import { SandboxCannotListen, startSandbox } from './start';

async function main(): Promise<void> {
  const sandbox = await startSandbox(loadConfig());

  // Ctrl-C sends two signals, one from the terminal and one from npm.
  let stopping: Promise<void> | undefined;
  const stop = async (signal: string) => {
    log.info('sandbox stopping', { signal });
    await sandbox.close();
    log.info('sandbox stopped');
  };
  const end = (signal: string) => void (stopping ??= stop(signal));
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  // Log this last, because a reader of the line may stop the sandbox at once.
  log.info('sandbox listening', { url: sandbox.url });
}

main().catch((error: unknown) => {
  const isPlain = error instanceof ConfigError || error instanceof SandboxCannotListen;
  process.stderr.write(`${isPlain ? error.message : String(error instanceof Error ? error.stack : error)}\n`);
  process.exitCode = 1;
});
