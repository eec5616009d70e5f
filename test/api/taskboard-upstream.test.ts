import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startBoard, type BoardGateway } from './taskboard';

let board: BoardGateway;
beforeAll(async () => void (board = await startBoard()));
afterAll(() => board.stop());

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
