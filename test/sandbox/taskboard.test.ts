import { request } from 'undici';
import { documents } from '../../src/activities/taskboard-documents';
import { sandboxBoard } from '../../src/config/sandbox-urls';
import { until } from '../support/until';
import { openSandbox, type OpenSandbox } from './open-sandbox';

let sandbox: OpenSandbox;
beforeAll(async () => void (sandbox = await openSandbox({ copyDelayMs: 600_000 })));
afterAll(() => sandbox.close());

const own = {
  'x-bloo-token-id': sandboxBoard.TASKBOARD_TOKEN_ID,
  'x-bloo-token-secret': sandboxBoard.TASKBOARD_TOKEN_SECRET,
  'x-bloo-company-id': sandboxBoard.TASKBOARD_COMPANY_ID,
};
const inTemplate = { ...own, 'x-bloo-project-id': 'project-template' };
const companyId = sandboxBoard.TASKBOARD_COMPANY_ID;

async function ask(query: string, variables: object, headers: Record<string, string> = own, { urls } = sandbox) {
  const answer = await request(urls.TASKBOARD_URL, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  return { status: answer.statusCode, body: (await answer.body.json()) as { data: any; errors?: any[] } }; // eslint-disable-line
}
const codeOf = async (...question: Parameters<typeof ask>) => (await ask(...question)).body.errors?.[0]?.extensions?.code as unknown;

it('accepts both styles of headers, and no other token', async () => {
  const blue = { 'blue-token-id': own['x-bloo-token-id'], 'blue-token-secret': own['x-bloo-token-secret'], 'blue-org-id': companyId };
  expect((await ask(documents.ListUsers, { companyId, skip: 0 }, blue)).body.data.companyUserList.users).toHaveLength(4);
  expect(await codeOf(documents.ListUsers, { companyId, skip: 0 }, {})).toBe('UNAUTHENTICATED');
  expect(await codeOf(documents.ListUsers, { companyId, skip: 0 }, { ...own, 'x-bloo-token-secret': 'no' })).toBe('UNAUTHENTICATED');
  expect(await codeOf(documents.ListUsers, { companyId, skip: 0 }, { ...own, 'x-bloo-company-id': 'no' })).toBe('FORBIDDEN');
});

it('hides e-mail addresses from the limited token', async () => {
  const limited = { ...own, 'x-bloo-token-id': 'sandbox-token-limited', 'x-bloo-token-secret': 'sandbox-token-limited-secret' };
  const { body } = await ask(documents.ListUsers, { companyId, skip: 0 }, limited);
  expect(body.data.companyUserList.users.map((user: { email: string }) => user.email)).toEqual(['', '', '', '']);
});

it('returns 20 rows by default, and never more than a page', async () => {
  await request(new URL('/__fill?projects=120', sandbox.url), { method: 'POST' });
  const all = `query ($ids: [String!]!) { projectList(filter: { companyIds: $ids }) { items { id } pageInfo { hasNextPage } totalCount } }`;
  const { body } = await ask(all, { ids: [companyId] });
  expect(body.data.projectList.items).toHaveLength(20);
  expect(body.data.projectList).toMatchObject({ totalCount: 122, pageInfo: { hasNextPage: true } });
  expect(await codeOf(documents.ListProjects, { companyId, skip: 0, take: 101 })).toBe('BAD_USER_INPUT');
});

it('requires a project for writes, returns an empty list for a wrong id, and 400 for an invalid document', async () => {
  const input = { todoListId: 'list-pending', title: 'x' };
  expect(await codeOf(documents.CreateTodo, { input })).toBe('FORBIDDEN');
  expect(await codeOf(documents.CreateTodo, { input }, { ...own, 'x-bloo-project-id': 'nope' })).toBe('PROJECT_NOT_FOUND');
  expect((await ask(documents.ListLists, { projectId: 'nope' })).body.data).toEqual({ todoLists: [] });
  expect((await ask('{ nonsense }', {})).status).toBe(400);
  expect(await codeOf(documents.CreateTodo, { input: { title: 7 } }, inTemplate)).toBe('BAD_USER_INPUT');
});

const findLater = async (where?: OpenSandbox) =>
  (await ask(documents.FindProjects, { companyId, search: 'Later' }, own, where)).body.data.projectList.items as { id: string }[];

it('toggles, refuses to move a card to its own list, and copies completely after a delay', async () => {
  const toggle = async () =>
    (await ask(documents.ToggleDone, { id: 'todo-call-the-site' }, inTemplate)).body.data.updateTodoDoneStatus.done as unknown;
  expect([await toggle(), await toggle()]).toEqual([true, false]);
  const move = { todoId: 'todo-call-the-site', todoListId: 'list-up-next' };
  expect(await codeOf(documents.MoveTodo, { input: move }, inTemplate)).toBe('TODO_ALREADY_IN_LIST');

  const input = { companyId, name: 'Later', projectId: 'project-template', options: {} };
  expect((await ask(documents.CopyProject, { input }, inTemplate)).body.data).toEqual({ copyProject: true });
  expect((await ask(documents.CopyProject, { input }, inTemplate)).body.errors).toMatchObject([
    { message: expect.stringMatching(/^Oops!/) },
  ]);
  expect(await findLater()).toEqual([]);

  const quick = await openSandbox({ copyDelayMs: 1 });
  await ask(documents.CopyProject, { input }, inTemplate, quick);
  const { id: projectId } = await until(async () => (await findLater(quick))[0], 'the copy is there');
  expect((await ask(documents.ListLists, { projectId }, own, quick)).body.data.todoLists).toHaveLength(4);
  await quick.close();
});

it.each([
  ['card-429', 429],
  ['card-500', 500],
  ['card-refused', 200],
])('fails on purpose: %s', async (word, status) => {
  const answer = await ask(documents.CreateTodo, { input: { todoListId: 'list-pending', title: `x ${word}` } }, inTemplate);
  expect(answer.status).toBe(status);
  expect(answer.body.data ?? null).toBeNull();
});
