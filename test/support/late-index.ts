/**
 * An engine whose index lags up to a third of a second behind its runs, as a busy one's does, so that a test surely meets answers from an
 * index that is behind.
 */
import { Connection } from '@temporalio/client';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareNamespace } from '../../src/engine/namespace';
import { startEngine } from '../../src/engine/start';
import { searchAttributes } from '../../src/temporal/engine';
import { testEngine } from './engine';

const namespace = 'late-index';

/** The engine of the tests with one setting more; of two values for one setting the engine takes the last. */
function lateProgram(dir: string): string {
  const program = join(dir, 'temporal');
  const setting = '--dynamic-config-value history.visibilityProcessorMaxPollRPS=3';
  const script = `#!/bin/sh
case "$*" in
  *--help*|*--version*) exec '${testEngine().executable}' "$@" ;;
  *) exec '${testEngine().executable}' "$@" ${setting} ;;
esac
`;
  writeFileSync(program, script);
  chmodSync(program, 0o700);
  return program;
}

export interface LateEngine {
  readonly settings: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function startLateEngine(): Promise<LateEngine> {
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-late-'));
  const config = { TEMPORAL_PORT: 0, TEMPORAL_UI_PORT: 0, LEADGATE_DATA_DIR: '', ENGINE_SYNC: 'normal' } as const;
  const engine = await startEngine(config, { isInMemory: true, executable: lateProgram(dir) });
  const stop = async () => {
    await engine.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    const connection = await Connection.connect({ address: engine.address });
    await prepareNamespace(connection, { namespace, retentionH: 24, searchAttributes });
    await connection.close();
    return { settings: { TEMPORAL_ADDRESS: engine.address, TEMPORAL_NAMESPACE: namespace }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
