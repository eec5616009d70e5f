/** Runs that this process's worker carries: how a lead stands, and a call's end before the engine has written it. */
import type { Context as ActivityContext } from '@temporalio/activity';
import type { WorkflowInfo } from '@temporalio/workflow';
import type { LeadReport } from '../../src/domain/lead';
import { createLocalRuns, type LocalRuns } from '../../src/leads/local-runs';
import { startBoard, type BoardGateway } from '../api/taskboard';
import { listed, noPrescreen } from '../support/background';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { newestRun } from '../support/runs';
import { until } from '../support/until';

/** Keeps the reports that runs tell at once, in order. Without `isHeard`, the process hears no report at all. */
function recording(isHeard: boolean) {
  const runs = createLocalRuns();
  const said: LeadReport[] = [];
  const { report } = runs.sinks;
  const record: typeof report.endAtOnce.fn = (info, told) => {
    said.push(told);
    if (isHeard) return report.endAtOnce.fn(info, told);
  };
  const sinks = { report: { ...report, endAtOnce: { fn: record } } };
  return { said, shared: { runs: { ...runs, sinks, ...(!isHeard && { dropped: () => {} }) } } };
}

describe.each([
  ['heard', true],
  ['not heard, as of a worker elsewhere', false],
])('where a run’s word is %s', (_, isHeard) => {
  const { said, shared } = recording(isHeard);
  let board: BoardGateway;
  let card: Awaited<ReturnType<BoardGateway['card']>>;
  beforeAll(async () => {
    board = await startBoard({ shared });
    card = await board.card('One');
  });
  afterAll(() => board.stop());
  beforeEach(() => said.splice(0));

  const reads = {
    'a card': () => board.get(`/todos/${card.id}`),
    'a list': () => board.get(`/todos?projectId=${card.projectId}`),
    users: () => board.get('/users?q=a'),
  };
  it.each(Object.entries(reads))('the end of reading %s is told at once, and is the answer', async (_name, read) => {
    const { status, body } = await read();
    expect(status).toBe(200);
    expect(said).toEqual([expect.objectContaining({ state: 'delivered', result: expect.objectContaining({ success: true }) })]);
    expect(body).toEqual(JSON.parse(JSON.stringify(said[0]?.result)));
  });

  it('so is what was made, for it is noted', async () => {
    const { status, body } = await board.post(`/todos/${card.id}/comments`, { text: 'Called back' });
    expect(status).toBe(200);
    expect(said.map(({ result }) => result)).toEqual([expect.objectContaining({ comment: expect.objectContaining(body.comment) })]);
  });

  it('not a failure: the next time it might succeed', async () => {
    const { status } = await board.get('/todos/nobody');
    expect(status).toBe(404);
    expect(said).toEqual([]);
  });

  it.each([{ title: 'Two' }, { dueDate: '2027-01-05' }, { done: true }])('not what says what shall be: %j', async (change) => {
    const { status } = await board.patch(`/todos/${card.id}`, change);
    expect(status).toBe(200);
    expect(said).toEqual([]);
  });

  it('and never a lead', async () => {
    const { status } = await fetch(`${board.url}/api/clinicsys/no-prescreen`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(newLead()),
    });
    expect(status).toBe(200);
    expect(said).toEqual([]);
  });
});

it('without a journal, what was made is told when the engine has it', async () => {
  const { said, shared } = recording(true);
  const board = await startBoard({ shared, settings: { SEND_JOURNAL: '' } });
  try {
    const { id } = await board.card('One');
    expect((await board.get(`/todos/${id}`)).status).toBe(200);
    expect(said.map(({ result }) => Object.keys(result ?? {}))).toEqual([['success', 'card']]);
  } finally {
    await board.stop();
  }
});

const report: LeadReport = { leadId: '', flow: 'taskboard', state: 'delivered', steps: [] };
const infoOf = (runId: string) => ({ runId }) as WorkflowInfo;
const orStillWaiting = (told: Promise<LeadReport>) => Promise.race([told, Promise.resolve('still waiting')]);

it('all who wait for a run hear its end, and nobody who has stopped waiting', async () => {
  const { reportOf, sinks } = createLocalRuns();
  const waiting = [reportOf('run-1'), reportOf('run-1')];
  const left = reportOf('run-1');
  left.forget();
  void sinks.report.endAtOnce.fn(infoOf('run-1'), report);
  for (const each of waiting) await expect(each.report).resolves.toBe(report);
  expect(await orStillWaiting(left.report)).toBe('still waiting');
});

it('an end is told once the worker has dropped the run as over, and never if it was dropped before', async () => {
  const { reportOf, sinks, dropped, hasEnded } = createLocalRuns();
  const awaited = reportOf('run-1');
  void sinks.report.end.fn(infoOf('run-1'), report);
  expect([await orStillWaiting(awaited.report), hasEnded('run-1')]).toEqual(['still waiting', false]);
  dropped('run-1', false);
  dropped('run-1', true);
  expect([await orStillWaiting(awaited.report), hasEnded('run-1')]).toEqual(['still waiting', true]);
  void sinks.report.end.fn(infoOf('run-1'), report);
  dropped('run-1', true);
  expect(await orStillWaiting(awaited.report)).toBe(report);
});

describe('how a lead’s run stands', () => {
  const run = { runId: 'run-1', workflowId: 'lead-1' };
  const running: LeadReport = { leadId: 'lead-1', flow: 'no-prescreen', state: 'running', steps: [] };
  let now = 0;
  beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => now));
  afterEach(() => jest.restoreAllMocks());

  const tell = ({ sinks }: LocalRuns, said: LeadReport, isReplaying = false) =>
    void sinks.report.progress.fn({ ...run, unsafe: { isReplaying } } as WorkflowInfo, said);
  const take = ({ interceptor }: LocalRuns, step: () => Promise<unknown>) => {
    const info = { isLocal: true, workflowExecution: run };
    return interceptor({ info } as ActivityContext).inbound?.execute?.({ args: [], headers: {} }, step);
  };

  it('is what it said last, until another worker may have it', () => {
    const runs = createLocalRuns();
    expect(runs.reportNow(run.runId)).toBeUndefined();
    tell(runs, { ...running, state: 'waiting' });
    tell(runs, running);
    expect(runs.reportNow(run.runId)).toBe(running);
    now += 4_000;
    expect(runs.reportNow(run.runId)).toBeUndefined();
  });

  it('is known for as long as it takes a step inside its task', async () => {
    const runs = createLocalRuns();
    tell(runs, running);
    let end = () => {};
    const step = take(runs, () => new Promise<void>((done) => (end = done)));
    now += 60_000;
    expect(runs.reportNow(run.runId)).toBe(running);
    end();
    await step;
    expect(runs.reportNow(run.runId)).toBeUndefined();
  });

  it.each<Partial<LeadReport>>([{ state: 'delivered' }, { steps: [{ name: 'send', state: 'failed', attempts: 1 }] }])(
    'is never its end, which the engine may not have: %j',
    (end) => {
      const runs = createLocalRuns();
      tell(runs, running);
      tell(runs, { ...running, ...end });
      expect(runs.reportNow(run.runId)).toBe(running);
    },
  );

  it('is not what it says when it is played again, until it takes a step', async () => {
    const runs = createLocalRuns();
    tell(runs, running, true);
    expect(runs.reportNow(run.runId)).toBeUndefined();
    await take(runs, async () => expect(runs.reportNow(run.runId)).toBe(running));
  });

  it.each([true, false])('is forgotten once its worker drops it (at its end: %s)', (isEnd) => {
    const runs = createLocalRuns();
    tell(runs, running);
    runs.dropped(run.runId, isEnd);
    expect([runs.reportNow(run.runId), runs.carries(run.runId)]).toEqual([undefined, false]);
  });
});

describe('a lead that this process carries', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());

  it('is answered when the engine has its end, though the engine never says so', async () => {
    const silent = jest
      .spyOn(gateway.engine.connection.workflowService, 'getWorkflowExecutionHistory')
      .mockImplementation(() => new Promise(() => {}));
    try {
      const { status, headers } = await gateway.post(noPrescreen, newLead());
      const { status: run } = await gateway.client.workflow.getHandle(headers.get('x-workflow-id') ?? '').describe();
      expect([status, run.name]).toEqual([200, 'COMPLETED']);
    } finally {
      silent.mockRestore();
    }
  });

  it('is not told as delivered if the engine did not take its end', async () => {
    const lead = newLead('comment-hold');
    const answer = gateway.post(noPrescreen, lead);
    await until(
      async () => (await gateway.sandbox()).requests.some(({ call, answered }) => call === 'comment' && answered === null),
      'its comment is held',
    );
    const [leadId = ''] = await listed(gateway, { email: lead.email });
    const { workflowId } = await newestRun(gateway.client, leadId);
    await gateway.client.workflow.getHandle(workflowId).terminate();
    await gateway.release();
    expect(await answer).toMatchObject({ status: 502, body: { state: 'discarded' } });
  });
});
