/** Starts the engines that all test files share, and builds the workflow bundle once. The engines exit with jest, even if it is killed. */
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findEngine, engineSources } from '../../src/engine/find';
import { searchContext } from '../../src/engine/search-context';
import { startEngine } from '../../src/engine/start';
import { output } from '../../src/lib/log';
import { engineVariables, shared } from './engine';
import { engineProgram, lateIndex, soonStuck } from './engine-program';
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
    startedEngine(engineProgram(executable, join(dir, 'temporal'), soonStuck)),
    startedEngine(engineProgram(executable, join(dir, 'late-temporal'), lateIndex)),
    given ?? builtBundle(dir),
  ]);
  await ownNamespace(namespace, engine.address);
  shared.stop = async () => void (await Promise.all([engine.stop(), late.stop()]));
  shared.dir = dir;
  // Test files run in other processes, which inherit the environment.
  const values = { address: engine.address, lateAddress: late.address, namespace, executable, bundlePath };
  for (const [name, value] of Object.entries(values)) process.env[engineVariables[name as keyof typeof values]] = value;
}
