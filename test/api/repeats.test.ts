/** What comes again: found where it is under way, told as what became of it, and new where nothing was done. */
import { randomBytes } from 'node:crypto';
import { answerOf } from '../../src/api/answer';
import { ApiError } from '../../src/contract/errors';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { openUpstream, type Upstream } from '../support/upstream';

let board: Upstream;
let gateway: Gateway;
beforeAll(async () => {
  board = await openUpstream();
  const settings = {
    TASKBOARD_URL: board.url,
    TASKBOARD_TOKEN_ID: 'id',
    TASKBOARD_TOKEN_SECRET: 'secret',
    TASKBOARD_COMPANY_ID: 'company',
  };
  gateway = await startGateway({ settings });
});
afterAll(async () => {
  await gateway.stop();
  await board.close();
});

const newKey = () => ({ 'idempotency-key': randomBytes(8).toString('hex') });

it('a lead that was driven again is told as what became of it', async () => {
  const lead = newLead('', { instanceName: 'erg-oct.key-404' });
  const key = newKey();
  const { status, body } = await gateway.post('/api/clinicsys/no-prescreen', lead, key);
  expect([status, body.state]).toEqual([422, 'failed']);
  const mended = { reason: 'the instance was mistyped', fields: { instanceName: 'erg-oct' } };
  expect((await gateway.post(`/api/leads/${body.leadId}/redrive`, mended)).status).toBe(200);
  expect((await gateway.get(`/api/leads/${body.leadId}?wait=60`)).body.state).toBe('delivered');
  const again = await gateway.post('/api/clinicsys/no-prescreen', lead, key);
  expect([again.status, again.headers.get('idempotency-replayed'), again.headers.get('x-lead-id')]).toEqual([200, 'true', body.leadId]);
});

describe('a call that ended before anything was done leaves its key to the next one', () => {
  const path = '/api/taskboard/todos/card-1/comments';
  const comment = { id: 'c1', text: 'Called', createdAt: '2026-11-20T10:00:00.000Z' };
  const refused = { errors: [{ message: 'too long', extensions: { code: 'BAD_USER_INPUT' } }], data: null };

  it('what was not right, to the mended body', async () => {
    const key = newKey();
    board.answerWith({ body: refused });
    expect((await gateway.post(path, { projectId: 'p1', text: 'Called twice' }, key)).status).toBe(400);
    board.answerWith({ body: { data: { createComment: comment } } });
    const mended = await gateway.post(path, { projectId: 'p1', text: 'Called' }, key);
    expect([mended.status, mended.headers.get('idempotency-replayed')]).toEqual([200, null]);
    expect((await gateway.post(path, { projectId: 'p1', text: 'Called' }, key)).headers.get('idempotency-replayed')).toBe('true');
  });

  it('what came too fast, to the same body', async () => {
    const key = newKey();
    const body = { projectId: 'p1', text: 'Called' };
    board.answerWith({ status: 429, body: { error: 'RATE_LIMITED', message: 'slow down' }, headers: { 'retry-after': '60' } });
    const limited = await gateway.post(path, body, key);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '60']);
    board.answerWith({ body: { data: { createComment: comment } } });
    expect((await gateway.post(path, body, key)).status).toBe(200);
  });
});

it.each([
  ['does not say when', undefined, '5'],
  ['says at once', 0, '1'],
])('429 says when to come again, also if the upstream %s', (_, retryAfterMs, seconds) => {
  const failure = { code: 'RATE_LIMITED', message: 'The task board asked us to slow down (429)', retryAfterMs } as const;
  const answer = () => answerOf({ leadId: '', flow: 'taskboard', state: 'failed', steps: [], failure });
  expect(answer).toThrow(ApiError);
  expect(answer).toThrow(expect.objectContaining({ extras: expect.objectContaining({ headers: { 'Retry-After': seconds } }) }));
});
