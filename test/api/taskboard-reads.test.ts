import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endpoints } from '../../src/contract';
import { until } from '../support/until';
import { startBoard, type BoardGateway } from './taskboard';

let board: BoardGateway;
beforeAll(async () => void (board = await startBoard()));
afterAll(() => board.stop());

describe('reads', () => {
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
});

describe('the upstream', () => {
  async function withSettings<T>(settings: Record<string, string>, work: (other: BoardGateway) => Promise<T>): Promise<T> {
    const other = await startBoard({ settings });
    try {
      return await work(other);
    } finally {
      await other.stop();
    }
  }

  describe('what the upstream says', () => {
    const cases = [
      ['card-refused', 400, 'VALIDATION_ERROR'],
      ['card-revoked', 502, 'UPSTREAM_ERROR'],
      ['card-401', 502, 'UPSTREAM_ERROR'],
      ['card-404', 404, 'NOT_FOUND'],
      ['card-429-once', 200, undefined],
    ] as const;
    it.each(cases)('%s is %i', async (sentinel, status, code) => {
      const { projectId, listId } = await board.board();
      const answer = await board.post('/todos', { todoListId: listId, projectId, title: `x ${sentinel}` });
      expect(answer.body.error?.code).toBe(code);
      expect(answer.status).toBe(status);
    });

    it('a read that fails once is tried again', async () => {
      const { id } = await board.card('x board-500-once');
      expect((await board.get(`/todos/${id}`)).status).toBe(200);
    });

    it('a read that is never answered is 504', () =>
      withSettings({ TASKBOARD_TIMEOUT_MS: '5000' }, async (impatient) => {
        const { id } = await impatient.card('x board-hang');
        const answer = await impatient.get(`/todos/${id}`);
        expect(answer).toMatchObject({ status: 504, body: { error: { code: 'UPSTREAM_TIMEOUT', retryable: true } } });
      }));

    it('a change that is never answered is 502, because it may be done', () =>
      withSettings({ TASKBOARD_TIMEOUT_MS: '5000' }, async (impatient) => {
        const { id } = await impatient.card();
        const answer = await impatient.patch(`/todos/${id}`, { title: 'x edit-hang' });
        expect(answer).toMatchObject({ status: 502, body: { error: { code: 'OUTCOME_UNKNOWN' } } });
      }));

    it('a full board is 422', async () => {
      const { projectId } = await board.board();
      for (let at = 2; at < 50; at++) await board.column(projectId, 'L', at);
      expect(await board.post('/lists', { projectId, title: 'L', position: 1 })).toMatchObject({
        status: 422,
        body: { error: { code: 'UPSTREAM_REJECTED' }, taskboardResponse: { code: 'TODO_LIST_LIMIT_REACHED' } },
      });
    });

    it('a card of another project is not found there', async () => {
      const { id } = await board.card();
      expect((await board.patch(`/todos/${id}`, { title: 'x', projectId: 'project-template' })).status).toBe(404);
    });
  });

  describe('settings', () => {
    it('a real address never gets the demonstration credentials', () =>
      withSettings({ TASKBOARD_URL: 'http://127.0.0.1:9/graphql' }, async (other) => {
        const { status, body } = await other.get('/projects');
        expect(status).toBe(503);
        expect(body.error.code).toBe('CONFIG_ERROR');
        expect(body.message).toContain('TASKBOARD_TOKEN_ID, TASKBOARD_TOKEN_SECRET, TASKBOARD_COMPANY_ID');
      }));

    it('sends exactly its own credentials, in either style, 429 with Retry-After passes, and no template is 503', async () => {
      const seen: { headers: Record<string, unknown>; body: { query: string; operationName: string; variables: object } }[] = [];
      const server = createServer((request, response) => {
        let text = '';
        request.on('data', (chunk) => (text += String(chunk)));
        request.on('end', () => {
          seen.push({ headers: request.headers, body: JSON.parse(text) });
          response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '12' });
          response.end('{"error":"RATE_LIMITED","message":"slow down s3cr3t","retryAfter":12}');
        });
      }).listen(0, '127.0.0.1');
      await new Promise((done) => server.once('listening', done));
      const settings = {
        TASKBOARD_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
        TASKBOARD_TOKEN_ID: 't0k3n',
        TASKBOARD_TOKEN_SECRET: 's3cr3t',
        TASKBOARD_COMPANY_ID: 'c0mp',
        TASKBOARD_HEADER_STYLE: 'blue',
      };
      await withSettings(settings, async (other) => {
        const { status, body, headers } = await other.post(
          '/todos',
          { todoListId: 'l', title: 't', projectId: 'p' },
          { authorization: 'Bearer caller' },
        );
        expect(body.error.code).toBe('RATE_LIMITED');
        expect(status).toBe(429);
        expect(headers.get('retry-after')).toBe('12');
        expect(headers.get('x-leadgate-sandbox')).toBeNull();
        expect(JSON.stringify(body)).not.toContain('s3cr3t');
        expect(seen[0]?.headers).toMatchObject({
          'blue-token-id': 't0k3n',
          'blue-token-secret': 's3cr3t',
          'blue-org-id': 'c0mp',
          'blue-workspace-id': 'p',
        });
        expect(seen[0]?.headers.authorization).toBeUndefined();
        expect(Object.keys(seen[0]?.body ?? {}).sort()).toEqual(['operationName', 'query', 'variables']);
        expect(seen[0]?.body).toMatchObject({
          operationName: 'CreateTodo',
          variables: { input: { todoListId: 'l', title: 't', placement: 'BOTTOM' } },
        });
        expect(await other.post('/projects', { name: 'No template' })).toMatchObject({
          status: 503,
          body: { error: { code: 'CONFIG_ERROR' } },
        });
        expect(seen).toHaveLength(1);
      });
      server.close();
      server.closeAllConnections();
    });
  });
});
