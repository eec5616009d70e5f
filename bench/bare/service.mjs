/**
 * Runs a minimal service on Temporal: an API and a worker in one process, with the five steps as local activities. WORKFLOW names the
 * workflow: `bare`, `guarded` with encryption and search attributes, or `empty` without steps.
 */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import express from 'express';
import { steps } from '../steps.mjs';

const { TEMPORAL_ADDRESS: address, PORT, WORKFLOW: workflow } = process.env;
const { guards } = workflow === 'guarded' ? await import('./guards.mjs') : {};
Runtime.install({ logger: new DefaultLogger('WARN'), shutdownSignals: [] });
const connection = await NativeConnection.connect({ address });
await guards?.prepare(connection);
const { dataConverter } = guards ?? {};
const client = new Client({ connection, dataConverter });
const workflowsPath = fileURLToPath(new URL('./workflows.mjs', import.meta.url));
const worker = await Worker.create({ connection, taskQueue: 'leads', workflowsPath, activities: steps, dataConverter });
void worker.run();

const app = express().use(express.json());
app.post('/api/clinicsys/:flow', ({ body }, response, next) => {
  const options = { taskQueue: 'leads', workflowId: `lead-${randomUUID()}`, args: [body], requestEagerStart: true, ...guards?.start(body) };
  const ended = client.workflow.start(workflow, options).then((run) => run.result());
  ended.then((record) => response.json(record), next);
});
app.get('/health/ready', (_, response) => response.json({}));
app.listen(Number(PORT), '127.0.0.1');
