/** What is told of a run that takes its time, or whose worker does. */
import { newestRun } from '../../src/leads/runs';
import { createReports } from '../../src/leads/reports';
import { createSearch } from '../../src/leads/search';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const reportsOf = ({ client }: Gateway, stopping = new AbortController()) => createReports(client, stopping.signal, createSearch(client));

const v1Held = () =>
  until(async () => (await gateway.sandbox()).requests.some(({ call, answered }) => call === 'v1' && answered === null), 'a lead is at V1');

async function begun(sentinels: string, fields = {}) {
  const { body } = await gateway.post('/api/clinicsys/no-prescreen', newLead(sentinels, fields), { prefer: 'respond-async' });
  return newestRun(gateway.client, body.leadId);
}

it('a wait ends as soon as the lead parks, with why', async () => {
  const report = await reportsOf(gateway).settled(await begun('comment-422'), 20_000);
  expect(report).toMatchObject({ state: 'parked', failure: { code: 'UPSTREAM_REJECTED', step: 'send-comments' } });
});

it('waits for the same lead share one question to its run', async () => {
  const where = await begun('v1-hold');
  await v1Held();
  const reports = reportsOf(gateway);
  const waits = Array.from({ length: 30 }, () => reports.settled(where, 20_000));
  await until(async () => (await updatesOf(where)) > 0, 'the run is asked');
  await gateway.release();
  expect((await Promise.all(waits)).map(({ state }) => state)).toEqual(waits.map(() => 'delivered'));
  expect(await updatesOf(where)).toBe(1);
});

async function updatesOf({ workflowId, runId }: { workflowId: string; runId: string }) {
  const { events } = await gateway.client.workflow.getHandle(workflowId, runId).fetchHistory();
  return (events ?? []).filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes).length;
}

it('a stop ends a wait, with how the lead stands', async () => {
  const where = await begun('v1-hold');
  await v1Held();
  const stopping = new AbortController();
  const report = reportsOf(gateway, stopping).settled(where, 20_000);
  stopping.abort();
  expect(await report).toMatchObject({ state: 'running', step: 'send-to-rt' });
  await gateway.release();
});

it('waits on if a busy engine ends a call early', async () => {
  const where = await begun('v1-hold');
  await v1Held();
  const early = Object.assign(new Error('early'), { code: 4, details: 'deadline exceeded', metadata: new Map() });
  const asked = jest.spyOn(gateway.client.workflowService, 'getWorkflowExecutionHistory');
  asked.mockRejectedValueOnce(early).mockRejectedValueOnce(early);
  try {
    const report = reportsOf(gateway).settled(where, 20_000);
    await until(() => asked.mock.calls.length > 2, 'the engine is asked again');
    await gateway.release();
    expect(await report).toMatchObject({ state: 'delivered' });
  } finally {
    asked.mockRestore();
  }
});

it('a run that no worker has taken is told from what the engine knows', async () => {
  const workflowId = 'nobody-takes-it';
  const { firstExecutionRunId: runId } = await gateway.client.workflow.start('noPrescreen', { workflowId, taskQueue: 'nobody' });
  expect(await reportsOf(gateway).now({ workflowId, runId })).toMatchObject({ state: 'running', steps: [] });
  await gateway.client.workflow.getHandle(workflowId, runId).terminate();
});

it('a read that the engine tries again is told with its tries and the next one', async () => {
  // It has an instance of its own, so that its failures hold no look-up of the other tests.
  const where = await begun('lookup-503', { instanceName: 'erg-oct.away' });
  const told = await until(async () => {
    const report = await reportsOf(gateway).now(where);
    return report.waitsFor ? report : undefined;
  }, 'the lead waits');
  expect(told).toMatchObject({ state: 'waiting', step: 'check-email' });
});
