/** Starts the engine that all test files share, and builds the workflow bundle once. The engine ends with jest, even if jest is killed. */
import { Connection } from '@temporalio/client';
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findEngine, rungs, surroundings } from '../../src/engine/find';
import { prepareNamespace } from '../../src/engine/namespace';
import { startEngine } from '../../src/engine/start';
import { output } from '../../src/lib/log';
import { searchAttributes } from '../../src/temporal/engine';
import { engineVariables, shared } from './engine';

const namespace = 'leadgate-test';

async function builtBundle(dir: string): Promise<string> {
  const file = join(dir, 'workflow-bundle.js');
  await promisify(execFile)(process.execPath, [join(__dirname, '../../scripts/bootstrap.mjs'), 'bundle', file]);
  return file;
}

async function startedEngine(executable: string) {
  const config = { TEMPORAL_PORT: 0, TEMPORAL_UI_PORT: 0, LEADGATE_DATA_DIR: '', ENGINE_SYNC: 'normal' } as const;
  const engine = await startEngine(config, { isInMemory: true, executable });
  const connection = await Connection.connect({ address: engine.address });
  try {
    await prepareNamespace(connection, { namespace, retentionH: 24, searchAttributes });
  } finally {
    await connection.close();
  }
  return engine;
}

export default async function globalSetup(): Promise<void> {
  output.write = () => {};
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-test-'));
  const executable = await findEngine(rungs(surroundings(process.env.TEMPORAL_CLI_PATH)), (line) => void process.stderr.write(`${line}\n`));
  const given = process.env[engineVariables.bundlePath];
  const [engine, bundlePath] = await Promise.all([startedEngine(executable), given ?? builtBundle(dir)]);
  shared.stop = engine.stop;
  shared.dir = dir;
  // The files run in other processes, which inherit the environment.
  const values = { address: engine.address, namespace, executable, bundlePath };
  for (const [name, value] of Object.entries(values)) process.env[engineVariables[name as keyof typeof values]] = value;
}
