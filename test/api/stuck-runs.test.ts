/** A run whose workflow tasks keep failing goes on for ever and does nothing: everything that looks for trouble says so. */
import type { WorkflowHandle } from '@temporalio/client';
import { startGateway, type Gateway } from '../support/gateway';
import { startFailing } from '../support/stuck-runs';
import { until, untilHolds } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';
import { leadgate } from '../cli/support';

const TEMPORAL_UI_URL = 'https://temporal.example.org/ui/';

let gateway: Gateway;
let receiver: Upstream;
let run: WorkflowHandle;
beforeAll(async () => {
  receiver = await openUpstream();
  const ALERT_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
  gateway = await startGateway({
    settings: { ALERT_WEBHOOK_URL: receiver.url, ALERT_WEBHOOK_SECRET, ALERT_CLEAR_S: '1', TEMPORAL_UI_URL },
  });
  run = await startFailing(gateway.client, gateway.config.TASK_QUEUE);
  const reported = `WorkflowId = '${run.workflowId}' AND TemporalReportedProblems IS NOT NULL`;
  await until(async () => (await gateway.client.workflow.count(reported)).count === 1, 'the engine reports it');
});
afterAll(async () => {
  await gateway.stop();
  await receiver.close();
});

const told = () => receiver.received.map(({ text }) => JSON.parse(text) as { type: string; data: object });

it('leadgate doctor says so, and what to do', async () => {
  const { TEMPORAL_ADDRESS = '', TEMPORAL_NAMESPACE, TASK_QUEUE, LEADGATE_DATA_DIR } = gateway.config;
  const settings = { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TASK_QUEUE, LEADGATE_DATA_DIR, LEADGATE_URL: gateway.url };
  const { status, out } = await leadgate(['doctor'], { settings });
  expect(out).toMatch(/!! {2}Runs +1 is stuck: its workflow tasks keep failing or timing out\n +.*TemporalReportedProblems IS NOT NULL/);
  expect(status).toBe(1);
});

it('/metrics counts it', async () =>
  untilHolds(async () => expect((await gateway.get('/metrics')).body).toMatch(/^leadgate_stuck_runs 1$/m), 'it is counted'));

it('the counts for the console have it, with its address in the Temporal UI', async () => {
  const { body } = await gateway.get('/api/leads/counts?groups=true');
  expect(body.stuckRuns).toMatchObject({ count: 1 });
  const { origin, pathname, searchParams } = new URL(body.stuckRuns.temporalUrl);
  expect(`${origin}${pathname}`).toBe(`https://temporal.example.org/ui/namespaces/${gateway.config.TEMPORAL_NAMESPACE}/workflows`);
  expect((await gateway.client.workflow.count(searchParams.get('query') ?? '')).count).toBe(1);
});

it('an alert is told, and told as over when the run has ended', async () => {
  await until(() => told().length === 1, 'it is told');
  expect(told()).toMatchObject([{ type: 'leadgate.alert.opened', data: { kind: 'stuck', summary: '1 run stuck', count: 1, leadIds: [] } }]);
  await run.terminate();
  await until(() => told().length === 2, 'its end is told');
  expect(told()[1]).toMatchObject({
    type: 'leadgate.alert.closed',
    data: { kind: 'stuck', reason: 'The workflow tasks of every run succeed again' },
  });
});
