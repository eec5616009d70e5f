import { Connection } from '@temporalio/client';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareNamespace } from '../../src/engine/namespace';
import { startEngine } from '../../src/engine/start';
import { searchAttributes } from '../../src/temporal/engine';
import { testEngine } from '../support/engine';
import { newLead, startGateway } from '../support/gateway';
import { until } from '../support/until';

it('the engine’s file holds no ciphertext of an erased person once its log has gone round', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-erased-'));
  const settings = { TEMPORAL_PORT: 0, TEMPORAL_UI_PORT: 0, LEADGATE_DATA_DIR: dir, ENGINE_SYNC: 'normal' } as const;
  const engine = await startEngine(settings, { executable: testEngine().executable });
  const connection = await Connection.connect({ address: engine.address });
  await prepareNamespace(connection, { namespace: 'erased', retentionH: 24, searchAttributes });
  await connection.close();
  const gateway = await startGateway({ settings: { TEMPORAL_ADDRESS: engine.address, TEMPORAL_NAMESPACE: 'erased' } });
  /** The names of the files that hold these bytes. */
  const holding = (bytes: Buffer) =>
    readdirSync(dir)
      .filter((name) => name.startsWith('engine.db') && readFileSync(join(dir, name)).includes(bytes))
      .map((name) => name.replace('engine', ''));
  try {
    const person = newLead();
    const { headers } = await gateway.post('/api/clinicsys/no-prescreen', person);
    const workflowId = headers.get('x-workflow-id') ?? '';
    const history = await gateway.client.workflow.getHandle(workflowId).fetchHistory();
    const input = history.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data ?? new Uint8Array();
    const ciphertext = Buffer.from(input).subarray(0, 32);
    expect(ciphertext).toHaveLength(32);
    expect(holding(ciphertext)).not.toEqual([]);
    expect((await gateway.post('/api/erase', { email: person.email, reason: 'asked' })).body.leads).toBe(1);
    // The log beside the file goes round: other runs write over it, here large ones that nobody carries.
    await until(async () => {
      await gateway.client.workflow.start('any', { workflowId: randomUUID(), taskQueue: 'none', args: [randomBytes(400_000)] });
      return holding(ciphertext).length === 0;
    }, 'the ciphertext is written over');
  } finally {
    await gateway.stop();
    await engine.stop();
    rmSync(dir, { recursive: true });
  }
});
