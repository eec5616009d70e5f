/** What a request may be, and how its mistakes are told. */
import { once } from 'node:events';
import { connect as openSocket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { endpointTable } from '../../src/contract';
import { isRepeatable } from '../../src/contract/endpoint';
import { openApi } from '../../tools/reference/openapi';
import { logged, newLead, startGateway, type Gateway } from '../support/gateway';
import { until, untilHolds } from '../support/until';

const repeatable = endpointTable.filter(([, endpoint]) => isRepeatable(endpoint));

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway.stop());

/** The errors that tell a caller how to mend a request. */
describe('invalid requests', () => {
  const noPrescreen = '/api/clinicsys/no-prescreen';
  const recruit = '/api/recruit/send-to-recruit';

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

    it('is only named if no similar field was sent', async () =>
      expect(await detailsOf(recruit, { note: 'x' })).toContainEqual({ field: 'firstName', message: 'is required' }));
  });

  describe('a misspelt optional field', () => {
    const withField = (name: string) => ({ ...newLead(), protocol: undefined, [name]: 'AD-302' });

    it('is named in a header, and the lead goes on', async () => {
      const { status, headers } = await gateway.post(noPrescreen, withField('Protocoll'));
      expect([status, headers.get('x-leadgate-warnings')]).toEqual([200, 'Protocoll is not known: did you mean protocol?']);
    });

    it('is named in the dry run, also if no header can hold its name', async () => {
      const { headers, body } = await gateway.post(noPrescreen, withField('pr\u00f6tocol'), { 'x-dry-run': 'true' });
      const warning = { field: 'pr\u00f6tocol', message: 'is not known: did you mean protocol?' };
      expect([headers.get('x-leadgate-warnings'), body.warnings]).toEqual([null, [warning]]);
    });

    it.each([
      ['hone', 'phone'],
      ['pphone', 'phone'],
      ['sx', 'sex'],
      ['dop', 'dob'],
      ['rac', 'race'],
    ])('is named if its name is short: %s', async (given, meant) => {
      const lead = { ...newLead(), phone: undefined, dob: undefined, sex: undefined, [given]: 'x' };
      const { headers } = await gateway.post(noPrescreen, lead, { 'x-dry-run': 'true' });
      expect(headers.get('x-leadgate-warnings')).toBe(`${given} is not known: did you mean ${meant}?`);
    });

    it('is named for a task-board call, too', async () => {
      const { status, headers } = await gateway.post('/api/taskboard/todos', {
        todoListId: 'list-up-next',
        title: 'Call',
        dueDat: '2026-12-01',
      });
      expect([status, headers.get('x-leadgate-warnings')]).toEqual([200, 'dueDat is not known: did you mean dueDate?']);
    });

    it('is not named if no known field is near', async () => {
      const own = { note: 'x', myOwnField: 1, job: 'x', mate: 'x', day: 'x' };
      const { headers, body } = await gateway.post(noPrescreen, { ...newLead(), dob: undefined, ...own }, { 'x-dry-run': 'true' });
      expect([headers.get('x-leadgate-warnings'), body.warnings]).toEqual([null, undefined]);
    });
  });

  describe('all invalid fields are reported at once', () => {
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
    it.each(['undefined', 'null', ' null ', '[object Object]', 'NaN'])('%j is rejected', async (firstName) =>
      expect(await detailsOf(noPrescreen, { ...newLead(), firstName })).toEqual([
        { field: 'firstName', message: 'must be a name, not the placeholder of a missing value' },
      ]),
    );

    it.each(['Null', 'Undefined-Smith'])('%s is accepted, because a person may have it', async (lastName) =>
      expect((await gateway.post(noPrescreen, { ...newLead(), lastName }, { 'x-dry-run': 'true' })).status).toBe(200),
    );
  });

  it('reports the position at which a body is no longer JSON, without its content', async () => {
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
      ['/api/clinicsys/noprescreen', 'This path does not exist: see /docs: did you mean /api/clinicsys/no-prescreen?'],
      ['/api/lead/lead-1/exchange', 'This path does not exist: see /docs: did you mean /api/leads/{leadId}/exchanges?'],
      ['/elsewhere', 'This path does not exist: see /docs'],
    ])('%s is answered with the nearest path', async (path, message) => {
      const { status, body } = await gateway.get(path);
      expect([status, body.message]).toEqual([404, message]);
    });
  });

  describe('a malformed Idempotency-Key', () => {
    it.each(repeatable.map(([, { method, path, upload }]) => [method, path, upload ? 'text/csv' : 'application/json'] as const))(
      'is rejected by %s %s',
      async (method, path, type) => {
        const answer = await fetch(gateway.url + path.replaceAll(/[{}]/g, ''), {
          method: method.toUpperCase(),
          headers: { 'content-type': type, 'idempotency-key': 'a b' },
          body: '{}',
        });
        const message = 'must be 1 to 255 visible ASCII characters';
        expect(await answer.json()).toMatchObject({ error: { details: expect.arrayContaining([{ field: 'Idempotency-Key', message }]) } });
      },
    );
  });

  it('names the lead of a reused Idempotency-Key, and what to do', async () => {
    const key = { 'idempotency-key': 'row-17' };
    const first = await gateway.post(noPrescreen, newLead(), key);
    const leadId = first.headers.get('x-lead-id') ?? '';
    const { status, body } = await gateway.post(noPrescreen, newLead(), key);
    expect([status, body.error.code, body.leadId, body.state]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED', leadId, 'delivered']);
    expect(body.message).toBe(`This Idempotency-Key belongs to the lead ${leadId}, which has another body: send this one with a new key`);
  });

  describe('an unknown field of an action', () => {
    it.each([
      ['/api/erase', { email: 'nobody@example.org', reason: 'asked', dryrun: true }, 'dryrun', 'dryRun'],
      ['/api/upstreams/pause', { upstream: 'V1', instnace: 'ERG/erg-oct', reason: 'updating' }, 'instnace', 'instance'],
      ['/api/upstreams/resume', { upstream: 'V1', Instance: 'ERG/erg-oct', reason: 'done' }, 'Instance', 'instance'],
    ])('is refused: %s with %j', async (path, body, field, meant) => {
      const answer = await gateway.post(path, body);
      expect([answer.status, answer.body.error.details]).toEqual([400, [{ field, message: `is not known here: did you mean ${meant}?` }]]);
    });
  });
});

/** How long a field may be: an e-mail is read whole by every route, so no route takes more than an address can have. */
describe('lengths', () => {
  const emailOf = (length: number) => `${'a'.repeat(length - '@example.org'.length)}@example.org`;
  const refusal = (field: string, most: number) => ({
    status: 400,
    body: { error: { code: 'VALIDATION_ERROR', details: [{ field, message: `must have at most ${most} characters` }] } },
  });

  const takers = endpointTable.flatMap(([name, { method, path, example }]) =>
    method === 'post' && example && 'email' in example ? [[name, path, example] as const] : [],
  );

  it.each(takers)('%s accepts an e-mail of at most 254 characters', async (_name, path, example) => {
    expect(await gateway.post(path, { ...example, email: emailOf(255) })).toMatchObject(refusal('email', 254));
    expect(await gateway.post(path, { ...example, email: emailOf(120_000) })).toMatchObject(refusal('email', 254));
    const isErase = path === '/api/erase';
    const longest = { ...example, email: `  ${emailOf(254)} `, ...(isErase && { dryRun: true }) };
    expect((await gateway.post(path, longest, isErase ? {} : { 'x-dry-run': 'true' })).status).toBe(200);
  });

  it('searches accept an e-mail of at most 254 characters, too', async () => {
    for (const [path, field] of [
      ['/api/leads', 'email'],
      ['/api/leads/counts', 'email'],
      ['/api/taskboard/users', 'q'],
    ] as const) {
      expect(await gateway.get(`${path}?${field}=${emailOf(255)}`)).toMatchObject(refusal(field, 254));
      expect((await gateway.get(`${path}?${field}=${emailOf(254)}`)).status).toBe(200);
    }
    const order = { filter: { email: emailOf(255) }, reason: 'r' };
    expect(await gateway.post('/api/redrives', order)).toMatchObject(refusal('filter.email', 254));
    const user = { user: emailOf(255) };
    expect(await gateway.post('/api/taskboard/todos/todo-call-the-site/assign', user)).toMatchObject(refusal('user', 254));
  });

  it.each([
    ['firstName', 'x', 500],
    ['protocol', '😀', 8_192],
    ['race', 'x', 8_192],
    ['zipCode', '1', 500],
    ['phone', '5', 100],
    ['photoUpload', 'https://example.org/', 8_192],
  ])('%s has a length of its own, counted as a person counts', async (field, start, most) => {
    const lead = (length: number) => newLead('', { [field]: start + 'x'.repeat(length - Array.from(start).length) });
    expect(await gateway.post('/api/clinicsys/no-prescreen/format-data', lead(most + 1))).toMatchObject(refusal(field, most));
    expect((await gateway.post('/api/clinicsys/no-prescreen/format-data', lead(most))).status).toBe(200);
  });

  it('limits free text only by the size of the body', async () => {
    const { status } = await gateway.post('/api/taskboard/todos/todo-call-the-site/comments', { text: 'word '.repeat(10_000) });
    expect(status).toBe(200);
  });

  it('the reference has the maximum length of every e-mail', () => {
    const said = [...JSON.stringify(openApi('1')).matchAll(/"email":\{("description"|"type")[^}]*?"maxLength":\d+/g)];
    expect(said.length).toBeGreaterThan(10);
    expect(said.filter(([text]) => !text.endsWith('"maxLength":254'))).toEqual([]);
  });
});

describe('requests', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ settings: { HEADERS_TIMEOUT_MS: '500', REQUEST_TIMEOUT_MS: '1000' } });
  });
  afterAll(() => gateway.stop());

  const path = '/api/clinicsys/no-prescreen';
  const formatData = '/api/clinicsys/no-prescreen/format-data';
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const keys = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at])));

  describe('a body', () => {
    it.each<[string, string | Buffer, number]>([
      ['bad JSON', '{', 400],
      ['no JSON at all', 'hello', 400],
      ['an array', '[]', 400],
      ['a bare string', '"x"', 400],
      ['null', 'null', 400],
      ['nothing', '', 400],
      ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400],
      ['a lone surrogate', '{"a":"\\ud800"}', 400],
      ['a lone surrogate in a name', '{"\\udc00":1}', 400],
      ['a NUL', '{"a":"x\\u0000"}', 400],
      ['33 levels', nested(33), 400],
      ['30,000 levels', nested(30_000), 400],
      ['501 keys', keys(501), 400],
      ['more than 256 KiB', JSON.stringify({ a: 'x'.repeat(262_144) }), 413],
      ['32 levels', nested(32), 200],
      ['500 keys', keys(500), 200],
    ])('with %s', async (_name, body, status) => expect((await gateway.post(formatData, body)).status).toBe(status));

    it('that is too large gets the limit in the answer', async () =>
      expect((await gateway.post(formatData, JSON.stringify({ a: 'x'.repeat(262_144) }))).body).toMatchObject({
        message: 'The body is too large: at most 262144 bytes, decompressed',
        error: { code: 'PAYLOAD_TOO_LARGE' },
      }));

    it('is measured after decompression', async () => {
      const bomb = gzipSync(JSON.stringify({ a: 'x'.repeat(5_000_000) }));
      expect((await gateway.post(formatData, bomb, { 'content-encoding': 'gzip' })).status).toBe(413);
      const small = gzipSync(JSON.stringify({ phone: '5552013344' }));
      expect((await gateway.post(formatData, small, { 'content-encoding': 'gzip' })).body).toEqual({ phone: '555-201-3344' });
      expect((await gateway.post(formatData, 'x', { 'content-encoding': 'gzip' })).status).toBe(400);
      expect((await gateway.post(formatData, 'x', { 'content-encoding': 'zstd-x' })).status).toBe(415);
    });

    it.each([
      ['text/plain', 415],
      ['application/json; charset=iso-8859-1', 415],
      ['application/x-www-form-urlencoded', 415],
      ['application/json; charset=utf-8', 200],
      ['application/json; odata.metadata=none; charset="UTF8"', 200],
      ['application/jsonp', 415],
      ['application/vnd.api+json', 200],
    ])('of the type %s: %i', async (type, status) =>
      expect((await gateway.post(formatData, '{}', { 'content-type': type })).status).toBe(status),
    );

    it('uses the last of duplicate keys, and names like __proto__ have no effect', async () => {
      const { body } = await gateway.post(
        formatData,
        '{"phone":"1","phone":"5552013344","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
      );
      expect(body.phone).toBe('555-201-3344');
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    });
  });

  describe('a path', () => {
    it('is 404 if unknown, and 405 with Allow for an unsupported method', async () => {
      expect(await gateway.get('/api/nothing')).toMatchObject({
        status: 404,
        body: { success: false, error: { code: 'NOT_FOUND', retryable: false } },
      });
      const answer = await gateway.get(path);
      expect([answer.status, answer.body.error.code, answer.headers.get('allow')]).toEqual([405, 'METHOD_NOT_ALLOWED', 'POST']);
      expect((await gateway.post('/health/live', {})).status).toBe(405);
    });

    it('ignores case and a trailing slash, also for the larger limit of files', async () =>
      expect((await gateway.post('/API/Imports/', 'x'.repeat(262_145), { 'content-type': 'text/csv' })).status).toBe(400));
  });

  describe('a URL', () => {
    it.each([
      ['/api/leads/%E0%A4%A', 400],
      ['/api/taskboard/todos/%00', 400],
      ['/api/taskboard/users?q=%00', 400],
      ['/api/taskboard/users?q=%FF', 400],
      ['/api/taskboard/users?q=%ED%A0%80', 400],
      ['/api/taskboard/users?q=100%', 400],
      ['/api/taskboard/users?q=J%C3%BCrgen+100%25', 200],
    ])('that reads %s: %i', async (url, status) => expect((await gateway.get(url)).status).toBe(status));
  });

  describe('headers', () => {
    it('return a valid X-Request-Id, or a generated one', async () => {
      expect((await gateway.get('/health/live', { 'x-request-id': 'abc-1' })).headers.get('x-request-id')).toBe('abc-1');
      expect((await gateway.get('/health/live', { 'x-request-id': 'a b' })).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('have a generated X-Log-Id; the log never contains the X-Request-Id', async () => {
      const answer = await gateway.get('/version', { 'x-request-id': 'ann.lee@example.org' });
      expect(answer.headers.get('x-request-id')).toBe('ann.lee@example.org');
      await until(() => logged.some((line) => line.includes(`"logId":"${answer.headers.get('x-log-id')}"`)), 'the request is logged');
      expect(logged.join('')).not.toContain('ann.lee@example.org');
      const made = (await gateway.get('/version')).headers;
      expect(made.get('x-request-id')).toBe(made.get('x-log-id'));
    });

    it("store the caller's X-Request-Id encrypted with the run", async () => {
      const { headers } = await gateway.post('/api/clinicsys/with-prescreen', newLead(), { 'x-request-id': 'order-4711' });
      const run = await gateway.client.workflow.getHandle(headers.get('x-workflow-id') ?? '').describe();
      expect(run.memo?.lead).toMatchObject({ requestId: 'order-4711' });
    });

    it('allow no other origin by default', async () =>
      expect((await gateway.get('/version', { origin: 'https://evil.example' })).headers.get('access-control-allow-origin')).toBeNull());
  });

  describe('a malformed request gets the usual error body', () => {
    async function expectTold({ url }: Gateway, words: string, status: number) {
      const socket = openSocket(Number(new URL(url).port), '127.0.0.1');
      socket.write(words);
      let said = '';
      socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await once(socket, 'close');
      expect(said).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*"code":"VALIDATION_ERROR"`));
      expect(said).toMatch(/^x-request-id: [0-9a-f-]{36}\r$/im);
      expect(said).toMatch(/^cache-control: no-store\r$/im);
    }

    it.each([
      ['speaks no HTTP', 'hello\r\n\r\n', 400],
      ['does not say whom it calls', 'GET /version HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
      ['has too much to say before it comes to the point', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ])('if it %s', (_, words, status) => expectTold(gateway, words, status));

    it('if its headers do not arrive in time', async () => {
      const impatient = await startGateway({ settings: { REQUEST_TIMEOUT_MS: '1000' }, withoutWorker: true });
      try {
        await expectTold(impatient, 'POST /api HTTP/1.1\r\nHost: x\r\n', 408);
      } finally {
        await impatient.stop();
      }
    });
  });

  describe('operations', () => {
    it('are live, and ready if a worker polls', async () => {
      expect((await gateway.get('/health/live')).body).toEqual({ status: 'live' });
      await untilHolds(async () => expect((await gateway.get('/health/ready')).body).toEqual({ status: 'ready' }), 'it is ready');
    });

    it('count answers by route, without data of the caller', async () => {
      const lead = newLead();
      await gateway.post(path, lead);
      const { body } = await gateway.get('/metrics');
      expect(body).toContain(`leadgate_http_requests_total{method="POST",route="${path}",status="200"} 1`);
      expect(body).not.toContain(lead.email);
    });

    it('include the reference and the version', async () => {
      const { body } = await gateway.get('/openapi.json');
      expect(Object.keys(body.paths)).toContain(path);
      expect((await gateway.get('/version')).body.version).toMatch(/^\d/);
      expect((await gateway.get('/docs')).headers.get('content-type')).toMatch(/html/);
    });
  });
});
