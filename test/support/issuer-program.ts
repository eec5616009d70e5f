/** Runs an issuer of OpenID Connect, oidc-provider, as a process of its own. The test tells it over HTTP how to behave. */
import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { Provider, type ClientMetadata } from 'oidc-provider';
import type { IssuerBehaviour } from './issuer';

const [port = '', clients = '[]'] = process.argv.slice(2);
const url = `http://127.0.0.1:${port}`;
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = { ...privateKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' };

/** How it behaves, which a test replaces, and what it counts. */
const now: { behaviour: IssuerBehaviour; tokenRequests: number } = { behaviour: { people: {} }, tokenRequests: 0 };

const provider = new Provider(url, {
  clients: JSON.parse(clients) as ClientMetadata[],
  jwks: { keys: [key] },
  cookies: { keys: [randomUUID()] },
  conformIdTokenClaims: false,
  claims: { openid: ['sub'], profile: ['preferred_username', 'name', 'roles', 'realm_access'], email: ['email'] },
  issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
  // Each refresh token is valid once.
  rotateRefreshToken: true,
  features: { devInteractions: { enabled: true }, revocation: { enabled: true }, rpInitiatedLogout: { enabled: true } },
  findAccount(_ctx, id) {
    const claims = now.behaviour.people[id];
    return claims && { accountId: id, claims: () => ({ sub: id, ...claims }) };
  },
  // Nobody is asked for consent.
  async loadExistingGrant(ctx) {
    const { client, session } = ctx.oidc;
    const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
    grant.addOIDCScope('openid profile email');
    await grant.save();
    return grant;
  },
});

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs an ID token again with other claims. */
function changed(token: string, claims: object): string {
  const [header = '', body = ''] = token.split('.');
  const payload = `${header}.${encoded({ ...(JSON.parse(Buffer.from(body, 'base64url').toString()) as object), ...claims })}`;
  return `${payload}.${createSign('RSA-SHA256').update(payload).sign(privateKey, 'base64url')}`;
}

provider.use(async (ctx, next) => {
  await next();
  const { idToken } = now.behaviour;
  const { body } = ctx;
  if (idToken && typeof body === 'object' && body !== null && 'id_token' in body)
    ctx.body = { ...body, id_token: changed(String(body.id_token), idToken) };
});

async function behave(request: IncomingMessage): Promise<void> {
  now.behaviour = JSON.parse(await text(request)) as IssuerBehaviour;
}

const serve = provider.callback();

createServer((request, response) => {
  if (request.url === '/__behave') return void behave(request).finally(() => response.end());
  if (request.url === '/__token-requests') return void response.end(String(now.tokenRequests));
  if (request.url === '/token') now.tokenRequests++;
  if (now.behaviour.isAway) return void response.destroy();
  void serve(request, response);
}).listen(Number(port), '127.0.0.1', () => process.send?.('ready'));
