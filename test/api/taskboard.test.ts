import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endpoints, type EndpointName } from '../../src/contract';
import { startGateway, type Gateway } from '../support/gateway';
import { until, untilHolds } from '../support/until';
import { ask, endpointOf } from './answers';
import { startBoard, type BoardGateway } from './taskboard';

describe('reading the task board', () => {
  let board: BoardGateway;
  beforeAll(async () => void (board = await startBoard()));
  afterAll(() => board.stop());

  describe('reads', () => {
    describe('an answer has exactly the schema of the contract', () => {
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

    it('returns the columns of a project in order, each with its cards', async () => {
      const { body } = await board.get('/projects/project-template');
      expect(body.project.name).toBe('Study workspace template');
      expect(body.project.todoLists.map((list: { title: string }) => list.title)).toEqual([
        'Up Next',
        'Pending',
        'In Progress',
        'Completed',
      ]);
      expect(body.project.todoLists[0]).toMatchObject({ id: 'list-up-next', todosCount: 2 });
      expect(body.project.todoLists[0].todos.map((card: { title: string }) => card.title)).toEqual([
        'Send the welcome e-mail',
        'Call the site',
      ]);
    });

    it('returns a card with its links, its checklists in order and its files', async () => {
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

    describe('a missing resource is 404, even if the upstream returns an empty page', () => {
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

    describe('every page is read, with one request per page', () => {
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

      it('rejects a list that is too long or too large with 422', async () => {
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

    describe('an error of the upstream', () => {
      const cases = [
        ['card-refused', 400, 'VALIDATION_ERROR'],
        ['card-revoked', 502, 'UPSTREAM_ERROR'],
        ['card-401', 502, 'UPSTREAM_ERROR'],
        ['card-404', 404, 'NOT_FOUND'],
        ['card-429-once', 200, undefined],
      ] as const;
      it.concurrent.each(cases)('%s is %i', async (sentinel, status, code) => {
        const { projectId, listId } = await board.board();
        const answer = await board.post('/todos', { todoListId: listId, projectId, title: `x ${sentinel}` });
        expect(answer.body.error?.code).toBe(code);
        expect(answer.status).toBe(status);
      });

      it.concurrent('retries a read that fails once', async () => {
        const { id } = await board.card('x board-500-once');
        expect((await board.get(`/todos/${id}`)).status).toBe(200);
      });

      it.concurrent('answers 504 if a read gets no answer', () =>
        withSettings({ TASKBOARD_TIMEOUT_MS: '5000' }, async (impatient) => {
          const { id } = await impatient.card('x board-hang');
          const answer = await impatient.get(`/todos/${id}`);
          expect(answer).toMatchObject({ status: 504, body: { error: { code: 'UPSTREAM_TIMEOUT', retryable: true } } });
        }),
      );

      it.concurrent('answers 502 if a change gets no answer, because it may have been made', () =>
        withSettings({ TASKBOARD_TIMEOUT_MS: '5000' }, async (impatient) => {
          const { id } = await impatient.card();
          const answer = await impatient.patch(`/todos/${id}`, { title: 'x edit-hang' });
          expect(answer).toMatchObject({ status: 502, body: { error: { code: 'OUTCOME_UNKNOWN' } } });
        }),
      );

      it.concurrent('answers 422 for a full board', async () => {
        const { projectId } = await board.board();
        for (let at = 2; at < 50; at++) await board.column(projectId, 'L', at);
        expect(await board.post('/lists', { projectId, title: 'L', position: 1 })).toMatchObject({
          status: 422,
          body: { error: { code: 'UPSTREAM_REJECTED' }, taskboardResponse: { code: 'TODO_LIST_LIMIT_REACHED' } },
        });
      });

      it.concurrent('does not find a card of another project', async () => {
        const { id } = await board.card();
        expect((await board.patch(`/todos/${id}`, { title: 'x', projectId: 'project-template' })).status).toBe(404);
      });
    });

    describe('settings', () => {
      it('never sends the demonstration credentials to a real address', () =>
        withSettings({ TASKBOARD_URL: 'http://127.0.0.1:9/graphql' }, async (other) => {
          const { status, body } = await other.get('/projects');
          expect(status).toBe(503);
          expect(body.error.code).toBe('CONFIG_ERROR');
          expect(body.message).toContain('TASKBOARD_TOKEN_ID, TASKBOARD_TOKEN_SECRET, TASKBOARD_COMPANY_ID');
        }));

      it('sends exactly its credentials in either style, forwards 429 with Retry-After, and answers 503 without a template', async () => {
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
});

describe('writing the task board', () => {
  let board: BoardGateway;
  /** It waits for no answer for long. */
  let impatient: BoardGateway;
  beforeAll(async () => {
    board = await startBoard();
    impatient = await startBoard({ settings: { TASKBOARD_TIMEOUT_MS: '5000' } });
  });
  afterAll(async () => {
    await impatient.stop();
    await board.stop();
  });

  const detail = async (id: string) => (await board.get(`/todos/${id}`)).body.card;

  describe('creating', () => {
    it.concurrent('an empty project, columns after the last one, cards at the bottom', async () => {
      const made = await board.post('/projects', { name: 'Made by hand', description: 'd', fromTemplate: false });
      expect(endpoints.createProject.output.parse(made.body)).toEqual(made.body);
      const { id: projectId } = made.body.project;
      const list = async (more: object = {}) => (await board.post('/lists', { projectId, title: 'L', ...more })).body.list;
      const [first, second, between] = [await list(), await list(), await list({ position: 100.5 })];
      expect([first.position, second.position, between.position]).toEqual([65535, 131070, 100.5]);
      expect(Object.keys(first).sort()).toEqual(['id', 'position', 'title']);
      const titles = ['one', 'two', 'three'];
      for (const title of titles) {
        const { status, body } = await board.post('/todos', { todoListId: first.id, title, dueDate: '2026-12-01' });
        expect(status).toBe(200);
        expect(endpoints.createTodo.output.parse(body)).toEqual(body);
      }
      const { cards } = (await board.get(`/todos?projectId=${projectId}`)).body;
      expect(cards.map((card: { title: string }) => card.title)).toEqual(titles);
      expect(cards[0].duedAt).toBe('2026-12-01T00:00:00.000Z');
    });

    it.concurrent('a card with a text, which is returned as text, HTML and links', async () => {
      const text = 'Please read. The protocol [https://example.org/p?a=1&b=2]\nor <b>ask</b> mailto:ann@example.org.';
      const { id } = await board.card('With a link', { text });
      const card = await detail(id);
      expect(card.text).toBe(text);
      expect(card.html).toContain('<a href="https://example.org/p?a=1&amp;b=2">The protocol</a><br>or &lt;b&gt;');
      expect(card.links).toEqual([
        { url: 'https://example.org/p?a=1&b=2', label: 'The protocol' },
        { url: 'mailto:ann@example.org', label: 'mailto:ann@example.org' },
      ]);
    });

    it.concurrent('comments, the oldest first', async () => {
      const { id } = await board.card();
      for (const text of ['first', 'second']) {
        const { body } = await board.post(`/todos/${id}/comments`, { text });
        expect(endpoints.createComment.output.parse(body)).toEqual(body);
      }
      const { body } = await board.get(`/todos/${id}/comments`);
      expect(body).toMatchObject({
        totalCount: 2,
        comments: [{ text: 'first', user: { id: 'user-1', fullName: 'Dana Cole' } }, { text: 'second' }],
      });
    });

    it.concurrent('never interprets text of the caller as GraphQL', async () => {
      const title = '") { id } } mutation { x(a: "${1}\\" #';
      const { id } = await board.card(title);
      expect((await detail(id)).title).toBe(title);
    });

    it.concurrent('creates a card once with an Idempotency-Key', async () => {
      const { projectId, listId } = await board.board();
      const send = () => board.post('/todos', { todoListId: listId, title: 'once' }, { 'Idempotency-Key': `key-${listId}` });
      const [first, again] = [await send(), await send()];
      expect(again.body).toEqual(first.body);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect((await board.get(`/todos?projectId=${projectId}`)).body.count).toBe(1);
      const other = await board.post('/todos', { todoListId: listId, title: 'other' }, { 'Idempotency-Key': `key-${listId}` });
      expect(other).toMatchObject({ status: 422, body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } } });
    });

    it.concurrent.each(['reset-after', 'reset', 'hang', '500', 'html-after'])(
      'an unknown outcome (%s) is told as such, and the card is not made twice',
      async (effect) => {
        const at = effect === 'hang' ? impatient : board;
        const { projectId, listId } = await at.board();
        const { status, body } = await at.post('/todos', { todoListId: listId, projectId, title: `x card-${effect}` });
        expect(body).toMatchObject({ success: false, error: { code: 'OUTCOME_UNKNOWN', retryable: false } });
        expect(status).toBe(502);
        expect((await at.get(`/todos?projectId=${projectId}`)).body.count).toBe(effect.endsWith('after') ? 1 : 0);
      },
    );
  });

  describe('PATCH', () => {
    it.concurrent('changes title, text, due date, column and done together', async () => {
      const { id, otherListId } = await board.card('Old', { text: 'old' });
      const change = {
        title: 'New',
        text: 'see https://example.org',
        dueDate: '2026-12-24T10:00:00+02:00',
        done: true,
        todoListId: otherListId,
      };
      const { status, body } = await board.patch(`/todos/${id}`, change);
      expect(body).toEqual({ success: true, card: { id, title: 'New' } });
      expect(status).toBe(200);
      const wanted = {
        title: 'New',
        text: 'see https://example.org',
        duedAt: '2026-12-24T08:00:00.000Z',
        done: true,
        todoList: { id: otherListId },
      };
      expect(await detail(id)).toMatchObject(wanted);
      // The same once more changes nothing: the column is the same, and done stays done.
      expect((await board.patch(`/todos/${id}`, change)).body).toEqual(body);
      expect(await detail(id)).toMatchObject(wanted);
    });

    it.concurrent('without fields returns the card', async () => {
      const { id } = await board.card('Untouched');
      expect((await board.patch(`/todos/${id}`, {})).body).toEqual({ success: true, card: { id, title: 'Untouched' } });
    });

    it.concurrent('null clears the due date and "" the text', async () => {
      const { id, projectId } = await board.card('Full', { text: 'text', dueDate: '2026-12-01' });
      await board.patch(`/todos/${id}`, { dueDate: null, text: '', projectId });
      expect(await detail(id)).toMatchObject({ title: 'Full', duedAt: null, text: '', html: '', links: [] });
    });

    it.concurrent('marks a card done with two concurrent requests', async () => {
      const { id } = await board.card();
      const answers = await Promise.all([1, 2, 3].map(() => board.patch(`/todos/${id}`, { done: true })));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect((await detail(id)).done).toBe(true);
    });

    it.concurrent('looks up a toggle whose answer was lost, and does not toggle again', async () => {
      const { id } = await board.card('x toggle-reset-after');
      expect((await board.patch(`/todos/${id}`, { done: true })).status).toBe(200);
      expect((await detail(id)).done).toBe(true);
    });

    it.concurrent('answers OUTCOME_UNKNOWN for a toggle that may still arrive', async () => {
      const { id } = await board.card('x toggle-late-600000');
      const { status, body } = await board.patch(`/todos/${id}`, { done: true });
      expect(body.error).toMatchObject({ code: 'OUTCOME_UNKNOWN', retryable: false });
      expect(status).toBe(502);
      const toggles = (await board.sandbox()).requests.filter(({ call, body: sent }) => call === 'toggle' && sent.includes(id));
      expect(toggles).toHaveLength(1);
    });

    it.concurrent('does not say that nothing was changed if a read times out after the change', async () => {
      // On a busy machine a workflow task may be lost. The next one makes the same edit again. The test tries another card then.
      await untilHolds(async () => {
        const { id, projectId } = await impatient.card('Old');
        const { status, body } = await impatient.patch(`/todos/${id}`, { title: 'x board-hang', done: true, projectId });
        expect([status, body]).toMatchObject([502, { error: { code: 'OUTCOME_UNKNOWN', step: 'read card', retryable: false } }]);
        const edits = (await impatient.sandbox()).requests.filter(({ call, body: sent }) => call === 'edit' && sent.includes(id));
        expect(edits).toHaveLength(1);
      }, 'the late read is told, after one edit');
    });

    it.concurrent('answers 502 if a read times out before the change, because tools retry on 504', async () => {
      const { id } = await impatient.card('x board-hang');
      const answers = await Promise.all([
        impatient.patch(`/todos/${id}`, { title: 'New' }),
        impatient.post(`/todos/${id}/comments`, { text: 'Hello' }),
      ]);
      for (const { status, body } of answers)
        expect([status, body]).toMatchObject([502, { error: { code: 'UPSTREAM_ERROR', step: 'read card', retryable: true } }]);
    });

    it.concurrent('retries an edit whose answer was lost', async () => {
      const { id } = await board.card('x edit-reset-after-once move-500-once due-html-once');
      const before = (await detail(id)).todoList.id;
      expect((await board.patch(`/todos/${id}`, { text: 'new', dueDate: '2027-01-01' })).status).toBe(200);
      expect(await detail(id)).toMatchObject({ text: 'new', duedAt: '2027-01-01T00:00:00.000Z', todoList: { id: before } });
    });
  });

  describe('assigning', () => {
    const assign = (id: string, body: object) => board.post(`/todos/${id}/assign`, body);
    const ids = async (id: string) => (await detail(id)).users.map((user: { id: string }) => user.id);

    it.concurrent('by id, name, part of a name and e-mail keeps other users', async () => {
      const { id } = await board.card();
      const answer = await assign(id, { user: 'DANA@example.org' });
      expect(answer.body).toEqual({ success: true, action: 'assign', userId: 'user-1', result: { success: true } });
      await assign(id, { user: 'okafor', action: 'ADD' });
      await assign(id, { userId: 'user-2', user: 'nobody at all' });
      expect(await ids(id)).toEqual(['user-1', 'user-3', 'user-2']);
      expect((await assign(id, { user: 'sam reyes', action: 'remove' })).body).toMatchObject({ action: 'unassign', userId: 'user-2' });
      expect(await ids(id)).toEqual(['user-1', 'user-3']);
    });

    it.concurrent('returns several matching users, and assigns none', async () => {
      const { id } = await board.card();
      const { status, body } = await assign(id, { user: 'sam' });
      expect(status).toBe(409);
      expect(body).toMatchObject({ success: false, error: { code: 'AMBIGUOUS_USER' } });
      expect(body.candidates).toEqual([
        { id: 'user-2', fullName: 'Sam Reyes', email: 'sam@example.org' },
        { id: 'user-3', fullName: 'Sam Okafor', email: 'sam.okafor@example.org' },
      ]);
      expect(await ids(id)).toEqual([]);
    });

    it.concurrent('rejects an unknown name, id or action, and a missing user', async () => {
      const { id } = await board.card();
      expect(await assign(id, { user: '.*' })).toMatchObject({ status: 404, body: { error: { code: 'USER_NOT_FOUND' } } });
      expect(await assign(id, { userId: 'user-99' })).toMatchObject({ status: 404, body: { error: { code: 'USER_NOT_FOUND' } } });
      expect(await assign(id, { userId: 'user-1', action: 'toggle' })).toMatchObject({ status: 400 });
      expect(await assign(id, {})).toMatchObject({ status: 400, body: { error: { details: [{ field: 'userId' }] } } });
    });
  });

  describe('wrong requests are 400 with every wrong field', () => {
    it.concurrent.each([
      ['/projects', { name: 'x'.repeat(51) }, ['name']],
      ['/projects', { fromTemplate: 'yes' }, ['name', 'fromTemplate']],
      ['/lists', { position: '7' }, ['projectId', 'title', 'position']],
      ['/todos', { dueDate: '2026-02-30', title: ' ' }, ['todoListId', 'title', 'dueDate']],
      ['/todos/x/comments', { text: '' }, ['text']],
    ])('%s %j', async (path, body, fields) => {
      const answer = await board.post(path, body);
      expect(answer.status).toBe(400);
      expect(answer.body.error.details.map((detail: { field: string }) => detail.field).sort()).toEqual(fields.sort());
    });

    it.concurrent('GET lists and todos without a project', async () => {
      expect((await board.get('/lists')).status).toBe(400);
      expect((await board.get('/todos')).status).toBe(400);
    });
  });
});

describe('a project from the template', () => {
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

  it('has the columns and cards of the template, and the requested name and description', async () => {
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

  it('is created for each of several concurrent requests, also with the same name', async () => {
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

  it.concurrent('is copied from an ordinary project, one at a time', async () => {
    const source = await start();
    const plain = (await source.board('Plain')).projectId;
    const settings = {
      TASKBOARD_URL: `${source.sandboxUrl}/taskboard/graphql`,
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

  it.concurrent('is refused with 409 while another copy does not end', async () => {
    const stuck = await start({ TASKBOARD_CLONE_MODE: 'copy', TASKBOARD_CLONE_TIMEOUT_MS: '1000' }, 600_000);
    const first = stuck.post('/projects', { name: 'Slow' });
    await isOrdered(stuck, 'copy');
    const second = await stuck.post('/projects', { name: 'Late' });
    expect(second).toMatchObject({ status: 409, body: { error: { code: 'COPY_IN_PROGRESS', retryable: true } } });
    // The first was ordered and does not appear: nobody knows whether it will.
    expect(await first).toMatchObject({ status: 502, body: { error: { code: 'OUTCOME_UNKNOWN', retryable: false } } });
    expect(await named(stuck, 'Late')).toEqual([]);
  });

  it('is looked for after a lost answer, and not ordered again', async () => {
    const { status, body } = await board.post('/projects', { name: 'Lost project-reset-after' });
    expect(status).toBe(200);
    expect(await named(board, 'Lost project-reset-after')).toHaveLength(1);
    expect(body.project.name).toBe('Lost project-reset-after');
  });

  describe('a project that was created and could not be renamed', () => {
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
          message: expect.stringMatching(/The project was created \(projectId\).*do not send this again$/),
          error: { code, step: 'rename', retryable: false },
          projectId: id,
        },
      });
      expect(answer.headers.get('retry-after')).toBeNull();
      expect([copies.length, orders.length]).toEqual([1, 1]);
    });

    it.concurrent('is renamed when the board answers again', async () => {
      const { status, body, copies } = await ask(board, '500-x2');
      expect([status, body.project?.description, copies.length]).toEqual([200, 'Mine', 1]);
    });
  });

  it.concurrent('is still looked for after a restart of the worker', async () => {
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
});

/** A board that answers politely, more than it was asked for, and does nothing: what it did not do is not answered as done. */
describe('a board with unexpected answers', () => {
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

  it('answers 502 for a card that does not stay done', async () => {
    const { status, body } = await gateway.patch('/api/taskboard/todos/t', { done: true, projectId: 'p' });
    expect([status, body]).toMatchObject([502, { success: false, error: { code: 'UPSTREAM_ERROR' } }]);
  });

  it('answers 422 for an assignment that was not made', async () =>
    expect(await gateway.post('/api/taskboard/todos/t/assign', { userId: 'u1', projectId: 'p' })).toMatchObject({
      status: 422,
      body: { success: false, error: { code: 'UPSTREAM_REJECTED' } },
    }));

  it('returns an empty text for a card without one, and users with id and name', async () => {
    const { body } = await gateway.get('/api/taskboard/todos/t?projectId=p');
    expect(body.card).toMatchObject({ text: '', users: [{ id: 'u1', fullName: 'Ann Lee' }] });
    expect(body.card.users[0]).not.toHaveProperty('email');
  });

  it('adds a new column after the last position', async () => {
    await gateway.post('/api/taskboard/lists', { projectId: 'p', title: 'Last' });
    expect(asked.find(({ variables }) => variables.input?.title === 'Last')?.variables.input.position).toBe(-70_000 + 65_535);
  });

  it('does not look for a copy that the board rejected, and does not report it as ordered', async () => {
    answers.CopyProject = { copyProject: false };
    asked.length = 0;
    const { status, body } = await gateway.post('/api/taskboard/projects', { name: 'Not taken' });
    expect([status, body]).toEqual([
      502,
      {
        success: false,
        message: expect.stringContaining('did not accept the order'),
        error: { code: 'UPSTREAM_ERROR', step: 'order copy', retryable: true },
      },
    ]);
    expect(asked.map(({ operationName }) => operationName)).toEqual(['FindProjects', 'CopyProject']);
  });

  it.each([null, 'false', 0])(
    'a copy of which it says neither yes nor no (%j) is looked for, and may be under way',
    async (copyProject) => {
      answers.CopyProject = { copyProject };
      const { status, body } = await gateway.post('/api/taskboard/projects', { name: `Said ${String(copyProject)}` });
      expect([status, body]).toMatchObject([
        502,
        { message: expect.stringContaining('without true or false'), error: { code: 'OUTCOME_UNKNOWN', retryable: false } },
      ]);
    },
  );

  it('returns 404 or empty lists for null', async () => {
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

    it('to a new comment leaves its outcome unknown', async () => {
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

  it.each(routes)('%s returns only its own fields, with "" for a missing name', async (name, fields) => {
    const { status, body } = await ask(gateway, name, fields);
    expect(status).toBe(200);
    expect(body).toEqual(endpointOf(name).output.parse(body));
  });

  it('sorts comments by time', async () => {
    const { body } = await gateway.get('/api/taskboard/todos/t/comments');
    expect(body.comments.map(({ id }: { id: string }) => id)).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('looks up a column without cards in its project', async () => {
    answers.ListTodos = { todoQueries: { todos: { items: [], pageInfo: { totalItems: 0, hasNextPage: false } } } };
    asked.length = 0;
    expect((await gateway.get('/api/taskboard/todos?projectId=p&todoListId=l')).body).toEqual({ success: true, count: 0, cards: [] });
    expect(asked.map(({ operationName, projectId }) => [operationName, projectId])).toEqual([
      ['ListTodos', 'p'],
      ['GetList', 'p'],
    ]);
  });

  describe('a message of the board', () => {
    afterEach(() => delete refusals.CreateComment);

    const comment = (code: string) => {
      refusals.CreateComment = [{ message: 'our-token with our-token-secret at /srv/db.js:7', extensions: { code } }];
      return gateway.post('/api/taskboard/todos/t/comments', { text: code, projectId: 'p' });
    };

    it('is returned with a rejection, without our credentials', async () =>
      expect(await comment('LIMIT_REACHED')).toMatchObject({
        status: 422,
        body: { taskboardResponse: { code: 'LIMIT_REACHED', message: '[secret] with [secret] at /srv/db.js:7' } },
      }));

    it('about an internal error is not returned', async () => {
      const { status, body } = await comment('INTERNAL_SERVER_ERROR');
      expect([status, Object.keys(body).sort()]).toEqual([502, ['error', 'message', 'success']]);
      expect(body.message).not.toContain('/srv');
    });
  });
});
