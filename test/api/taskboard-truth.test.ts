/** A board that answers politely, more than it was asked for, and does nothing: what it did not do is not answered as done. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EndpointName } from '../../src/contract';
import { startGateway, type Gateway } from '../support/gateway';
import { ask, endpointOf } from './answers';

const project = { id: 'p', uid: 'p', name: 'P', description: null, createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
const nameless = { id: 'u2', fullName: null, email: null };
const remark = (id: string, createdAt: string) => ({ id, text: id, createdAt, user: nameless });
const todo = {
  id: 't',
  uid: 'u',
  title: 'Card',
  text: null,
  html: null,
  done: false,
  duedAt: null,
  commentCount: 0,
  checklists: null,
  files: null,
};
const listed = { ...todo, users: [nameless], todoList: { id: 'l', title: 'L' } };
const answers: Record<string, unknown> = {
  FindProjects: { projectList: { items: [] } },
  ListProjects: { projectList: { items: [project], totalCount: 1, pageInfo: { hasNextPage: false } } },
  ListTodos: { todoQueries: { todos: { items: [listed], pageInfo: { totalItems: 1, hasNextPage: false } } } },
  ListUsers: { companyUserList: { users: [nameless], totalCount: 1, pageInfo: { hasNextPage: false } } },
  ListComments: {
    todo: { id: 't' },
    commentList: {
      comments: [
        remark('third', '2026-01-01T00:00:00.500Z'),
        remark('fourth', '2026-01-01T00:00:00.500Z'),
        remark('second', '2026-01-01T00:00:00Z'),
        remark('first', '2026-01-01T00:30:00+01:00'),
      ],
      totalCount: 4,
      pageInfo: { hasNextPage: false },
    },
  },
  GetList: { todoList: { id: 'l', title: 'L', project: { id: 'p' } } },
  CreateProject: { createProject: project },
  CreateTodo: { createTodo: todo },
  EditTodo: { editTodo: todo },
  CreateComment: { createComment: remark('new', '2026-01-01T00:00:00Z') },
  GetTodo: {
    todo: {
      ...todo,
      todoList: { id: 'l', title: 'L', project: { id: 'p' } },
      users: [{ id: 'u1', fullName: 'Ann Lee', email: 'ann@example.org' }],
    },
  },
  ToggleDone: { updateTodoDoneStatus: { id: 't', title: 'Card', done: false } },
  AddAssignees: { addTodoAssignees: { success: false } },
  ListLists: { todoLists: [{ id: 'l', title: 'L', position: -70_000, todosCount: 0 }] },
  GetProject: { project },
};
const refusals: Record<string, unknown> = {};
const asked: { operationName: string; variables: any; projectId: unknown }[] = []; // oxlint-disable-line typescript/no-explicit-any -- read by the tests below

/** Adds a field that nobody asked for to each object. */
const whole = (data: unknown) =>
  JSON.parse(
    JSON.stringify(data, (_, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value, __typename: 'Thing' } : value,
    ),
  ) as unknown;

const server = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk) => (text += String(chunk)));
  request.on('end', () => {
    const { operationName, variables } = JSON.parse(text) as (typeof asked)[number];
    asked.push({ operationName, variables, projectId: request.headers['x-bloo-project-id'] });
    const created =
      operationName === 'CreateList' ? { createTodoList: { id: 'n', title: 'z', position: variables.input.position } } : undefined;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ errors: refusals[operationName], data: whole(created ?? answers[operationName] ?? null) }));
  });
});

let gateway: Gateway;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const TASKBOARD_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  gateway = await startGateway({
    settings: {
      TASKBOARD_URL,
      TASKBOARD_TOKEN_ID: 'our-token',
      TASKBOARD_TOKEN_SECRET: 'our-token-secret',
      TASKBOARD_COMPANY_ID: 'c',
      TASKBOARD_TEMPLATE_PROJECT_ID: 't',
      TASKBOARD_CLONE_MODE: 'copy',
      TASKBOARD_CLONE_TIMEOUT_MS: '1500',
      TASKBOARD_CLONE_POLL_MS: '100',
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  server.closeAllConnections();
  server.close();
});

it('a card that does not stay done is 502', async () => {
  const { status, body } = await gateway.patch('/api/taskboard/todos/t', { done: true, projectId: 'p' });
  expect([status, body]).toMatchObject([502, { success: false, error: { code: 'UPSTREAM_ERROR' } }]);
});

it('an assignment that was not made is 422', async () =>
  expect(await gateway.post('/api/taskboard/todos/t/assign', { userId: 'u1', projectId: 'p' })).toMatchObject({
    status: 422,
    body: { success: false, error: { code: 'UPSTREAM_REJECTED' } },
  }));

it('a card without a text has an empty one, and its users have an id and a name', async () => {
  const { body } = await gateway.get('/api/taskboard/todos/t?projectId=p');
  expect(body.card).toMatchObject({ text: '', users: [{ id: 'u1', fullName: 'Ann Lee' }] });
  expect(body.card.users[0]).not.toHaveProperty('email');
});

it('a new column goes behind the last one, wherever that is', async () => {
  await gateway.post('/api/taskboard/lists', { projectId: 'p', title: 'Last' });
  expect(asked.find(({ variables }) => variables.input?.title === 'Last')?.variables.input.position).toBe(-70_000 + 65_535);
});

it('a copy that the board says no to is not looked for, and nothing is said to be ordered', async () => {
  answers.CopyProject = { copyProject: false };
  asked.length = 0;
  const { status, body } = await gateway.post('/api/taskboard/projects', { name: 'Not taken' });
  expect([status, body]).toEqual([
    502,
    {
      success: false,
      message: expect.stringContaining('did not take the order'),
      error: { code: 'UPSTREAM_ERROR', step: 'order copy', retryable: true },
    },
  ]);
  expect(asked.map(({ operationName }) => operationName)).toEqual(['FindProjects', 'CopyProject']);
});

it.each([null, 'false', 0])('a copy of which it says neither yes nor no (%j) is looked for, and may be under way', async (copyProject) => {
  answers.CopyProject = { copyProject };
  const { status, body } = await gateway.post('/api/taskboard/projects', { name: `Said ${String(copyProject)}` });
  expect([status, body]).toMatchObject([
    502,
    { message: expect.stringContaining('in a form that is not its own'), error: { code: 'OUTCOME_UNKNOWN', retryable: false } },
  ]);
});

it('a card of which it says null has nothing there', async () => {
  const { status, body } = await gateway.get('/api/taskboard/todos/t');
  expect([status, body.card]).toMatchObject([200, { text: '', html: '', links: [], checklists: [], files: [] }]);
});

describe('an answer of null', () => {
  const before = { ...answers };
  afterEach(() => void Object.assign(answers, before));

  it.each([
    ['a change', { EditTodo: { editTodo: null } }, { text: 'new' }],
    ['a due date', { SetDue: { updateTodoDueDate: null } }, { dueDate: null }],
  ])('to %s says that there is no such card', async (_, answer, body) => {
    Object.assign(answers, answer);
    expect(await gateway.patch('/api/taskboard/todos/t', { ...body, projectId: 'p' })).toMatchObject({
      status: 404,
      body: { error: { code: 'NOT_FOUND' } },
    });
  });

  it('to a new comment leaves open whether it was written', async () => {
    answers.CreateComment = { createComment: null };
    expect(await gateway.post('/api/taskboard/todos/t/comments', { text: 'Called', projectId: 'p' })).toMatchObject({
      status: 502,
      body: { error: { code: 'OUTCOME_UNKNOWN', retryable: false } },
    });
  });
});

const routes: readonly (readonly [EndpointName, Readonly<Record<string, unknown>>])[] = [
  ['listProjects', {}],
  ['createProject', { name: 'P', fromTemplate: false }],
  ['getProject', { id: 'p' }],
  ['listLists', { projectId: 'p' }],
  ['createList', { projectId: 'p', title: 'L', position: 1 }],
  ['listTodos', { projectId: 'p' }],
  ['createTodo', { todoListId: 'l', projectId: 'p', title: 'Card' }],
  ['getTodo', { id: 't' }],
  ['updateTodo', { id: 't', projectId: 'p', title: 'Card' }],
  ['listComments', { id: 't' }],
  ['createComment', { id: 't', projectId: 'p', text: 'new' }],
  ['listUsers', {}],
];

it.each(routes)('%s answers nothing but its own fields, with "" for a name that the board does not tell', async (name, fields) => {
  const { status, body } = await ask(gateway, name, fields);
  expect(status).toBe(200);
  expect(body).toEqual(endpointOf(name).output.parse(body));
});

it('comments are in the order of their times, however the board sorts them', async () => {
  const { body } = await gateway.get('/api/taskboard/todos/t/comments');
  expect(body.comments.map(({ id }: { id: string }) => id)).toEqual(['first', 'second', 'third', 'fourth']);
});

it('a column without cards is looked up in its project', async () => {
  answers.ListTodos = { todoQueries: { todos: { items: [], pageInfo: { totalItems: 0, hasNextPage: false } } } };
  asked.length = 0;
  expect((await gateway.get('/api/taskboard/todos?projectId=p&todoListId=l')).body).toEqual({ success: true, count: 0, cards: [] });
  expect(asked.map(({ operationName, projectId }) => [operationName, projectId])).toEqual([
    ['ListTodos', 'p'],
    ['GetList', 'p'],
  ]);
});

describe('the words of the board', () => {
  afterEach(() => delete refusals.CreateComment);

  const comment = (code: string) => {
    refusals.CreateComment = [{ message: 'our-token with our-token-secret at /srv/db.js:7', extensions: { code } }];
    return gateway.post('/api/taskboard/todos/t/comments', { text: code, projectId: 'p' });
  };

  it('stand beside a refusal, without our credentials', async () =>
    expect(await comment('LIMIT_REACHED')).toMatchObject({
      status: 422,
      body: { taskboardResponse: { code: 'LIMIT_REACHED', message: '[secret] with [secret] at /srv/db.js:7' } },
    }));

  it('about its own troubles are for nobody else', async () => {
    const { status, body } = await comment('INTERNAL_SERVER_ERROR');
    expect([status, Object.keys(body).sort()]).toEqual([502, ['error', 'message', 'success']]);
    expect(body.message).not.toContain('/srv');
  });
});
