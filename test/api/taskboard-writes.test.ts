import { endpoints } from '../../src/contract';
import { untilHolds } from '../support/until';
import { startBoard, type BoardGateway } from './taskboard';

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

describe('making things', () => {
  it.concurrent('an empty project, columns behind the last one, cards at the bottom', async () => {
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

  it.concurrent('a card’s text comes back as text, HTML and links', async () => {
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

  it.concurrent('what a caller writes stays a value', async () => {
    const title = '") { id } } mutation { x(a: "${1}\\" #';
    const { id } = await board.card(title);
    expect((await detail(id)).title).toBe(title);
  });

  it.concurrent('with an Idempotency-Key a card is made once', async () => {
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

  it.concurrent('with nothing in it reads the card', async () => {
    const { id } = await board.card('Untouched');
    expect((await board.patch(`/todos/${id}`, {})).body).toEqual({ success: true, card: { id, title: 'Untouched' } });
  });

  it.concurrent('null clears the due date and "" the text', async () => {
    const { id, projectId } = await board.card('Full', { text: 'text', dueDate: '2026-12-01' });
    await board.patch(`/todos/${id}`, { dueDate: null, text: '', projectId });
    expect(await detail(id)).toMatchObject({ title: 'Full', duedAt: null, text: '', html: '', links: [] });
  });

  it.concurrent('done twice at the same time leaves it done', async () => {
    const { id } = await board.card();
    const answers = await Promise.all([1, 2, 3].map(() => board.patch(`/todos/${id}`, { done: true })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await detail(id)).done).toBe(true);
  });

  it.concurrent('a toggle whose answer was lost is looked up, and not turned over again', async () => {
    const { id } = await board.card('x toggle-reset-after');
    expect((await board.patch(`/todos/${id}`, { done: true })).status).toBe(200);
    expect((await detail(id)).done).toBe(true);
  });

  it.concurrent('a toggle that may still arrive is told as unknown', async () => {
    const { id } = await board.card('x toggle-late-600000');
    const { status, body } = await board.patch(`/todos/${id}`, { done: true });
    expect(body.error).toMatchObject({ code: 'OUTCOME_UNKNOWN', retryable: false });
    expect(status).toBe(502);
    const toggles = (await board.sandbox()).requests.filter(({ call, body: sent }) => call === 'toggle' && sent.includes(id));
    expect(toggles).toHaveLength(1);
  });

  it.concurrent('a read that is late after the text was changed does not say that nothing was done', async () => {
    // On a busy machine a workflow task may be lost. The next one makes the same edit again. The test tries another card then.
    await untilHolds(async () => {
      const { id, projectId } = await impatient.card('Old');
      const { status, body } = await impatient.patch(`/todos/${id}`, { title: 'x board-hang', done: true, projectId });
      expect([status, body]).toMatchObject([502, { error: { code: 'OUTCOME_UNKNOWN', step: 'read card', retryable: false } }]);
      const edits = (await impatient.sandbox()).requests.filter(({ call, body: sent }) => call === 'edit' && sent.includes(id));
      expect(edits).toHaveLength(1);
    }, 'the late read is told, after one edit');
  });

  it.concurrent('a read that is late before anything was changed is 502, because workflow tools send again on 504', async () => {
    const { id } = await impatient.card('x board-hang');
    const answers = await Promise.all([
      impatient.patch(`/todos/${id}`, { title: 'New' }),
      impatient.post(`/todos/${id}/comments`, { text: 'Hello' }),
    ]);
    for (const { status, body } of answers)
      expect([status, body]).toMatchObject([502, { error: { code: 'UPSTREAM_ERROR', step: 'read card', retryable: true } }]);
  });

  it.concurrent('an edit whose answer was lost is made again', async () => {
    const { id } = await board.card('x edit-reset-after-once move-500-once due-html-once');
    const before = (await detail(id)).todoList.id;
    expect((await board.patch(`/todos/${id}`, { text: 'new', dueDate: '2027-01-01' })).status).toBe(200);
    expect(await detail(id)).toMatchObject({ text: 'new', duedAt: '2027-01-01T00:00:00.000Z', todoList: { id: before } });
  });
});

describe('assigning', () => {
  const assign = (id: string, body: object) => board.post(`/todos/${id}/assign`, body);
  const ids = async (id: string) => (await detail(id)).users.map((user: { id: string }) => user.id);

  it.concurrent('by id, name, part of a name and e-mail; others stay', async () => {
    const { id } = await board.card();
    const answer = await assign(id, { user: 'DANA@example.org' });
    expect(answer.body).toEqual({ success: true, action: 'assign', userId: 'user-1', result: { success: true } });
    await assign(id, { user: 'okafor', action: 'ADD' });
    await assign(id, { userId: 'user-2', user: 'nobody at all' });
    expect(await ids(id)).toEqual(['user-1', 'user-3', 'user-2']);
    expect((await assign(id, { user: 'sam reyes', action: 'remove' })).body).toMatchObject({ action: 'unassign', userId: 'user-2' });
    expect(await ids(id)).toEqual(['user-1', 'user-3']);
  });

  it.concurrent('several candidates are shown, and nobody is assigned', async () => {
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

  it.concurrent('nobody of that name, an unknown id, an unknown action, nobody named', async () => {
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
