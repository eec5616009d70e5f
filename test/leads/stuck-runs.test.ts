/** Which runs count as stuck. */
import { randomUUID } from 'node:crypto';
import { stuckRuns } from '../../src/leads/lead-queries';
import { createRunListUrl } from '../../src/leads/run-urls';
import { listRuns } from '../../src/leads/search';
import { countStuckRuns, readStuckRuns } from '../../src/leads/stuck-runs';
import { startGateway, type Gateway } from '../support/gateway';
import { loseTasks, startTimingOut } from '../support/stuck-runs';
import { until } from '../support/until';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway({ withoutWorker: true })));
afterAll(() => gateway.stop());

it('a run whose tasks time out is stuck until a worker carries it, and is counted for its own task queue only', async () => {
  const { client, config } = gateway;
  const queue = config.TASK_QUEUE;
  const count = () => countStuckRuns(client, queue);
  expect(await count()).toBe(0);
  const run = await startTimingOut(client, queue);
  const stopLosing = loseTasks(client, queue);
  await until(async () => (await count()) === 1, 'it is stuck');
  const [listed] = await listRuns(client, stuckRuns(queue));
  expect([listed?.workflowId, listed?.searchAttributes.TemporalReportedProblems]).toEqual([
    run.workflowId,
    expect.arrayContaining(['category=WorkflowTaskTimedOut']),
  ]);
  expect(await countStuckRuns(client, `other-${queue}`)).toBe(0);
  await stopLosing();
  await gateway.startWorker();
  await until(async () => (await count()) === 0, 'a worker carries it');
  await run.terminate();
});

it('an engine that does not know the search attribute cannot be asked, which is no error', async () => {
  const { client } = gateway;
  const { workflow } = client;
  const count = (query: string) => workflow.count(query.replace('TemporalReportedProblems', 'TemporalOfTomorrow'));
  const older = Object.assign(Object.create(client) as typeof client, {
    workflow: Object.assign(Object.create(workflow) as object, { count }),
  });
  expect(await countStuckRuns(older, `none-${randomUUID()}`)).toBeUndefined();
  expect(await readStuckRuns(older, 'none', createRunListUrl(undefined, 'any'))).toBeUndefined();
});
