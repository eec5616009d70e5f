/** Starts the engines that all test files share, and builds the workflow bundle once. The engines exit with jest, even if it is killed. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findEngine, engineSources } from '../../src/engine/find';
import { searchContext } from '../../src/engine/search-context';
import { startEngine } from '../../src/engine/start';
import { output } from '../../src/lib/log';
import { engineVariables, shared } from './engine';
import { ownNamespace } from './namespace';

const namespace = 'leadgate-test';

async function builtBundle(dir: string): Promise<string> {
  await promisify(execFile)(process.execPath, [join(__dirname, '../../scripts/bootstrap.mjs'), 'bundle', dir]);
  return join(dir, 'workflow-bundle.js');
}

const startedEngine = (executable: string) => {
  const config = { TEMPORAL_PORT: 0, TEMPORAL_UI_PORT: 0, LEADGATE_DATA_DIR: '' };
  return startEngine(config, { isInMemory: true, executable });
};

/**
 * Writes a program that starts the engine with one more setting, so that its index lags up to a third of a second behind its runs. The
 * engine uses the last value of a setting.
 */
function lateProgram(executable: string, dir: string): string {
  const program = join(dir, 'late-temporal');
  const setting = '--dynamic-config-value history.visibilityProcessorMaxPollRPS=3';
  const script = `#!/bin/sh
case "$*" in
  *--help*|*--version*) exec '${executable}' "$@" ;;
  *) exec '${executable}' "$@" ${setting} ;;
esac
`;
  writeFileSync(program, script);
  chmodSync(program, 0o700);
  return program;
}

export default async function globalSetup(): Promise<void> {
  output.write = () => {};
  // The engines run for minutes only, so collect garbage rarely.
  process.env.GOGC ??= '800';
  // Keep the hints of the command line independent of npm.
  delete process.env.npm_lifecycle_event;
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-test-'));
  const executable = await findEngine(
    engineSources(searchContext(process.env.TEMPORAL_CLI_PATH)),
    (line) => void process.stderr.write(`${line}\n`),
  );
  const given = process.env[engineVariables.bundlePath];
  const [engine, late, bundlePath] = await Promise.all([
    startedEngine(executable),
    startedEngine(lateProgram(executable, dir)),
    given ?? builtBundle(dir),
  ]);
  await ownNamespace(namespace, engine.address);
  shared.stop = async () => void (await Promise.all([engine.stop(), late.stop()]));
  shared.dir = dir;
  // Test files run in other processes, which inherit the environment.
  const values = { address: engine.address, lateAddress: late.address, namespace, executable, bundlePath };
  for (const [name, value] of Object.entries(values)) process.env[engineVariables[name as keyof typeof values]] = value;
}
