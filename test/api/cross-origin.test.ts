import { parseConfig } from '../../src/config/config';
import { newLead, startGateway, type Gateway } from '../support/gateway';

const noPrescreen = '/api/clinicsys/no-prescreen';
const page = 'https://forms.example';
let gateway: Gateway;
let other: Gateway;
beforeAll(async () => {
  [gateway, other] = await Promise.all([
    startGateway({ settings: { CORS_ORIGINS: `${page}, http://localhost:3000`, GATEWAY_API_KEYS: 'forms:f-key:leads' } }),
    startGateway(),
  ]);
});
afterAll(() => Promise.all([gateway.stop(), other.stop()]));

const preflight = (from: Gateway, origin: string, method = 'POST', path = noPrescreen) =>
  fetch(from.url + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'content-type,idempotency-key,x-gateway-key',
    },
  });

describe('a page of CORS_ORIGINS', () => {
  it('may send a lead with a key, and reads its id', async () => {
    const asked = await preflight(gateway, page);
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, page]);
    expect(asked.headers.get('access-control-allow-headers')).toBe('content-type,idempotency-key,x-gateway-key');
    const { status, headers } = await gateway.post(noPrescreen, newLead(), { origin: page, 'x-gateway-key': 'f-key' });
    expect([status, headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([200, page, 'Origin']);
    expect(headers.get('access-control-expose-headers')).toContain('X-Lead-Id');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('may change a card', async () => {
    const { headers } = await preflight(gateway, page, 'PATCH', '/api/taskboard/todos/todo-call-the-site');
    expect(headers.get('access-control-allow-methods')?.split(',')).toContain('PATCH');
  });

  it('also reads why a lead was refused', async () => {
    const { status, headers } = await gateway.post(noPrescreen, {}, { origin: 'http://localhost:3000', 'x-gateway-key': 'f-key' });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([400, 'http://localhost:3000']);
  });
});

describe('any other page', () => {
  it.each(['https://evil.example', `${page}.evil.example`, 'null'])('%s gets no leave', async (origin) => {
    const asked = await preflight(gateway, origin);
    const { headers } = await gateway.post(noPrescreen, {}, { origin });
    expect([asked, { headers }].map((answer) => answer.headers.get('access-control-allow-origin'))).toEqual([null, null]);
  });

  it('gets no leave without the setting', async () => {
    const asked = await preflight(other, page);
    expect([...asked.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

it('is refused without keys, since such a page would be an operator', () =>
  expect(() => parseConfig({ CORS_ORIGINS: page })).toThrow('CORS_ORIGINS: needs GATEWAY_API_KEYS'));
