/** Requests that are made to hurt: each is answered or cut off. `npm run bench -- abuse` measures their memory. */
import { once } from 'node:events';
import { connect as openSocket, type Socket } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { openUpstream, type Upstream } from '../support/upstream';

let gateway: Gateway;
let upstream: Upstream;
beforeAll(async () => {
  upstream = await openUpstream();
  gateway = await startGateway({
    settings: { HEADERS_TIMEOUT_MS: '600000', REQUEST_TIMEOUT_MS: '600000', RECRUIT_URL_CANADA: upstream.url },
  });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

const path = '/api/clinicsys/no-prescreen';
const formatData = '/api/clinicsys/with-prescreen/format-data';
const lineBreak = 'good\r\nX-Injected: 1';
const mib = 1024 * 1024;

describe('a malicious body', () => {
  const deep = '['.repeat(500_000);
  const asDeepAsFits = `{"a":${'['.repeat(262_000)}`;
  const bomb = JSON.stringify({ a: 'x'.repeat(50 * mib) });
  const zipped = gzipSync(bomb);
  const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } };
  const questions = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`q${at + 1}`, 'Yes']));

  it.each<[string, string | Buffer, Record<string, string>, number]>([
    ['nested 500,000 deep', deep, {}, 413],
    ['nested 500,000 deep, compressed', gzipSync(deep), { 'content-encoding': 'gzip' }, 413],
    ['nested as deep as fits', asDeepAsFits, {}, 400],
    ['of 50 MB in a gzip of 50 KB', zipped, { 'content-encoding': 'gzip' }, 413],
    ['of 50 MB in a few bytes of brotli', brotliCompressSync(bomb, quickly), { 'content-encoding': 'br' }, 413],
    ['compressed twice', gzipSync(zipped), { 'content-encoding': 'gzip, gzip' }, 415],
    ['of 2,000 questions', JSON.stringify({ ...newLead(), ...questions(2_000) }), {}, 400],
    [
      'of keys that are no keys',
      `{${'"__proto__":{},'.repeat(400)}"constructor":{"prototype":{"toJSON":1}},"hasOwnProperty":1,"phone":"5552013344"}`,
      {},
      200,
    ],
  ])('%s', async (_name, body, headers, status) => {
    const answer = await gateway.post(formatData, body, headers);
    expect(answer.status).toBe(status);
    if (status !== 200) expect(answer.body).toMatchObject({ success: false, error: { retryable: false } });
    // It leaves no trace in what every object has.
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('input that is slow to compare', () => {
  const long = 'e-'.repeat(100_000);

  it.each([
    ['a name', path, { [long]: 1 }, 'StudyID'],
    ['a name in an object without others', '/api/redrives', { filter: {}, reason: 'x', [long]: 1 }, long.slice(0, 100)],
    ['a mended field', '/api/redrives', { filter: {}, reason: 'x', fields: { [long]: 1 } }, `fields.${long.slice(0, 100)}`],
    ['a word of few', path, { ...newLead(), account: long }, 'account'],
  ])('%s is refused, and not repeated whole', async (_what, route, body, field) => {
    const answer = await gateway.post(route, body);
    expect([answer.status, answer.body.error.details[0].field]).toEqual([400, field]);
    expect(JSON.stringify(answer.body).length).toBeLessThan(2_000);
  });

  it('reports too many questions as one error', async () => {
    const patient = { study_id: 1, site_id: 1, first_name: 'Ann', last_name: 'Lee', email: newLead().email };
    const { status, body } = await gateway.post('/api/screening/send-patient', { ...patient, questions: Array(100_000).fill(0) });
    expect([status, body.error.details]).toEqual([400, [{ field: 'questions', message: 'there can be at most 100 questions' }]]);
  });

  it('parses a link of punctuation in linear time', async () => {
    const text = `http://a${'.'.repeat(250_000)}x`;
    const { status, body } = await gateway.post('/api/taskboard/todos', { todoListId: 'list-up-next', title: 'x', text });
    expect(status).toBe(200);
    expect((await gateway.get(`/api/taskboard/todos/${body.card.id}`)).body.card.links).toEqual([{ url: text, label: text }]);
  });
});

describe('a line break', () => {
  it.each<[string, object, string]>([
    ['/api/recruit/send-to-recruit', { bearerToken: lineBreak }, 'bearerToken'],
    ['/api/scr/send-to-leadforms', { key: lineBreak }, 'key'],
    ['/api/screening/send-patient', { key: lineBreak }, 'key'],
    ['/api/screening/send-patient', { apiKey: lineBreak }, 'apiKey'],
    ['/api/screening/send-patient', { 'x-api-key': lineBreak }, 'x-api-key'],
    [`${path}/check-email`, { key: lineBreak }, 'key'],
    [`${path}/send-to-rt`, { key: lineBreak }, 'key'],
    [`${path}/send-comments`, { key: lineBreak }, 'key'],
    [path, { instanceName: lineBreak }, 'instanceName'],
  ])('in what would be a header is refused: %s %j', async (route, fields, name) => {
    const { status, body } = await gateway.post(route, { ...newLead(), ...fields });
    expect(status).toBe(400);
    expect(body.error.details.map(({ field }: { field: string }) => field)).toContain(name);
  });

  it('in a part of a URL or a body stays data', async () => {
    upstream.answerWith({ body: { patientInfo: { patientId: '1' } } });
    const person = { firstName: lineBreak, lastName: 'Lee', email: newLead().email };
    const lead = { bearerToken: 'token', clientId: lineBreak, siteId: '1', environment: 'canada', ...person };
    expect((await gateway.post('/api/recruit/send-to-recruit', lead)).status).toBe(200);
    const [sent] = upstream.received;
    expect(new URL(sent?.url ?? '', upstream.url).searchParams.get('client_id')).toBe(lineBreak);
    expect(sent?.headers).not.toHaveProperty('x-injected');
    expect(sent?.body.patientInfo.patientContact.firstName).toBe(lineBreak);
  });

  it('in an id is not returned in a header', async () => {
    const answer = await gateway.get(`/api/leads/${encodeURIComponent(lineBreak)}`);
    expect([answer.status, answer.headers.get('x-injected')]).toEqual([404, null]);
  });
});

describe('a piece of GraphQL', () => {
  const fragment = '"}) { id } } fragment F on Query { users { email } } query { ...F } #';

  it('in a card is only its title', async () => {
    const { status, body } = await gateway.post('/api/taskboard/todos', { todoListId: 'list-up-next', title: fragment, text: fragment });
    expect([status, body.card.title]).toEqual([200, fragment]);
    const board = (await gateway.sandbox()).requests.filter(({ url, body }) => url.startsWith('/taskboard') && body.includes('fragment F'));
    expect(board.length).toBeGreaterThan(0);
    for (const request of board) expect(JSON.parse(request.body).query).not.toContain('fragment F');
  });

  it.each(['project-template" }) { x }', '{ __schema { types { name } } }'])('in an id is an unknown id: %s', async (id) => {
    expect((await gateway.get(`/api/taskboard/todos/${encodeURIComponent(id)}`)).status).toBe(404);
    expect((await gateway.get(`/api/taskboard/users?q=${encodeURIComponent(id)}`)).body).toMatchObject({ success: true, count: 0 });
  });
});

describe('200 callers who never finish', () => {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\n`;
  const cases: [string, string][] = [
    ['their headers', head],
    ['their body', `${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`],
  ];

  async function slow({ url }: Gateway, start: string): Promise<{ socket: Socket; said: () => string }> {
    const socket = openSocket(Number(new URL(url).port), '127.0.0.1');
    let said = '';
    socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(start);
    return { socket, said: () => said };
  }
  const callersOf = (where: Gateway, start: string) => Promise.all(Array.from({ length: 200 }, () => slow(where, start)));

  it.each(cases)('%s do not delay others', async (_name, start) => {
    const callers = await callersOf(gateway, start);
    expect((await gateway.post(path, newLead())).status).toBe(200);
    expect(callers.filter(({ socket }) => socket.closed)).toEqual([]);
    for (const { socket } of callers) socket.destroy();
  });

  describe('with a time-out of a second', () => {
    let strict: Gateway;
    beforeAll(async () => {
      strict = await startGateway({ settings: { HEADERS_TIMEOUT_MS: '1000', REQUEST_TIMEOUT_MS: '1500' }, withoutWorker: true });
    });
    afterAll(() => strict.stop());

    it.each(cases)('%s are disconnected', async (_name, start) => {
      const callers = await callersOf(strict, start);
      const drip = setInterval(() => callers.forEach(({ socket }) => socket.writable && socket.write('x')), 200);
      await Promise.all(callers.map(async ({ socket }) => socket.closed || once(socket, 'close')));
      clearInterval(drip);
      expect(callers.filter(({ said }) => !said().startsWith('HTTP/1.1 408 '))).toEqual([]);
      expect((await strict.get('/health/live')).status).toBe(200);
    });
  });
});
