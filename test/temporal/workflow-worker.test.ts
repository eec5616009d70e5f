/** Workflows run in the process's own isolate: one that misbehaves fails its own task, and the others go on. */
import { Client, Connection } from '@temporalio/client';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { testEngine } from '../support/engine';
import { until } from '../support/until';

const taskQueue = `faulty-${randomUUID()}`;
const { address, namespace } = testEngine();
let client: Client;
let connection: Connection;
let worker: ChildProcess;
let said = '';

beforeAll(async () => {
  connection = await Connection.connect({ address });
  client = new Client({ connection, namespace });
  const script = join(__dirname, 'faulty-worker.ts');
  worker = spawn(process.execPath, [join(__dirname, '../support/run-ts.js'), script, address, namespace, taskQueue]);
  for (const stream of [worker.stdout, worker.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
});
afterAll(async () => {
  if (worker.exitCode === null && worker.kill('SIGKILL')) await once(worker, 'exit');
  await connection.close();
});

const start = (workflow: string) => client.workflow.start(workflow, { taskQueue, workflowId: `${workflow}-${randomUUID()}` });

/** The message of the first workflow task that failed. */
async function failureOf(workflow: string): Promise<string> {
  const run = await start(workflow);
  const failed = await until(async () => {
    const { events } = await run.fetchHistory();
    return events?.find(({ workflowTaskFailedEventAttributes: attributes }) => attributes);
  }, 'a workflow task fails');
  await run.terminate();
  return failed.workflowTaskFailedEventAttributes?.failure?.message ?? '';
}

it('cuts off code that does not end', async () => {
  expect(await failureOf('endless')).toContain('timed out after 300ms');
  expect(await (await start('sound')).result()).toBe('sound');
});

it('fails the task of a run that leaves a promise rejected', async () => {
  expect(await failureOf('rejected')).toContain('out of order');
  expect(await (await start('sound')).result()).toBe('sound');
});

it('ends with the name of the run that broke the isolate; from Node 24 on it cannot be broken', async () => {
  const run = await start('endlessAfterWaiting');
  if (Number(process.versions.node.split('.')[0]) >= 24) expect(await (await start('sound')).result()).toBe('sound');
  else {
    expect(await once(worker, 'exit')).toEqual([1, null]);
    expect(said).toContain(run.workflowId);
  }
  await run.terminate();
});
