/** What is told of a run that takes its time, or whose worker does. */
import { Client } from '@temporalio/client';
import { setTimeout as pause } from 'node:timers/promises';
import type { LeadReport, State } from '../../src/domain/lead';
import { createLocalRuns } from '../../src/leads/local-runs';
import { createReports, type Reports } from '../../src/leads/reports';
import { newestRun, standingOf } from '../../src/leads/runs';
import { createSearch } from '../../src/leads/search';
import { dataConverter } from '../../src/temporal/engine';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const now = (reports: Reports, ...given: Parameters<Reports['now']>) => reports.now(...given);

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

describe('a run is not asked', () => {
  const asked = jest.fn();
  const reportsWith = (told?: LeadReport) => {
    const local = { ...createLocalRuns(), reportNow: () => told };
    return createReports(slow(asked), gateway.engine.namespace, new AbortController().signal, createSearch(gateway.client), local);
  };
  beforeEach(() => asked.mockClear());

  it('if its worker in this process has just heard how it stands', async () => {
    const { body } = await gateway.post('/api/clinicsys/no-prescreen', newLead('v1-hold'), { prefer: 'respond-async' });
    const where = await newestRun(gateway.client, body.leadId);
    const updatedAt = new Date().toISOString();
    const told: LeadReport = { leadId: body.leadId, flow: 'no-prescreen', state: 'running', steps: [], updatedAt };
    expect(await now(reportsWith(told), where)).toBe(told);
    expect(asked).not.toHaveBeenCalled();
    const isHeld = async () => (await gateway.sandbox()).requests.some(({ call, answered }) => call === 'v1' && answered === null);
    await until(isHeld, 'it is at V1');
    await gateway.release();
  });

  it('if no worker has taken it', async () => {
    const workflowId = 'nobody-takes-it';
    const { firstExecutionRunId: runId } = await gateway.client.workflow.start('noPrescreen', { workflowId, taskQueue: 'nobody' });
    expect(await now(reportsWith(), { workflowId, runId })).toMatchObject({ state: 'running', steps: [] });
    expect(asked).not.toHaveBeenCalled();
    await gateway.client.workflow.getHandle(workflowId, runId).terminate();
  });
});

describe('what its worker heard of a lead that the engine has as parked', () => {
  const readAfter = async (state: State, afterMs: number) => {
    const where = await parkedLead();
    const { client, engine } = gateway;
    const parkedAt = standingOf(await newestRun(client, where.leadId)).updatedAt;
    const updatedAt = new Date(Date.parse(parkedAt) + afterMs).toISOString();
    const told: LeadReport = { leadId: where.leadId, flow: 'no-prescreen', state, steps: [], updatedAt };
    const local = { ...createLocalRuns(), reportNow: () => told };
    const reports = createReports(client, engine.namespace, new AbortController().signal, createSearch(client), local);
    return { told, read: await now(reports, where) };
  };

  it.each([
    ['that it runs', 'running', -1],
    ['that it waits', 'waiting', 1],
    ['that it was parked before', 'parked', -1],
  ] as const)('is not told if it is %s', async (_, state, afterMs) => {
    const { read } = await readAfter(state, afterMs);
    expect(read).toMatchObject({ state: 'parked', failure: { step: 'send-comments' } });
  });

  it('is told if it went on after that', async () => {
    const { read, told } = await readAfter('running', 1);
    expect(read).toBe(told);
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
