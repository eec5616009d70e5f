/** How long a field may be: an e-mail is read whole by every route, so no route takes more than an address can have. */
import { endpointTable } from '../../src/contract';
import { openApi } from '../../src/reference/openapi';
import { newLead, startGateway, type Gateway } from '../support/gateway';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const emailOf = (length: number) => `${'a'.repeat(length - '@example.org'.length)}@example.org`;
const refusal = (field: string, most: number) => ({
  status: 400,
  body: { error: { code: 'VALIDATION_ERROR', details: [{ field, message: `must have at most ${most} characters` }] } },
});

const takers = endpointTable.flatMap(([name, { method, path, example }]) =>
  method === 'post' && example && 'email' in example ? [[name, path, example] as const] : [],
);

it.each(takers)('%s takes an e-mail of 254 characters at most', async (_name, path, example) => {
  expect(await gateway.post(path, { ...example, email: emailOf(255) })).toMatchObject(refusal('email', 254));
  expect(await gateway.post(path, { ...example, email: emailOf(120_000) })).toMatchObject(refusal('email', 254));
  const isErase = path === '/api/erase';
  const longest = { ...example, email: `  ${emailOf(254)} `, ...(isErase && { dryRun: true }) };
  expect((await gateway.post(path, longest, isErase ? {} : { 'x-dry-run': 'true' })).status).toBe(200);
});

it('so does whatever else asks by an e-mail', async () => {
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

it('what is written in sentences is as long as a body may be', async () => {
  const { status } = await gateway.post('/api/taskboard/todos/todo-call-the-site/comments', { text: 'word '.repeat(10_000) });
  expect(status).toBe(200);
});

it('the reference says the length of every e-mail', () => {
  const said = [
    ...JSON.stringify(openApi('1')).matchAll(/"email":\{("description".{0,200}?"maxLength":\d+|"type".{0,200}?"maxLength":\d+)/g),
  ];
  expect(said.length).toBeGreaterThan(10);
  expect(said.filter(([text]) => !text.endsWith('"maxLength":254'))).toEqual([]);
});
