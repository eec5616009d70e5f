/** People sign in as themselves, at a real issuer. */
import { freePort } from '../../src/config/ports';
import { logged, newLead, sameInstallation, startGateway, type Gateway } from '../support/gateway';
import { startIssuer, testBrowser, type IssuerBehaviour, type TestBrowser, type TestIssuer } from '../support/issuer';
import { callers, keyOf } from '../support/keys';
import { until } from '../support/until';

const behaviour = {
  people: {
    ann: { preferred_username: 'ann.lee', roles: ['admin'], realm_access: { roles: ['admin'] } },
    bo: { email: 'bo@example.org', roles: ['recruiter', 'other'] },
    cy: { preferred_username: 'cy.fox', roles: ['guest'] },
    dee: { preferred_username: 'n8n', roles: ['recruiter'] },
  },
} satisfies IssuerBehaviour;
const { ann: _ann, ...withoutAnn } = behaviour.people;

let issuer: TestIssuer;
/** The first has gateway keys; `one` and `two` share an installation and have a short idle time; the issuer gives `poor` no refresh token. */
let gateway: Gateway;
let one: Gateway;
let two: Gateway;
let poor: Gateway;
const gateways = () => [gateway, one, two, poor];

beforeAll(async () => {
  const [a, b, c, d] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  issuer = await startIssuer(behaviour, [a, b, c, d]);
  const brief = { SESSION_IDLE_MIN: '0.1' };
  gateway = await startGateway({ settings: issuer.settings(a, { GATEWAY_API_KEYS: callers('n8n:leads') }) });
  one = await startGateway({ withoutWorker: true, settings: issuer.settings(b, brief) });
  two = await startGateway({ withoutWorker: true, settings: { ...issuer.settings(c, brief), ...sameInstallation(one) } });
  const others = { OIDC_CLIENT_ID: 'without-refresh', OIDC_ROLES_CLAIM: 'realm_access.roles' };
  poor = await startGateway({ withoutWorker: true, settings: issuer.settings(d, { ...brief, ...others }) });
});
afterEach(() => issuer.behave(behaviour));
afterAll(async () => {
  await Promise.all(gateways().map((each) => each?.stop()));
  await issuer?.stop();
});

async function signedIn(login: string, at = gateway): Promise<TestBrowser> {
  const browser = testBrowser();
  const page = await browser.open(`${at.url}/sign-in`, login);
  expect([page.url, page.status]).toEqual([`${at.url}/console`, 200]);
  return browser;
}

async function answered(answer: Promise<Response>) {
  const response = await answer;
  const body: any = await response.json(); // eslint-disable-line -- a test states what it expects of it
  return { status: response.status, body };
}

const get = (browser: TestBrowser, path: string, at = gateway, headers: Record<string, string> = {}) =>
  answered(browser.fetch(`${at.url}${path}`, { headers }));

const post = (browser: TestBrowser, path: string, body: object, headers: Record<string, string> = {}) =>
  answered(
    browser.fetch(`${gateway.url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', origin: gateway.url, 'sec-fetch-site': 'same-origin', ...headers },
    }),
  );

const act = { 'x-leadgate-session': 'act' };
const look = { 'x-leadgate-session': 'look' };
const own = '/sign-in/session';

/** Sends a lead that is parked, with a key. */
async function parkedLead(): Promise<string> {
  const { headers } = await gateway.post('/api/clinicsys/no-prescreen', newLead('comment-422'), { 'x-gateway-key': keyOf('n8n') });
  return String(headers.get('x-lead-id'));
}

describe('a person who signs in', () => {
  it('is sent to the issuer with PKCE, state and nonce, and gets a session that no script and no other site can use', async () => {
    const browser = testBrowser();
    const start = await browser.fetch(`${gateway.url}/sign-in`);
    const to = new URL(start.headers.get('location') ?? '');
    expect(to.origin).toBe(issuer.url);
    expect(Object.fromEntries(to.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: `${gateway.url}/sign-in/callback`,
    });
    for (const name of ['code_challenge', 'state', 'nonce']) expect(to.searchParams.get(name)).toMatch(/^[\w-]{43}$/);
    expect(start.headers.getSetCookie()).toEqual([expect.stringMatching(/^leadgate-sign-in=.*; Path=\/;.* HttpOnly; SameSite=Lax$/)]);
    expect((await browser.open(to.href, 'ann')).url).toBe(`${gateway.url}/console`);
    const { headers } = await browser.fetch(`${gateway.url}${own}`, { headers: act });
    expect(headers.getSetCookie()).toEqual([expect.stringMatching(/^leadgate-session=k1\.[\w-]+; Path=\/; HttpOnly; SameSite=Strict$/)]);
    expect(Number(headers.get('x-leadgate-session'))).toBe(900);
  });

  it('has the rights of their roles, and another person has others', async () => {
    const [ann, bo] = await Promise.all([signedIn('ann'), signedIn('bo')]);
    expect((await get(ann, own)).body).toMatchObject({ name: 'ann.lee', scopes: ['leads', 'operator'] });
    expect((await get(bo, own)).body).toMatchObject({ name: 'bo@example.org', scopes: ['leads'] });
    const leadId = await parkedLead();
    const path = `/api/leads/${leadId}/discard`;
    const refused = await post(bo, path, { reason: 'as bo' });
    expect(refused).toMatchObject({ status: 403, body: { message: 'Your roles do not give the scope operator' } });
    expect((await post(ann, path, { reason: 'as ann' })).status).toBe(200);
    const { decisions } = (await get(ann, `/api/leads/${leadId}/exchanges`)).body;
    expect(decisions).toMatchObject([{ by: 'person:ann.lee', reason: 'as ann' }]);
    const { entries } = (await get(ann, `/api/audit?leadId=${leadId}`)).body;
    expect(new Set(entries.map(({ who }: { who: string }) => who))).toEqual(new Set(['person:ann.lee']));
    const signIns = (await get(ann, '/api/audit?action=sign%20in')).body.entries;
    expect(signIns).toContainEqual(expect.objectContaining({ who: 'person:bo@example.org', outcome: 'done', address: '127.0.0.1' }));
  });

  it('with the name of a key has no right over the leads of that key', async () => {
    const sent = newLead();
    const { email } = sent;
    const dee = await signedIn('dee');
    const key = { 'idempotency-key': `key-${email}` };
    const first = await gateway.post('/api/clinicsys/no-prescreen', sent, { ...key, 'x-gateway-key': keyOf('n8n') });
    expect(first.status).toBe(200);
    const other = await dee.fetch(`${gateway.url}/api/clinicsys/no-prescreen`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...key },
      body: JSON.stringify(sent),
    });
    expect(other.headers.get('idempotency-replayed')).toBeNull();
    expect(other.headers.get('x-lead-id')).not.toBe(first.headers.get('x-lead-id'));
    expect(JSON.stringify((await get(dee, `/api/leads/${first.headers.get('x-lead-id')}`)).body)).not.toContain(email);
  });

  it('without a role that gives a scope gets a page that says so, and no session', async () => {
    const browser = testBrowser();
    const page = await browser.open(`${gateway.url}/sign-in`, 'cy');
    expect([page.status, new URL(page.url).pathname]).toEqual([403, '/sign-in/callback']);
    expect(await page.text()).toContain('Signed in there as: cy.fox');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await get(browser, own)).status).toBe(401);
  });

  it('comes back only to a page of this gateway', async () => {
    for (const [to, expected] of [
      ['/docs/leads', '/docs/leads'],
      ['https://evil.example/', '/console'],
      ['//evil.example', '/console'],
      ['/sign-in', '/console'],
    ]) {
      const browser = testBrowser();
      const { url } = await browser.open(`${gateway.url}/sign-in?to=${encodeURIComponent(to ?? '')}`, 'ann');
      expect([to, url]).toEqual([to, `${gateway.url}${expected}`]);
    }
  });

  it('is known to every process of the installation, also after a restart', async () => {
    const browser = await signedIn('ann', one);
    const cookie = browser.cookies(one.url);
    expect((await two.get(own, { cookie })).body).toMatchObject({ name: 'ann.lee' });
    expect((await gateway.get(own, { cookie })).status).toBe(401);
  });

  it('may have roles at a path, at an issuer that gives no refresh token', async () => {
    const browser = await signedIn('ann', poor);
    expect((await get(browser, own, poor)).body).toMatchObject({ name: 'ann.lee', scopes: ['leads', 'operator'] });
    await issuer.behave({ people: withoutAnn });
    await until(async () => (await get(browser, own, poor, act)).status === 401, 'the session has ended');
  });
});

describe('a session', () => {
  it('ends after the idle time, however often a page asks, but not while the person acts', async () => {
    const [idle, busy] = await Promise.all([signedIn('ann', one), signedIn('ann', one)]);
    await until(async () => {
      const [acted, looked] = await Promise.all([get(busy, own, one, act), get(idle, own, one, look)]);
      expect(acted.status).toBe(200);
      return looked.status === 401;
    }, 'the idle session has ended');
    expect((await get(busy, own, one, act)).status).toBe(200);
  });

  it('ends if the issuer no longer knows the person, and changes with their roles', async () => {
    const [ann, bo] = await Promise.all([signedIn('ann', one), signedIn('bo', one)]);
    await issuer.behave({ people: { bo: { ...behaviour.people.bo, roles: ['admin'] } } });
    const ended = await until(async () => {
      const answer = await get(ann, '/api/audit', one, act);
      return answer.status !== 200 && answer;
    }, 'the session of ann has ended');
    const offer = { issuer: new URL(issuer.url).host, url: `${one.url}/sign-in` };
    expect(ended).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' }, signIn: offer } });
    await until(async () => (await get(bo, own, one, act)).body.scopes.includes('operator'), 'bo is an admin');
  });

  it('stays while the issuer is away, but is refused until it answers', async () => {
    const browser = await signedIn('ann', one);
    await issuer.behave({ ...behaviour, isAway: true });
    const refused = await until(async () => {
      const answer = await get(browser, own, one, act);
      return answer.status !== 200 && answer;
    }, 'the session cannot be checked');
    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'NOT_ACCEPTED' } } });
    await issuer.behave(behaviour);
    expect((await get(browser, own, one, act)).status).toBe(200);
  });

  it('asks the issuer once for requests at the same time, also with an older cookie', async () => {
    const cookie = (await signedIn('ann', one)).cookies(one.url);
    const before = await issuer.tokenRequests();
    await until(async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => one.get(own, { cookie, ...act })));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      return (await issuer.tokenRequests()) >= before + 2;
    }, 'the issuer was asked twice');
  });

  it('ends everywhere on sign-out, a copy of its cookie included, and the issuer is told', async () => {
    const browser = await signedIn('ann', one);
    const cookie = browser.cookies(one.url);
    const { status, body } = await answered(browser.fetch(`${one.url}/sign-out`, { method: 'POST', headers: act }));
    expect([status, body.success]).toEqual([200, true]);
    const end = new URL(body.url);
    expect([end.origin, end.searchParams.get('post_logout_redirect_uri')]).toEqual([issuer.url, `${one.url}/console`]);
    expect(end.searchParams.get('id_token_hint')).toMatch(/^ey/);
    expect(browser.cookies(one.url)).toBe('');
    expect((await one.get(own, { cookie })).status).toBe(401);
    await until(async () => (await two.get(own, { cookie, ...act })).status === 401, 'the copy has ended in the other process');
  });

  it('is not taken from a cookie that was changed or made elsewhere', async () => {
    const browser = await signedIn('ann');
    const [, name = '', value = ''] = /(leadgate-session)=([^;]+)/.exec(browser.cookies(gateway.url)) ?? [];
    const cookie = `${name}=${value}`;
    expect((await gateway.get(own, { cookie })).status).toBe(200);
    const flipped = `${value.slice(0, 20)}${value[20] === 'A' ? 'B' : 'A'}${value.slice(21)}`;
    for (const wrong of [flipped, value.slice(0, -4), value.replace('k1.', 'k2.'), 'x', ''])
      expect([wrong, (await gateway.get(own, { cookie: `${name}=${wrong}` })).status]).toEqual([wrong, 401]);
  });
});

describe('another site', () => {
  const json = { 'content-type': 'application/json' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const evil = 'https://evil.example';

  it.each([
    ['a form', { ...form, origin: evil, 'sec-fetch-site': 'cross-site' }],
    ['a form of a page without an origin', { ...form, origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['a form of our own pages', { ...form }],
    ['a script', { ...json, origin: evil, 'sec-fetch-site': 'cross-site' }],
    ['a script with our header', { ...json, ...act, origin: evil }],
    ['a page of a neighbouring host', { ...json, 'sec-fetch-site': 'same-site' }],
    ['the address bar', { ...json, 'sec-fetch-site': 'none' }],
  ])('cannot act with %s', async (_, headers: Record<string, string>) => {
    const cookie = (await signedIn('ann')).cookies(gateway.url);
    const asked = await gateway.post('/api/alerts/test', {}, { cookie, ...headers });
    expect([asked.status, asked.body.error.code]).toEqual([403, 'FORBIDDEN']);
    const out = await gateway.post('/sign-out', '', { cookie, ...headers });
    expect([out.status, (await gateway.get(own, { cookie })).status]).toEqual([403, 200]);
  });

  it('gets 403 for a form without a session, too', async () =>
    expect((await gateway.post('/api/alerts/test', '', { ...form, origin: evil })).status).toBe(403));

  it('cannot read', async () => {
    const cookie = (await signedIn('ann')).cookies(gateway.url);
    for (const site of ['cross-site', 'same-site'])
      expect((await gateway.get('/api/audit', { cookie, 'sec-fetch-site': site })).status).toBe(401);
    for (const site of ['same-origin', 'none'])
      expect((await gateway.get('/api/audit', { cookie, 'sec-fetch-site': site })).status).toBe(200);
  });
});

describe('a program', () => {
  it('with a key has the rights of the key, whatever the cookie says', async () => {
    const cookie = (await signedIn('ann')).cookies(gateway.url);
    const key = { 'x-gateway-key': keyOf('n8n') };
    expect((await gateway.get('/api/audit', { cookie, ...key })).status).toBe(403);
    expect((await gateway.get('/api/leads?limit=1', key)).status).toBe(200);
    expect((await gateway.get('/api/audit', { cookie, 'x-gateway-key': 'wrong' })).status).toBe(401);
  });

  it('without one is refused everything but health, also if there are no keys', async () => {
    for (const path of ['/api/leads', '/docs', '/openapi.json', '/metrics', '/version'])
      expect([path, (await one.get(path)).status]).toEqual([path, 401]);
    expect((await one.post('/api/clinicsys/no-prescreen', newLead())).status).toBe(401);
    expect((await one.get('/api/leads', { 'x-gateway-key': keyOf('n8n') })).status).toBe(401);
    expect((await one.get('/health/live')).status).toBe(200);
  });
});

describe('a sign-in', () => {
  /** Signs in, and returns the status and the heading of the last page, and whether there is a session. */
  async function outcome(browser = testBrowser(), page?: Promise<Response>) {
    const response = await (page ?? browser.open(`${gateway.url}/sign-in`, 'ann'));
    const [, heading = ''] = /<h1>(.*?)<\/h1>/.exec(await response.text()) ?? [];
    return [response.status, heading, browser.cookies(gateway.url).includes('leadgate-session=')];
  }

  const inS = (seconds: number) => Math.round(Date.now() / 1000) + seconds;
  const untrusted = [502, 'The answer of the issuer cannot be trusted', false];
  const clocks = [502, 'The clocks differ', false];

  it.each([
    ['for another audience', { aud: 'another' }, untrusted],
    ['from another issuer', { iss: 'https://evil.example' }, untrusted],
    ['for another sign-in', { nonce: 'another' }, untrusted],
    ['without a subject', { sub: null }, untrusted],
    ['that was made in the future', { iat: inS(900), exp: inS(4500) }, clocks],
    ['that has expired', { iat: inS(-4500), exp: inS(-900) }, clocks],
    ['that was made long ago', { iat: inS(-900) }, clocks],
  ])('with a token %s is refused with a page, and no token is logged', async (_, idToken, expected) => {
    const from = logged.length;
    await issuer.behave({ ...behaviour, idToken });
    expect(await outcome()).toEqual(expected);
    const lines = logged.slice(from).join('');
    expect(lines).toContain('a sign-in failed');
    expect(lines).not.toMatch(/eyJ|code=|ann\.lee/);
  });

  it('takes clocks that differ by less than a minute', async () => {
    await issuer.behave({ ...behaviour, idToken: { iat: inS(30) } });
    expect(await outcome()).toEqual([200, '', true]);
  });

  it('with a forged state, from another browser, or twice with one code is refused', async () => {
    const forged = [400, 'This sign-in is not known here', false];
    const victim = testBrowser();
    const start = await victim.fetch(`${gateway.url}/sign-in`);
    const callback = `${gateway.url}/sign-in/callback`;
    expect(await outcome(victim, victim.fetch(`${callback}?code=stolen&state=forged`))).toEqual(forged);
    expect(await outcome(victim, victim.fetch(callback))).toEqual(forged);
    // The attacker signs in at the issuer, and gives the victim the address of the end.
    const attacker = testBrowser();
    const { status, url } = await attacker.open(start.headers.get('location') ?? '', 'bo');
    expect(status).toBe(400);
    const other = testBrowser();
    await other.fetch(`${gateway.url}/sign-in`);
    expect(await outcome(other, other.fetch(url))).toEqual(forged);
    // The victim's own browser may finish it, but only once.
    const sealed = victim.cookies(gateway.url);
    expect((await victim.fetch(url)).status).toBe(302);
    expect((await gateway.get(new URL(url).pathname + new URL(url).search, { cookie: sealed })).status).toBe(400);
  });

  it('that the person cancels says so', async () => {
    const browser = testBrowser();
    const { headers } = await browser.fetch(`${gateway.url}/sign-in`);
    const { searchParams } = new URL(headers.get('location') ?? '');
    const query = new URLSearchParams({ error: 'access_denied', state: searchParams.get('state') ?? '', iss: issuer.url });
    const page = browser.fetch(`${gateway.url}/sign-in/callback?${query.toString()}`);
    expect(await outcome(browser, page)).toEqual([403, 'The issuer did not sign you in', false]);
  });

  it('while the issuer is away says so, and works once it is back', async () => {
    const browser = testBrowser();
    const { headers } = await browser.fetch(`${gateway.url}/sign-in`);
    const back = await browser.open(headers.get('location') ?? '', 'ann');
    expect(back.url).toBe(`${gateway.url}/console`);
    await issuer.behave({ ...behaviour, isAway: true });
    const fresh = await startGateway({ withoutWorker: true, settings: issuer.settings(await freePort()) });
    try {
      const page = await fetch(`${fresh.url}/sign-in`, { redirect: 'manual' });
      expect([page.status, await page.text()]).toEqual([503, expect.stringContaining('The issuer does not answer')]);
      await issuer.behave(behaviour);
      expect((await fetch(`${fresh.url}/sign-in`, { redirect: 'manual' })).status).toBe(302);
    } finally {
      await fresh.stop();
    }
  });

  it('has no other methods', async () => {
    expect((await gateway.post('/sign-in', {})).status).toBe(405);
    expect((await gateway.get('/sign-out')).status).toBe(405);
  });
});
