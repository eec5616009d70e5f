import type { Client } from '@temporalio/client';
import { setImmediate as soon } from 'node:timers/promises';
import { storedRuns } from '../../src/cli/runs';
import { openRuns } from '../../src/engine/builds';
import { newLead, startGateway } from '../support/gateway';
import { until } from '../support/until';

/** An engine with runs whose histories it gives out, but for those that it has deleted meanwhile. */
const engineWith = (runs: readonly string[], deleted: readonly string[]): Client => {
  const list = async function* () {
    for (const workflowId of runs) yield { workflowId, runId: '' };
  };
  const fetchHistory = async (workflowId: string) => {
    if (deleted.includes(workflowId)) throw new Error(`${workflowId} is not there`);
    return { events: [] };
  };
  const getHandle = (workflowId: string) => ({ fetchHistory: () => fetchHistory(workflowId) });
  return { workflow: { list, getHandle } } as unknown as Client;
};
const runs = ['a', 'b', 'c', 'd', 'e', 'f'];

it('a history that cannot be fetched fails its reader', async () => {
  const read: string[] = [];
  const all = async () => {
    for await (const { workflowId } of storedRuns(engineWith(runs, ['c', 'd']), '')) read.push(workflowId);
  };
  await expect(all()).rejects.toThrow('c is not there');
  expect(read).toEqual(['a', 'b']);
});

// A rejection that nobody handles fails the test, and would end the command.
it('a history that cannot be fetched is no matter to a reader who has stopped before it', async () => {
  const read: string[] = [];
  for await (const { workflowId } of storedRuns(engineWith(runs, ['c', 'd']), '')) {
    read.push(workflowId);
    break;
  }
  await soon();
  expect(read).toEqual(['a']);
});

it('the lock of a parked lead is none of the open runs', async () => {
  const gateway = await startGateway();
  const ofQueue = `TaskQueue = '${gateway.config.TASK_QUEUE}'`;
  const typesOf = async (query: string) => {
    const types: string[] = [];
    for await (const { type } of gateway.client.workflow.list({ query })) types.push(type);
    return types.toSorted();
  };
  try {
    await gateway.post('/api/clinicsys/no-prescreen', newLead('comment-422'));
    await until(async () => (await typesOf(ofQueue)).join() === 'lock,noPrescreen', 'both are listed');
    expect(await typesOf(openRuns(gateway.config.TASK_QUEUE))).toEqual(['noPrescreen']);
  } finally {
    await gateway.stop();
  }
});
