/** Its front: the client's defaults, a workflow a request. */
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import express from 'express';

const client = new Client({ connection: await Connection.connect({ address: process.env.TEMPORAL_ADDRESS }) });
const app = express().use(express.json());
app.post('/api/clinicsys/:flow', async (request, response) => {
  response.json(await client.workflow.execute('chain', { taskQueue: 'leads', workflowId: `lead-${randomUUID()}`, args: [request.body] }));
});
app.get('/health/ready', async (_, response) => {
  await client.workflowService.getSystemInfo({});
  response.json({});
});
app.listen(Number(process.env.PORT), '127.0.0.1');
