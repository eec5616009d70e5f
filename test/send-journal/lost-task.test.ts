/** A worker that died with a run's first task in its hands, before anything was sent: the one that comes after it sends, once. */
import { endpoints } from '../../src/contract';
import { newLead, startGateway } from '../support/gateway';

it.each([
  ['/api/clinicsys/with-prescreen', newLead(), 'v1'],
  [endpoints.sendPatient.path, endpoints.sendPatient.example, 'screening'],
])('%s', async (path, lead, call) => {
  const gateway = await startGateway({ withoutWorker: true });
  try {
    const { body } = await gateway.post(path, lead, { prefer: 'respond-async' });
    const { taskToken } = await gateway.engine.connection.workflowService.pollWorkflowTaskQueue({
      namespace: gateway.engine.namespace,
      taskQueue: { name: gateway.config.TASK_QUEUE },
      identity: 'a worker that dies',
    });
    expect(taskToken).not.toHaveLength(0);
    await gateway.startWorker();
    expect((await gateway.get(`${body.statusUrl}?wait=50`)).body).toMatchObject({ state: 'delivered' });
    expect((await gateway.sandbox()).calls[call]).toBe(1);
  } finally {
    await gateway.stop();
  }
});
