/** What the engine is asked about leads. */
import { randomUUID } from 'node:crypto';
import { attemptIdOf, unconfirmedIdOf, workflowIdOf } from '../../src/domain/ids';
import { memoOf } from '../../src/domain/memo';
import { parseKeyRing } from '../../src/keys/ring';
import { createLeadList } from '../../src/leads/lead-list';
import { stuckRuns } from '../../src/leads/lead-queries';
import { createReports } from '../../src/leads/reports';
import { createRunListUrl } from '../../src/leads/run-urls';
import { leadIdOfRun, leadStatusOf } from '../../src/leads/runs';
import { attemptsOf, newestRun } from '../../src/leads/attempts';
import { createSearch, listRuns } from '../../src/leads/search';
import { countStuckRuns, readStuckRuns } from '../../src/leads/stuck-runs';
import { describe as find } from '../../src/temporal/ask';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { loseTasks, startTimingOut } from '../support/stuck-runs';
import { until } from '../support/until';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway.stop());

/** Which runs a lead has is asked of the runs: against a real engine. */
describe('the runs of a lead', () => {
  const noPrescreen = '/api/clinicsys/no-prescreen';
  const send = async (lead: object, headers = {}) => (await gateway.post(noPrescreen, lead, headers)).headers.get('x-lead-id') ?? '';
  const forget = async (workflowId: string, runId: string) => {
    const { client } = gateway;
    await client.workflowService.deleteWorkflowExecution({ namespace: client.options.namespace, workflowExecution: { workflowId, runId } });
    await until(async () => (await find(client, workflowId, runId)) === undefined, 'the engine has forgotten it');
  };

  it('finds each of several leads with the same workflow id by its lead id', async () => {
    const lead = newLead();
    const leadIds = [await send(lead), await send(lead), await send(lead)];
    expect(new Set(leadIds.map(workflowIdOf)).size).toBe(1);
    for (const leadId of leadIds) expect(leadIdOfRun(await newestRun(gateway.client, leadId))).toBe(leadId);
  });

  it('finds a lead by its newest attempt after the first one was deleted', async () => {
    const leadId = await send(newLead('v1-refused'));
    await gateway.post(`/api/leads/${leadId}/redrive`, { reason: 'again', fields: { email: newLead().email } });
    const [first, second] = await attemptsOf(gateway.client, leadId);
    expect(second?.workflowId).toBe(attemptIdOf(leadId, 2));
    await forget(first.workflowId, first.runId);
    expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body).toMatchObject({
      leadId,
      state: 'delivered',
      attempts: [{ attempt: 2 }],
    });
  });

  it('a lead keeps its id after a reset of its run', async () => {
    const leadId = await send(newLead('comment-422'));
    const { workflowId, runId } = await newestRun(gateway.client, leadId);
    const { client } = gateway;
    await client.workflowService.resetWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId, runId },
      workflowTaskFinishEventId: '4' as unknown as Long,
      requestId: randomUUID(),
      reason: 'a test',
    });
    const after = await newestRun(client, leadId);
    expect([after.runId === runId, leadIdOfRun(after)]).toEqual([false, leadId]);
    expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body).toMatchObject({ leadId, state: 'parked' });
  });

  it('finds a lead by the id of an unconfirmed start, also if a later run has its workflow id', async () => {
    const lead = newLead();
    const leadId = await send(lead);
    const run = await newestRun(gateway.client, leadId);
    const unconfirmed = unconfirmedIdOf(run.workflowId, memoOf(run)?.nonce ?? '');
    expect((await gateway.get(`/api/leads/${unconfirmed}`)).body).toMatchObject({ leadId, state: 'delivered' });
    await send(lead);
    expect((await gateway.get(`/api/leads/${unconfirmed}`)).body).toMatchObject({ leadId, state: 'delivered' });
  });

  it.each(['x', `b${'0'.repeat(20)}-${'0'.repeat(25)}`, `b${'0'.repeat(20)}-${'0'.repeat(10)}`])('there is no lead %s', async (leadId) =>
    expect((await gateway.get(`/api/leads/${leadId}`)).status).toBe(404),
  );

  it('a run that has not reported yet was last updated at its start', async () => {
    const leadId = await send(newLead('', { instanceName: 'erg-oct.key-hold' }), { prefer: 'respond-async' });
    const run = await newestRun(gateway.client, leadId);
    const { LeadUpdatedAt: _, ...searchAttributes } = run.searchAttributes;
    expect(leadStatusOf({ ...run, searchAttributes }).updatedAt).toBe(run.startTime.toISOString());
    await gateway.release();
  });
});

/** What is told of a run that takes its time, or whose worker does. */
describe('reports', () => {
  const reportsOf = ({ client }: Gateway, stopping = new AbortController()) => createReports(client, stopping.signal, createSearch(client));

  const v1Held = () =>
    until(
      async () => (await gateway.sandbox()).requests.some(({ call, answered }) => call === 'v1' && answered === null),
      'a lead is at V1',
    );

  async function begun(sentinels: string, fields = {}) {
    const { body } = await gateway.post('/api/clinicsys/no-prescreen', newLead(sentinels, fields), { prefer: 'respond-async' });
    return newestRun(gateway.client, body.leadId);
  }

  it('a wait ends as soon as the lead is parked, with the reason', async () => {
    const report = await reportsOf(gateway).settled(await begun('comment-422'), 20_000);
    expect(report).toMatchObject({ state: 'parked', failure: { code: 'UPSTREAM_REJECTED', step: 'send-comments' } });
  });

  it('waits for the same lead share one update', async () => {
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

  it('a stop ends a wait with the lead’s current state', async () => {
    const where = await begun('v1-hold');
    await v1Held();
    const stopping = new AbortController();
    const report = reportsOf(gateway, stopping).settled(where, 20_000);
    stopping.abort();
    expect(await report).toMatchObject({ state: 'running', step: 'send-to-rt' });
    await gateway.release();
  });

  it('continues to wait if a busy engine ends a call early', async () => {
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

  it('reports a run that no worker has started from its search attributes', async () => {
    const workflowId = 'nobody-takes-it';
    const { firstExecutionRunId: runId } = await gateway.client.workflow.start('noPrescreen', { workflowId, taskQueue: 'nobody' });
    expect(await reportsOf(gateway).now({ workflowId, runId })).toMatchObject({ state: 'running', steps: [] });
    await gateway.client.workflow.getHandle(workflowId, runId).terminate();
  });

  it('reports the tries and the next try of a read that the engine retries', async () => {
    // It has an instance of its own, so that its failures hold no look-up of the other tests.
    const where = await begun('lookup-503', { instanceName: 'erg-oct.away' });
    const told = await until(async () => {
      const report = await reportsOf(gateway).now(where);
      return report.waitsFor ? report : undefined;
    }, 'the lead waits');
    expect(told).toMatchObject({ state: 'waiting', step: 'check-email' });
  });
});

/** Which runs count as stuck. */
describe('stuck runs', () => {
  let gateway: Gateway;
  beforeAll(async () => void (gateway = await startGateway({ withoutWorker: true })));
  afterAll(() => gateway.stop());

  it('a run whose tasks time out is stuck until a worker continues it, and counts for its own task queue only', async () => {
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

  it('reports no stuck runs if the engine does not know the search attribute', async () => {
    const { client } = gateway;
    const { workflow } = client;
    const count = (query: string) => workflow.count(query.replace('TemporalReportedProblems', 'TemporalOfTomorrow'));
    const older = Object.assign(Object.create(client) as typeof client, {
      workflow: Object.assign(Object.create(workflow) as object, { count }),
    });
    expect(await countStuckRuns(older, `none-${randomUUID()}`)).toBeUndefined();
    expect(await readStuckRuns(older, 'none', createRunListUrl(undefined, 'any'))).toBeUndefined();
  });
});

describe('the list', () => {
  it('counts each lead once, whatever changes between two queries', async () => {
    const paths = [
      ['running', 'waiting', 'running', 'delivered'],
      ['waiting', 'running', 'verifying', 'parked', 'running', 'delivered'],
      ['parked', 'running', 'waiting', 'parked', 'discarded'],
      ['running', 'verifying', 'parked', 'running', 'failed'],
      ['running', 'skipped'],
    ];
    const keys = parseKeyRing(`k1:${Buffer.alloc(32, 1).toString('base64')}`);
    /** Each lead is in its next state after every question, at the earliest after `begins` of them. */
    const toldFrom = async (begins: number) => {
      const leads = Array.from({ length: 40 }, (_, at) => ({ path: paths[at % paths.length] ?? [], at: -begins - (at % 7) }));
      const search = {
        waitUntilIndexed: async () => {},
        count: async (query: string) => {
          const [, state] = /LeadState = '(\w+)'/.exec(query) ?? [];
          const now = leads.map(({ path, at }) => path[Math.min(Math.max(at, 0), path.length - 1)]);
          for (const lead of leads) lead.at++;
          if (/lead-r|ExecutionStatus IN/.test(query)) return 0;
          return state ? now.filter((each) => each === state).length : leads.length;
        },
      };
      const { counts } = await createLeadList(search as never, keys, { sites: () => undefined }).counts({});
      return Object.values(counts as Record<string, number>).reduce((sum, count) => sum + count, 0);
    };
    const told = await Promise.all(Array.from({ length: 20 }, (_, begins) => toldFrom(begins)));
    expect(told).toEqual(told.map(() => 40));
  });

  it('refreshes the count of failed leads, even if the index counts as many as before', async () => {
    const lists: string[] = [];
    const search = {
      waitUntilIndexed: async () => {},
      count: async (query: string) => (query.includes('lead-r') || query.includes("'failed'") ? 1 : 0),
      list: async (query: string) => {
        lists.push(query);
        return [];
      },
    };
    const keys = parseKeyRing(`k1:${Buffer.alloc(32, 1).toString('base64')}`);
    const { counts } = createLeadList(search as never, keys, { sites: () => undefined });
    const readBy = async () => {
      await counts({});
      return lists.splice(0).length;
    };
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now);
    expect(await readBy()).toBeGreaterThan(0);
    expect(await readBy()).toBe(0);
    clock.mockReturnValue(now + 10_001);
    expect(await readBy()).toBeGreaterThan(0);
    clock.mockRestore();
  });
});
