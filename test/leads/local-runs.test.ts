/** Which calls are answered before the engine has written their end, and that it changes no answer. */
import type { LeadReport } from '../../src/domain/lead';
import { createLocalRuns } from '../../src/leads/local-runs';
import { startBoard, type BoardGateway } from '../api/taskboard';
import { newLead } from '../support/gateway';

/** What runs said in here, in order; whoever waits for them hears it only where `isHeard`. */
function recording(isHeard: boolean) {
  const runs = createLocalRuns();
  const said: LeadReport[] = [];
  const { fn } = runs.sinks.report.end;
  const record: typeof fn = (info, report) => {
    said.push(report);
    if (isHeard) return fn(info, report);
  };
  return { said, shared: { runs: { ...runs, sinks: { report: { end: { fn: record } } } } } };
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
  }, 60_000);
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

it('all who wait for a run hear its end, and nobody who has stopped waiting', async () => {
  const { reportOf, sinks } = createLocalRuns();
  const report: LeadReport = { leadId: '', flow: 'taskboard', state: 'delivered', steps: [] };
  const say = (runId: string) => void sinks.report.end.fn({ runId } as Parameters<typeof sinks.report.end.fn>[0], report);
  const waiting = [reportOf('run-1'), reportOf('run-1')];
  const left = reportOf('run-1');
  left.forget();
  say('run-1');
  for (const each of waiting) await expect(each.report).resolves.toBe(report);
  await expect(Promise.race([left.report, Promise.resolve('still waiting')])).resolves.toBe('still waiting');
});
