/** Starts an issuer for the sign-in of people, and signs in at it as a browser does. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../../src/config/ports';

export interface IssuerBehaviour {
  /** The claims of each person, by login. A person who is removed is unknown from then on. */
  readonly people: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Claims that replace those of each ID token. */
  readonly idToken?: Readonly<Record<string, unknown>>;
  /** Breaks every connection. */
  readonly isAway?: boolean;
}

export interface TestIssuer {
  readonly url: string;
  /** The settings of a gateway at this address. */
  settings(gatewayPort: number, more?: Readonly<Record<string, string>>): Record<string, string>;
  behave(behaviour: IssuerBehaviour): Promise<void>;
  /** How often its token endpoint was asked. */
  tokenRequests(): Promise<number>;
  stop(): Promise<void>;
}

const client_secret = 'a-secret-of-this-client';

/** `gatewayPorts` are the ports of the gateways that may use it. */
export async function startIssuer(behaviour: IssuerBehaviour, gatewayPorts: readonly number[]): Promise<TestIssuer> {
  const port = await freePort();
  const own = (path: string) => gatewayPorts.map((at) => `http://127.0.0.1:${at}${path}`);
  const client = { client_secret, redirect_uris: own('/sign-in/callback'), post_logout_redirect_uris: own('/console') };
  const clients = [
    { ...client, client_id: 'leadgate', grant_types: ['authorization_code', 'refresh_token'] },
    { ...client, client_id: 'without-refresh', grant_types: ['authorization_code'], token_endpoint_auth_method: 'client_secret_post' },
  ];
  const args = [join(__dirname, 'issuer-program.ts'), String(port), JSON.stringify(clients)];
  const child = fork(join(__dirname, 'run-ts.js'), args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error('the issuer did not start');
    }),
  ]);
  const url = `http://127.0.0.1:${port}`;
  const behave = async (next: IssuerBehaviour) => {
    await fetch(`${url}/__behave`, { method: 'POST', body: JSON.stringify(next) });
  };
  await behave(behaviour);
  return {
    url,
    behave,
    tokenRequests: async () => Number(await (await fetch(`${url}/__token-requests`)).text()),
    settings: (gatewayPort, more = {}) => ({
      PORT: String(gatewayPort),
      OIDC_ISSUER: url,
      OIDC_CLIENT_ID: 'leadgate',
      OIDC_CLIENT_SECRET: client_secret,
      OIDC_SCOPES: 'recruiter=leads,admin=leads+operator',
      ...more,
    }),
    async stop() {
      const exit = once(child, 'exit');
      child.kill();
      await exit;
    },
  };
}

/** A browser without pages: it keeps cookies by host, follows redirects, and fills in the issuer's form. */
export interface TestBrowser {
  /** Sends one request with the cookies of its host, and keeps those of the answer. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** Opens a page and follows its redirects. Signs in as `login` where the issuer asks. */
  open(url: string, login?: string): Promise<Response>;
  /** The Cookie header for a host. */
  cookies(url: string): string;
}

export function testBrowser(): TestBrowser {
  const jar = new Map<string, string>();
  const keyOf = (url: string, name: string) => `${new URL(url).host} ${name}`;

  const cookies = (url: string) =>
    [...jar].flatMap(([key, value]) => (key.startsWith(`${new URL(url).host} `) ? [`${key.split(' ')[1]}=${value}`] : [])).join('; ');

  async function send(url: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...Object.fromEntries(new Headers(init.headers)), cookie: cookies(url) },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '' || /expires=Thu, 01 Jan 1970/i.test(cookie)) jar.delete(keyOf(url, name));
      else jar.set(keyOf(url, name), value);
    }
    return response;
  }

  async function follow(url: string, login: string | undefined, init?: RequestInit): Promise<Response> {
    const response = await send(url, init);
    const to = response.headers.get('location');
    if (to) return follow(new URL(to, url).href, login);
    if (login === undefined || !url.includes('/interaction/')) return response;
    const [, action = ''] = /<form[^>]* action="([^"]+)"/.exec(await response.text()) ?? [];
    const body = new URLSearchParams({ prompt: 'login', login, password: 'any' });
    return follow(new URL(action, url).href, undefined, { method: 'POST', body });
  }

  return { fetch: send, cookies, open: (url, login) => follow(url, login) };
}
