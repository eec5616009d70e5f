import { until, untilHolds } from '../support/until';
import { startBoard, type BoardGateway } from './taskboard';

const quick = { TASKBOARD_CLONE_POLL_MS: '100' };
const open: BoardGateway[] = [];
async function start(settings: Record<string, string> = {}, copyDelayMs = 400): Promise<BoardGateway> {
  const gateway = await startBoard({ settings: { ...quick, ...settings }, sandbox: { copyDelayMs } });
  open.push(gateway);
  return gateway;
}

let board: BoardGateway;
beforeAll(async () => void (board = await start()));
afterAll(async () => {
  for (const gateway of open.splice(0)) await gateway.stop();
});

const columns = ['Up Next', 'Pending', 'In Progress', 'Completed'];
const named = async (board: BoardGateway, name: string) =>
  (await board.get('/projects')).body.projects.filter((project: { name: string }) => project.name === name);
const asked = async (board: BoardGateway, name: string) =>
  (await board.sandbox()).requests.filter(({ body }) => body.includes(JSON.stringify(name))).map(({ call }) => call);
const isOrdered = (board: BoardGateway, call: 'project' | 'copy') =>
  until(async () => (await board.calls())[call] === 1, 'the copy is ordered');

it('a project from the template has its columns and cards, and the name and description that were asked for', async () => {
  const names: string[] = [];
  // On a busy machine a workflow task may be lost. The next one sets the same name again. The test tries another project then.
  await untilHolds(async () => {
    const name = `Study ${names.length + 1}`;
    names.push(name);
    const { status, body } = await board.post('/projects', { name, description: 'Mine' });
    expect(body).toMatchObject({ success: true, project: { name, description: 'Mine' } });
    expect(status).toBe(200);
    const { todoLists } = (await board.get(`/projects/${body.project.id}`)).body.project;
    expect(todoLists.map((list: { title: string }) => list.title)).toEqual(columns);
    expect(todoLists[0].todos).toHaveLength(2);
    const writes = (await asked(board, name)).filter((call) => call !== 'board');
    expect(writes).toEqual(['project', 'rename']);
  }, 'a project was made with one order and one naming');
  // An order is never repeated.
  for (const name of names) expect((await asked(board, name)).filter((call) => call === 'project')).toHaveLength(1);
});

it('two of the same name at the same time get a copy each, and so do others', async () => {
  const ask = (name: string, description: string) => board.post('/projects', { name, description });
  const answers = await Promise.all([ask('Twin', 'first'), ask('twin', 'second'), ask('Twin', 'third'), ask('Twin Two', 'fourth')]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(new Set(answers.map(({ body }) => body.project.id)).size).toBe(4);
  expect(answers.map(({ body }) => [body.project.name, body.project.description])).toEqual([
    ['Twin', 'first'],
    ['twin', 'second'],
    ['Twin', 'third'],
    ['Twin Two', 'fourth'],
  ]);
});

it('where the template is an ordinary project it is copied, one at a time', async () => {
  const plain = (await board.board('Plain')).projectId;
  const settings = {
    TASKBOARD_URL: `${board.sandboxUrl}/taskboard/graphql`,
    TASKBOARD_TOKEN_ID: 'sandbox-token',
    TASKBOARD_TOKEN_SECRET: 'sandbox-token-secret',
    TASKBOARD_COMPANY_ID: 'sandbox-company',
    TASKBOARD_TEMPLATE_PROJECT_ID: plain,
  };
  const auto = await start(settings);
  const answers = await Promise.all(['Copy A', 'Copy B'].map((name) => auto.post('/projects', { name })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers.map(({ body }) => body.project.name)).toEqual(['Copy A', 'Copy B']);

  const template = await start({ ...settings, TASKBOARD_CLONE_MODE: 'template' });
  expect(await template.post('/projects', { name: 'No' })).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
  const copy = await start({ ...settings, TASKBOARD_CLONE_MODE: 'copy' });
  expect(await copy.post('/projects', { name: 'Copy C' })).toMatchObject({ status: 200 });
});

it('another copy that does not end is 409, and nothing was ordered', async () => {
  const stuck = await start({ TASKBOARD_CLONE_MODE: 'copy', TASKBOARD_CLONE_TIMEOUT_MS: '1000' }, 600_000);
  const first = stuck.post('/projects', { name: 'Slow' });
  await isOrdered(stuck, 'copy');
  const second = await stuck.post('/projects', { name: 'Late' });
  expect(second).toMatchObject({ status: 409, body: { error: { code: 'COPY_IN_PROGRESS', retryable: true } } });
  // The first was ordered and does not appear: nobody knows whether it will.
  expect(await first).toMatchObject({ status: 502, body: { error: { code: 'OUTCOME_UNKNOWN', retryable: false } } });
  expect(await named(stuck, 'Late')).toEqual([]);
});

it('an order whose answer was lost is looked for, and not given again', async () => {
  const { status, body } = await board.post('/projects', { name: 'Lost project-reset-after' });
  expect(status).toBe(200);
  expect(await named(board, 'Lost project-reset-after')).toHaveLength(1);
  expect(body.project.name).toBe('Lost project-reset-after');
});

describe('a project that was made and could not be named', () => {
  const ask = async (gateway: BoardGateway, sentinel: string) => {
    const name = `Made rename-${sentinel}`;
    const answer = await gateway.post('/projects', { name, description: 'Mine' });
    const orders = (await asked(gateway, name)).filter((call) => call === 'project');
    return { ...answer, copies: await named(gateway, name), orders };
  };
  const impatient = () => start({ TASKBOARD_TIMEOUT_MS: '2000' });

  it.concurrent.each([
    ['refused', 400, 'VALIDATION_ERROR'],
    ['404', 404, 'NOT_FOUND'],
    ['401', 502, 'UPSTREAM_ERROR'],
    ['500', 502, 'UPSTREAM_ERROR'],
    ['429', 502, 'UPSTREAM_ERROR'],
    ['hang', 502, 'OUTCOME_UNKNOWN'],
  ])('by %s is told with its id, and not to be sent again', async (sentinel, status, code) => {
    const { copies, orders, ...answer } = await ask(sentinel === 'hang' ? await impatient() : board, sentinel);
    const [{ id }] = copies;
    expect(answer).toMatchObject({
      status,
      body: {
        success: false,
        message: expect.stringMatching(/The project was made \(projectId\).*do not send this again$/),
        error: { code, step: 'rename', retryable: false },
        projectId: id,
      },
    });
    expect(answer.headers.get('retry-after')).toBeNull();
    expect([copies.length, orders.length]).toEqual([1, 1]);
  });

  it.concurrent('is named when the board answers again', async () => {
    const { status, body, copies } = await ask(board, '500-x2');
    expect([status, body.project?.description, copies.length]).toEqual([200, 'Mine', 1]);
  });
});

it('looking for the copy goes on after the worker was away', async () => {
  const other = await startBoard({ settings: quick, sandbox: { copyDelayMs: 1_500 }, withoutWorker: true });
  open.push(other);
  const stopWorker = await other.startWorker();
  const answer = other.post('/projects', { name: 'Restarted' });
  await isOrdered(other, 'project');
  await stopWorker();
  await until(async () => (await other.simulated()).includes('Restarted'), 'the copy is there');
  await other.startWorker();
  expect(await answer).toMatchObject({ status: 200, body: { project: { name: 'Restarted' } } });
  expect(await named(other, 'Restarted')).toHaveLength(1);
});
