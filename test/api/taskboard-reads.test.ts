import { endpoints } from '../../src/contract';
import { until } from '../support/until';
import { startBoard, type BoardGateway } from './taskboard';

let board: BoardGateway;
beforeAll(async () => void (board = await startBoard()));
afterAll(() => board.stop());

describe('an answer has exactly the form that the contract promises', () => {
  const paths: Record<string, string> = {
    listProjects: '/projects',
    getProject: '/projects/project-template',
    listLists: '/lists?projectId=project-template',
    listTodos: '/todos?projectId=project-template',
    getTodo: '/todos/todo-call-the-site?projectId=project-template',
    listComments: '/todos/todo-call-the-site/comments?projectId=project-template',
    listUsers: '/users',
  };

  it.each(Object.entries(paths))('%s', async (name, path) => {
    const { status, body, headers } = await board.get(path);
    expect(body).toMatchObject({ success: true });
    expect(status).toBe(200);
    expect(endpoints[name as keyof typeof endpoints].output.parse(body)).toEqual(body);
    expect(headers.get('x-leadgate-sandbox')).toBe('true');
  });
});

it('the board read holds its columns in order, each with its cards', async () => {
  const { body } = await board.get('/projects/project-template');
  expect(body.project.name).toBe('Study workspace template');
  expect(body.project.todoLists.map((list: { title: string }) => list.title)).toEqual(['Up Next', 'Pending', 'In Progress', 'Completed']);
  expect(body.project.todoLists[0]).toMatchObject({ id: 'list-up-next', todosCount: 2 });
  expect(body.project.todoLists[0].todos.map((card: { title: string }) => card.title)).toEqual([
    'Send the welcome e-mail',
    'Call the site',
  ]);
});

it('a card shows its links, checklists in order and files', async () => {
  const { body } = await board.get('/todos/todo-call-the-site');
  expect(body.card.checklists[0].checklistItems.map((item: { id: string }) => item.id)).toEqual(['item-1', 'item-2']);
  expect(body.card.files).toHaveLength(1);
  expect(body.card.users).toEqual([{ id: 'user-2', fullName: 'Sam Reyes' }]);
  expect(body.card.todoList).toEqual({ id: 'list-up-next', title: 'Up Next' });
});

it('filters users by name and e-mail as text, not as a pattern', async () => {
  const names = async (q: string) =>
    (await board.get(`/users?q=${encodeURIComponent(q)}`)).body.users.map((user: { fullName: string }) => user.fullName);
  expect(await names('SAM')).toEqual(['Sam Reyes', 'Sam Okafor']);
  expect(await names('okafor@')).toEqual(['Sam Okafor']);
  expect(await names('.*')).toEqual([]);
  expect(await names('(night.shift)')).toEqual(['Lee (Night.Shift)']);
  expect(await names('lee+night')).toEqual(['Lee (Night.Shift)']);
});

describe('what is not there is 404, though the upstream shows an empty page', () => {
  it.each(['/projects/nope', '/lists?projectId=nope', '/todos?projectId=nope', '/todos/nope', '/todos/nope/comments'])(
    '%s',
    async (path) => {
      const { status, body } = await board.get(path);
      expect(body).toMatchObject({ success: false, error: { code: 'NOT_FOUND' } });
      expect(status).toBe(404);
    },
  );

  it('a column of another project', async () => {
    const { listId } = await board.board();
    expect((await board.get(`/todos?projectId=project-template&todoListId=${listId}`)).status).toBe(404);
  });

  it('an empty column is no error', async () => {
    expect((await board.get('/todos?projectId=project-template&todoListId=list-completed')).body).toEqual({
      success: true,
      count: 0,
      cards: [],
    });
  });
});

describe('every page is read, with as few questions as there are pages', () => {
  const titles = (count: number) => Array.from({ length: count }, (_, index) => `Filled card ${index + 1}`);
  const questions = async () => (await board.calls()).board ?? 0;
  /** The answer for which that many questions were asked. A busy machine may repeat one, so this asks anew until it repeats none. */
  const answerAfter = (count: number, path: string) =>
    until(async () => {
      const before = await questions();
      const { body } = await board.get(path);
      expect((await questions()) - before).toBe(count);
      return body;
    }, `${path} takes ${count} questions`);

  it('1,200 cards of 2 KB each, in order', async () => {
    const { projectId, todoListIds } = await board.fill('cards=1200&bytes=2000');
    const { count, cards } = await answerAfter(3, `/todos?projectId=${projectId}`);
    expect(count).toBe(1200);
    const byList = todoListIds.flatMap((_, list) => titles(1200).filter((__, index) => index % 4 === list));
    expect(cards.map((card: { title: string }) => card.title)).toEqual(byList);
    expect(cards.every((card: { text: string }) => card.text.length > 1900)).toBe(true);

    const lists = (await answerAfter(5, `/projects/${projectId}`)).project.todoLists;
    expect(lists.map((list: { todos: unknown[] }) => list.todos.length)).toEqual([300, 300, 300, 300]);
    expect(lists.flatMap((list: { todos: { title: string }[] }) => list.todos.map(({ title }) => title))).toEqual(byList);
  });

  it('150 projects, 450 users, 250 comments', async () => {
    await board.reset();
    const { todoId } = await board.fill('projects=150&users=450&comments=250&cards=1');
    const projects = await answerAfter(2, '/projects');
    const users = await answerAfter(3, '/users');
    const comments = await answerAfter(3, `/todos/${todoId}/comments`);
    expect(projects.count).toBe(152);
    const names = projects.projects.map((project: { name: string }) => project.name);
    expect(names).toEqual(names.toSorted((one: string, other: string) => one.localeCompare(other)));
    expect(users.count).toBe(454);
    expect(comments.totalCount).toBe(250);
    expect(comments.comments.map((comment: { text: string }) => comment.text)).toEqual(
      Array.from({ length: 250 }, (_, index) => `Comment ${index + 1}`),
    );
  });

  it('more than one answer can carry is 422 in words, by number and by size', async () => {
    const many = await board.fill('cards=10001');
    expect(await board.get(`/todos?projectId=${many.projectId}`)).toMatchObject({
      status: 422,
      body: { error: { code: 'UPSTREAM_REJECTED' } },
    });
    await board.reset();
    const large = await board.fill('cards=2000&bytes=9000');
    const answer = await board.get(`/todos?projectId=${large.projectId}`);
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'UPSTREAM_REJECTED' } } });
    expect(answer.body.message).toContain('one column at a time');
    await board.reset();
  });
});
