/** Runs the API of untuned Temporal: the client's defaults, one workflow per request. */
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import express from 'express';

const client = new Client({ connection: await Connection.connect({ address: process.env.TEMPORAL_ADDRESS }) });
const app = express().use(express.json());
app.post('/api/clinicsys/:flow', ({ body }, response, next) => {
  const options = { taskQueue: 'leads', workflowId: `lead-${randomUUID()}`, args: [body] };
  client.workflow.execute('chain', options).then((record) => response.json(record), next);
});
app.get('/health/ready', (_, response, next) => {
  client.workflowService.getSystemInfo({}).then(() => response.json({}), next);
});
app.listen(Number(process.env.PORT), '127.0.0.1');
