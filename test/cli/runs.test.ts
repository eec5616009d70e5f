import type { Client } from '@temporalio/client';
import { setImmediate as soon } from 'node:timers/promises';
import { storedRuns } from '../../src/cli/runs';

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
