/** What is told of a run that takes its time, or whose worker does. */
import { Client } from '@temporalio/client';
import { setTimeout as pause } from 'node:timers/promises';
import { createLocalRuns, type TaskStep } from '../../src/leads/local-runs';
import { createReports } from '../../src/leads/reports';
import { newestRun } from '../../src/leads/runs';
import { createSearch } from '../../src/leads/search';
import { dataConverter } from '../../src/temporal/engine';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
}, 60_000);
afterAll(() => gateway.stop());

/** A client whose every question to a run takes a second. */
const slow = (asked = () => {}) =>
  new Client({
    connection: gateway.engine.connection,
    namespace: gateway.engine.namespace,
    dataConverter: dataConverter(gateway.keys),
    interceptors: {
      workflow: [
        {
          async query(input, next) {
            asked();
            await pause(1_000);
            return next(input);
          },
        },
      ],
    },
  });

async function parkedLead() {
  const { status, body } = await gateway.post('/api/clinicsys/no-prescreen', newLead('comment-422'));
  expect(status).toBe(422);
  const { workflowId, runId } = await newestRun(gateway.client, body.leadId);
  return { workflowId, runId, leadId: body.leadId };
}

it('why a lead is parked is waited for as long as there is time', async () => {
  const where = await parkedLead();
  const reports = createReports(slow(), gateway.engine.namespace, new AbortController().signal, createSearch(gateway.client));
  const report = await reports.settled(where, 20_000);
  expect(report).toMatchObject({ state: 'parked', failure: { step: 'send-comments' } });
});

it('a stop ends that wait, with what the engine knows', async () => {
  const where = await parkedLead();
  const stopping = new AbortController();
  const reports = createReports(
    slow(() => stopping.abort()),
    gateway.engine.namespace,
    stopping.signal,
    createSearch(gateway.client),
  );
  const report = await reports.settled(where, 20_000);
  expect(report).toEqual({
    leadId: where.leadId,
    flow: 'no-prescreen',
    state: 'parked',
    step: 'send-comments',
    steps: [],
    updatedAt: expect.any(String),
  });
});

it('waits on if a busy engine ends a call early', async () => {
  const atV1 = async () => (await gateway.sandbox()).calls.v1;
  const before = await atV1();
  const { body } = await gateway.post('/api/clinicsys/no-prescreen', newLead('v1-hold'), { prefer: 'respond-async' });
  const { workflowId, runId } = await newestRun(gateway.client, body.leadId);
  await until(async () => (await atV1()) !== before, 'the lead is at V1');
  const early = Object.assign(new Error('early'), { code: 4, details: 'deadline exceeded', metadata: new Map() });
  const asked = jest.spyOn(gateway.client.workflowService, 'getWorkflowExecutionHistory');
  asked.mockRejectedValueOnce(early).mockRejectedValueOnce(early);
  try {
    const reports = createReports(gateway.client, gateway.engine.namespace, new AbortController().signal, createSearch(gateway.client));
    const report = reports.settled({ workflowId, runId, leadId: body.leadId }, 20_000);
    await until(() => asked.mock.calls.length > 2, 'the engine is asked again');
    await gateway.release();
    expect(await report).toMatchObject({ state: 'delivered' });
  } finally {
    asked.mockRestore();
  }
});

describe('a run whose task is under way is asked nothing: it could answer only at the end of its task', () => {
  const asked = jest.fn();
  const reportsWith = (stepsOf: (runId: string) => readonly TaskStep[] | undefined) => {
    const local = { ...createLocalRuns(), stepsOf };
    const nowhere = new AbortController().signal;
    return createReports(slow(asked), gateway.engine.namespace, nowhere, createSearch(gateway.client), local);
  };
  beforeEach(() => asked.mockClear());

  it('between two steps, its report is made of the steps that its worker has seen', async () => {
    const { body } = await gateway.post('/api/clinicsys/no-prescreen', newLead('v1-hold'), { prefer: 'respond-async' });
    const where = await newestRun(gateway.client, body.leadId);
    await until(
      async () => (await gateway.sandbox()).requests.some(({ call, answered }) => call === 'v1' && answered === null),
      'it is held',
    );
    const [startedAt, endedAt] = [new Date(1_000), new Date(2_000)];
    const seen = ['handOverEvent', 'getApiKey', 'checkEmail'].map((activity) => ({ activity, startedAt, endedAt }));
    const done = { state: 'done', attempts: 1, startedAt: startedAt.toISOString(), endedAt: endedAt.toISOString() };
    expect(await reportsWith(() => seen).now(where)).toEqual({
      leadId: body.leadId,
      flow: 'no-prescreen',
      state: 'running',
      step: 'check-email',
      updatedAt: endedAt.toISOString(),
      steps: [
        { name: 'get-api-key', ...done },
        { name: 'check-email', ...done },
        ...['format-data', 'send-to-rt', 'send-comments'].map((name) => ({ name, state: 'pending', attempts: 0 })),
      ],
    });
    expect(asked).not.toHaveBeenCalled();
    await gateway.release();
  });

  it('before a worker takes it, no step has begun', async () => {
    const workflowId = 'nobody-takes-it';
    const { firstExecutionRunId: runId } = await gateway.client.workflow.start('noPrescreen', { workflowId, taskQueue: 'nobody' });
    const { state, step, steps } = await reportsWith(() => undefined).now({ workflowId, runId });
    expect([state, step, new Set(steps.map((each) => each.state))]).toEqual(['running', undefined, new Set(['pending'])]);
    expect(asked).not.toHaveBeenCalled();
    await gateway.client.workflow.getHandle(workflowId, runId).terminate();
  });
});

it('a lead that is not done in time is waited for at the engine, not asked about again and again', async () => {
  // It has an instance of its own, so that its failures hold no look-up of the other tests.
  const lead = newLead('lookup-503', { instanceName: 'erg-oct.away' });
  const { body } = await gateway.post('/api/clinicsys/no-prescreen', lead, { prefer: 'respond-async' });
  const { workflowId, runId } = await newestRun(gateway.client, body.leadId);
  await until(async () => (await gateway.get(`/api/leads/${body.leadId}`)).body.state === 'waiting', 'the lead waits');
  const asked = jest.spyOn(gateway.client.workflowService, 'getWorkflowExecutionHistory');
  try {
    const reports = createReports(gateway.client, gateway.engine.namespace, new AbortController().signal, createSearch(gateway.client));
    expect(await reports.settled({ workflowId, runId, leadId: body.leadId }, 2_500)).toMatchObject({ state: 'waiting' });
    const times = asked.mock.calls.length;
    const { events } = await gateway.client.workflow.getHandle(workflowId, runId).fetchHistory();
    // For its end, for its parking, and once more for each thing that it did meanwhile.
    expect(times).toBeLessThanOrEqual(2 + (events?.length ?? 0));
  } finally {
    asked.mockRestore();
  }
});
