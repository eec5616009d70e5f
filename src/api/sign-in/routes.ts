/** Serves the routes on which people sign in and out: the authorization code flow with PKCE, state and nonce. */
import { Router, type Request, type RequestHandler, type Response } from 'express';
import { z } from 'zod';
import type { Trail } from '../../audit/trail';
import { personCaller } from '../../config/callers';
import { apiUrl, type Config } from '../../config/config';
import { ApiError } from '../../contract/errors';
import type { KeyRing } from '../../keys/ring';
import { log } from '../../lib/log';
import { recordOrRefuse } from '../audited';
import { createCookie } from './cookies';
import { faultOf, logFieldsOf, SignInFault } from './faults';
import { callbackPath, createIssuer } from './issuer';
import { isOwnRequest } from './origin';
import { answerFault } from './page';
import { createSeal } from './seal';
import { createSessions, type Session, type Sessions } from './sessions';

const signInLastsMs = 600_000;

/** The cookie of a sign-in under way. */
const begunForm = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string(), until: z.number() });
/** The cookie with the ID token, by which a sign-out names the person to the issuer. */
const hintForm = z.string();

/** Only own pages, so that a sign-in never leads elsewhere. The console keeps what follows `#` by itself. */
const pathForm = /^\/(?:console(?:\/signed-in\.html)?|docs(?:\/[\w-]+)?)$/;
const placeOf = ({ query: { to } }: Request): string => (typeof to === 'string' && pathForm.test(to) ? to : '/console');

interface SignIn {
  readonly routes: Router;
  readonly sessions: Sessions;
}

/** Undefined without OIDC_ISSUER. */
export function createSignIn(config: Config, keys: KeyRing, trail: Trail): SignIn | undefined {
  const { OIDC_ISSUER } = config;
  if (OIDC_ISSUER === undefined) return undefined;
  const publicUrl = apiUrl(config);
  const { origin } = new URL(publicUrl);
  const seal = createSeal(keys, `${OIDC_ISSUER} ${config.OIDC_CLIENT_ID}`);
  const issuer = createIssuer({ ...config, OIDC_ISSUER });
  const sessions = createSessions(config, issuer, seal);
  // The issuer's page leads back here, and a browser sends a strict cookie only from our own pages.
  const begunCookie = createCookie({ name: 'leadgate-sign-in', sameSite: 'lax', maxAgeMs: signInLastsMs }, begunForm, seal, publicUrl);
  const hintCookie = createCookie({ name: 'leadgate-sign-out', sameSite: 'strict' }, hintForm, seal, publicUrl);

  /** Answers a failure with a page, and logs it. */
  const withPage =
    (handler: (request: Request, response: Response) => Promise<void>): RequestHandler =>
    (request, response) =>
      handler(request, response).catch((error: unknown) => {
        if (error instanceof ApiError) throw error;
        log.warn('a sign-in failed', { ...logFieldsOf(error), logId: response.get('X-Log-Id') });
        answerFault(response, faultOf(error), { issuer: issuer.host });
      });

  async function begin(request: Request, response: Response): Promise<void> {
    const { url, begun } = await issuer.begin(request.query.as === 'other');
    begunCookie.write(response, { ...begun, to: placeOf(request), until: Date.now() + signInLastsMs });
    response.redirect(url);
  }

  async function finish(request: Request, response: Response): Promise<void> {
    const begun = begunCookie.read(request);
    if (!begun || begun.until < Date.now()) throw new SignInFault('forged');
    const { search } = new URL(request.originalUrl, publicUrl);
    const { idToken, ...signedIn } = await issuer.finish(search, begun);
    begunCookie.clear(response);
    sessions.end(request, response);
    const { name, scopes } = signedIn.person;
    const facts = { who: personCaller(name), action: 'sign in', address: response.locals.address };
    if (scopes.length === 0) {
      await recordOrRefuse(trail, { ...facts, outcome: 'FORBIDDEN' }, 'nobody is signed in');
      return answerFault(response, 'noScope', { issuer: issuer.host, name });
    }
    await recordOrRefuse(trail, { ...facts, outcome: 'done' }, 'nobody is signed in');
    if (!sessions.start(response, signedIn)) throw new SignInFault('tooLong');
    // Without a hint, the issuer asks the person who signs out.
    if (!hintCookie.write(response, idToken)) hintCookie.clear(response);
    response.redirect(begun.to);
  }

  async function show(request: Request, response: Response): Promise<void> {
    const session = isOwnRequest(request, origin) ? await sessions.sessionOf(request, response) : undefined;
    if (!session) throw new ApiError('UNAUTHORIZED', 'You are not signed in', { errorContext: { signIn: sessions.offer } });
    const { name, scopes } = session;
    response.json({ success: true, name, scopes, endsInS: Math.ceil(sessions.leftMs(session) / 1000), signIn: sessions.offer });
  }

  async function signOut(request: Request, response: Response): Promise<void> {
    if (!isOwnRequest(request, origin))
      throw new ApiError('FORBIDDEN', `A person signs out only from the pages of this gateway, from ${origin}`);
    const hint = hintCookie.read(request);
    const session = sessions.end(request, response);
    hintCookie.clear(response);
    if (session) await endEverywhere(session, response.locals.address);
    const url = session && (await issuer.endUrl(hint).catch(() => undefined));
    response.json({ success: true, ...(url && { url }) });
  }

  /** Revokes the tokens, so that a copy of the cookie ends in every process. */
  async function endEverywhere({ name, tokens }: Session, address: string | undefined): Promise<void> {
    await issuer.revoke(tokens).catch((error: unknown) => log.warn('the tokens of a session could not be revoked', logFieldsOf(error)));
    await trail
      .write({ who: personCaller(name), action: 'sign out', outcome: 'done', address })
      .catch(() => log.error('the audit trail cannot be written', { action: 'sign out' }));
  }

  const routes = Router();
  const table: readonly (readonly [method: 'get' | 'post', path: string, handler: RequestHandler])[] = [
    ['get', '/sign-in', withPage(begin)],
    ['get', callbackPath, withPage(finish)],
    ['get', '/sign-in/session', (request, response) => show(request, response)],
    ['post', '/sign-out', (request, response) => signOut(request, response)],
  ];
  for (const [method, path, handler] of table) {
    routes[method](path, handler);
    routes.all(path, () => {
      const Allow = method.toUpperCase();
      throw new ApiError('METHOD_NOT_ALLOWED', `This path accepts only ${Allow}`, { headers: { Allow } });
    });
  }
  return { routes, sessions };
}
