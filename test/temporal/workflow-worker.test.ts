/** Workflows run in the process's own isolate: one that misbehaves fails its own task, and the others go on. */
import { Client, Connection, type WorkflowHandle, type WorkflowStartOptions } from '@temporalio/client';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testEngine } from '../support/engine';
import { until } from '../support/until';

const taskQueue = `faulty-${randomUUID()}`;
const { address, namespace } = testEngine();
const dir = mkdtempSync(join(tmpdir(), 'leadgate-faulty-'));
let client: Client;
let connection: Connection;
let worker: ChildProcess | undefined;
let said: string;

const isUp = (one: ChildProcess | undefined): one is ChildProcess => one?.exitCode === null && one.signalCode === null;

/** Starts a worker, unless one runs: some tests end theirs. It is up when it has carried a run. */
async function runWorker(): Promise<ChildProcess> {
  if (isUp(worker)) return worker;
  said = '';
  const script = join(__dirname, 'faulty-worker.ts');
  const bundle = join(dir, 'bundle.js');
  worker = spawn(process.execPath, [join(__dirname, '../support/run-ts.js'), script, address, namespace, taskQueue, bundle]);
  for (const stream of [worker.stdout, worker.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await (await start('sound')).result();
  return worker;
}

// The first worker makes the bundle, which takes a while.
beforeAll(async () => {
  connection = await Connection.connect({ address });
  client = new Client({ connection, namespace });
  await runWorker();
});
beforeEach(runWorker);
afterAll(async () => {
  if (isUp(worker) && worker.kill('SIGKILL')) await once(worker, 'exit');
  await connection.close();
  rmSync(dir, { recursive: true });
});

/** A task that its worker does not answer is given out again after `workflowTaskTimeout`. */
const start = (workflow: string, options: Pick<WorkflowStartOptions, 'startDelay'> = {}) =>
  client.workflow.start(workflow, { taskQueue, workflowId: `${workflow}-${randomUUID()}`, workflowTaskTimeout: '4s', ...options });

/** No longer young when its first task comes. */
const startOlder = (workflow: string) => start(workflow, { startDelay: '3s' });

/** The message of the first workflow task that failed. */
async function failureOf(run: WorkflowHandle): Promise<string> {
  const failed = await until(async () => {
    const { events } = await run.fetchHistory();
    return events?.find(({ workflowTaskFailedEventAttributes: attributes }) => attributes);
  }, 'a workflow task fails');
  await run.terminate();
  return failed.workflowTaskFailedEventAttributes?.failure?.message ?? '';
}

it('fails the task of a run whose code does not end', async () => {
  expect(await failureOf(await startOlder('endless'))).toContain('timed out after 500ms');
  expect(await (await start('sound')).result()).toBe('sound');
});

it('ends with the name of a young run whose code does not end, and fails its next task', async () => {
  const ended = once(await runWorker(), 'close');
  const run = await start('endless');
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(said).toContain(run.workflowId);
  const next = await runWorker();
  const attempt = async () => (await run.describe()).raw.pendingWorkflowTask?.attempt ?? 0;
  await until(async () => (await attempt()) > 2, 'its second task fails');
  expect(next.signalCode).toBeNull();
  await run.terminate();
});

it('fails the task of a run that leaves a promise rejected', async () => {
  expect(await failureOf(await start('rejected'))).toContain('out of order');
  expect(await (await start('sound')).result()).toBe('sound');
});

it('leaves nothing of a run whose task failed to the next one', async () => {
  expect(await failureOf(await start('unfinished'))).toContain('no condition');
  const next = await start('sound');
  await next.result();
  const { events } = await next.fetchHistory();
  expect(events?.filter(({ timerStartedEventAttributes: timer }) => timer)).toHaveLength(1);
});

it('ends with the name of the run that broke the isolate; from Node 24 on it cannot be broken', async () => {
  const ended = once(await runWorker(), 'close');
  const run = await startOlder('endlessAfterWaiting');
  if (Number(process.versions.node.split('.')[0]) >= 24) expect(await (await start('sound')).result()).toBe('sound');
  else {
    expect(await ended).toEqual([1, null]);
    expect(said).toContain(run.workflowId);
  }
  await run.terminate();
});
