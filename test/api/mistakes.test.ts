/** The errors that tell a caller how to mend a request. */
import { newLead, startGateway, type Gateway } from '../support/gateway';

const noPrescreen = '/api/clinicsys/no-prescreen';
const recruit = '/api/recruit/send-to-recruit';
let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway.stop());

const detailsOf = async (path: string, body: unknown) => (await gateway.post(path, body)).body.error.details;

describe('a missing field', () => {
  it.each([
    ['firstname', 'firstName'],
    ['last_name', 'lastName'],
    ['clinetId', 'clientId'],
  ])('that was sent as %s is named together with it', async (sent, field) => {
    const details = await detailsOf(recruit, { [sent]: 'x' });
    expect(details).toContainEqual({ field, message: `is required; you sent ${sent}` });
  });

  it('is only named when nothing like it was sent', async () =>
    expect(await detailsOf(recruit, { note: 'x' })).toContainEqual({ field: 'firstName', message: 'is required' }));
});

describe('all wrong fields are named at once', () => {
  it.each<[string, object, string[]]>([
    ['/api/taskboard/todos/todo-call-the-site/assign', { action: 'bogus' }, ['action', 'userId']],
    ['/api/taskboard/todos/todo-call-the-site/assign', { action: 'bogus', user: 7 }, ['user', 'action']],
    ['/api/erase', { dryRun: 'yes' }, ['dryRun', 'email']],
    ['/api/erase', { dryRun: 'yes', email: ' ', patientId: '' }, ['dryRun', 'email']],
    ['/api/erase', { dryRun: 'yes', email: 0 }, ['email', 'dryRun']],
    ['/api/upstreams/pause', { upstream: 'V1', instance: 'erg-oct' }, ['reason', 'instance']],
    ['/api/upstreams/resume', { upstream: 'constructor', instance: 'erg-oct' }, ['upstream', 'reason']],
    ['/api/upstreams/resume', { upstream: { toString: 1 }, instance: {} }, ['upstream', 'instance', 'reason']],
  ])('%s with %j', async (path, body, fields) => {
    const answer = await gateway.post(path, body);
    const named = (answer.body.error.details as { field: string }[]).map(({ field }) => field);
    expect([answer.status, named.toSorted()]).toEqual([400, fields.toSorted()]);
  });
});

describe('a name', () => {
  it.each(['undefined', 'null', ' null ', '[object Object]', 'NaN'])('that reads %j is refused', async (firstName) =>
    expect(await detailsOf(noPrescreen, { ...newLead(), firstName })).toEqual([
      { field: 'firstName', message: 'must be a name, not the word that a tool writes for a missing value' },
    ]),
  );

  it.each(['Null', 'Undefined-Smith'])('%s may be a person’s', async (lastName) =>
    expect((await gateway.post(noPrescreen, { ...newLead(), lastName }, { 'x-dry-run': 'true' })).status).toBe(200),
  );
});

it('names the place where a body stops being JSON, and nothing of its content', async () => {
  const answer = await fetch(gateway.url + noPrescreen, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{\n  "firstName": Ann\n}',
  });
  expect(await answer.json()).toMatchObject({
    message: 'The body must be valid JSON: a value is expected in line 2, column 16',
    error: { code: 'VALIDATION_ERROR' },
  });
});

describe('an unknown path', () => {
  it.each([
    ['/api/clinicsys/noprescreen', 'There is no such path, see /docs: did you mean /api/clinicsys/no-prescreen?'],
    ['/api/lead/lead-1/exchange', 'There is no such path, see /docs: did you mean /api/leads/{leadId}/exchanges?'],
    ['/elsewhere', 'There is no such path, see /docs'],
  ])('%s is answered with the nearest path', async (path, message) => {
    const { status, body } = await gateway.get(path);
    expect([status, body.message]).toEqual([404, message]);
  });
});

it('names the lead that an Idempotency-Key belongs to, and the way out', async () => {
  const key = { 'idempotency-key': 'row-17' };
  const first = await gateway.post(noPrescreen, newLead(), key);
  const leadId = first.headers.get('x-lead-id') ?? '';
  const { status, body } = await gateway.post(noPrescreen, newLead(), key);
  expect([status, body.error.code, body.leadId, body.state]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED', leadId, 'delivered']);
  expect(body.message).toBe(`This Idempotency-Key belongs to the lead ${leadId}, which has another body: send this one with a new key`);
});

describe('an act with a field that it does not have', () => {
  it.each([
    ['/api/erase', { email: 'nobody@example.org', reason: 'asked', dryrun: true }, 'dryrun', 'dryRun'],
    ['/api/upstreams/pause', { upstream: 'V1', instnace: 'ERG/erg-oct', reason: 'updating' }, 'instnace', 'instance'],
    ['/api/upstreams/resume', { upstream: 'V1', Instance: 'ERG/erg-oct', reason: 'done' }, 'Instance', 'instance'],
  ])('is refused: %s with %j', async (path, body, field, meant) => {
    const answer = await gateway.post(path, body);
    expect([answer.status, answer.body.error.details]).toEqual([400, [{ field, message: `is not known here: did you mean ${meant}?` }]]);
  });
});
