/**
 * Keeps the sessions of people who signed in. A session is in a sealed cookie, so every process knows it, also after a restart. A request
 * asks the issuer again if the last check is a minute old, so a person whom the issuer disabled or signed out loses access. If the check
 * fails, the request is refused and the session stays.
 */
import type { Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { personCaller, type Caller } from '../../config/callers';
import { apiUrl, type Config } from '../../config/config';
import { scopes } from '../../config/scopes';
import { ApiError } from '../../contract/errors';
import { BoundedMap } from '../../lib/bounded-map';
import { log } from '../../lib/log';
import { createCookie } from './cookies';
import { logFieldsOf } from './faults';
import type { Issuer, SignedIn } from './issuer';
import { isAct, isOwnRequest, isRead, sessionHeader } from './origin';
import type { Seal } from './seal';

const sessionForm = z.object({
  id: z.string(),
  subject: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(scopes)).readonly(),
  tokens: z.object({ refresh: z.string().optional(), access: z.string().optional() }),
  signedInAt: z.number(),
  actedAt: z.number(),
  checkedAt: z.number(),
});

export type Session = Readonly<z.infer<typeof sessionForm>>;

/** A session ends after this time in any case. */
const longestMs = 12 * 3_600_000;
const checkEveryMs = 60_000;
const mostRemembered = 10_000;

export interface Sessions {
  /** Returns the signed-in caller. Undefined without a session, or for a read by another page. Throws if another page sends an act. */
  callerOf(request: Request, response: Response): Promise<Caller | undefined>;
  /** Returns the session of a request that one of our own pages sent, and renews its cookie. */
  sessionOf(request: Request, response: Response): Promise<Session | undefined>;
  /** Returns false if the tokens do not fit into a cookie. */
  start(response: Response, signedIn: SignedIn): boolean;
  /** Ends the session of the request in this process, and returns it. The caller revokes its tokens, which ends it in the others. */
  end(request: Request, response: Response): Session | undefined;
  /** How long the session lasts without another act. */
  leftMs(session: Session): number;
  /** The issuer and the address of the sign-in. An answer that requires a sign-in has both. */
  readonly offer: { readonly issuer: string; readonly url: string };
}

export function createSessions(config: Config, issuer: Issuer, seal: Seal, now: () => number = Date.now): Sessions {
  const publicUrl = apiUrl(config);
  const ownOrigin = new URL(publicUrl).origin;
  const idleMs = config.SESSION_IDLE_MIN * 60_000;
  // With a short idle time the checks are more frequent, so that a revoked session ends sooner, too.
  const recheckMs = Math.min(checkEveryMs, idleMs / 5);
  const cookie = createCookie({ name: 'leadgate-session', sameSite: 'strict' }, sessionForm, seal, publicUrl);
  /** The newest state of each session in this process. An older cookie, such as that of a parallel request, does not undo it. */
  const newest = new BoundedMap<string, Session | 'ended'>(mostRemembered);
  const checks = new Map<string, Promise<Session | undefined>>();
  const offer = { issuer: issuer.host, url: `${publicUrl}/sign-in` };

  const leftMs = ({ actedAt, signedInAt }: Session) => Math.min(actedAt + idleMs, signedInAt + longestMs) - now();

  /** Merges the session of a cookie with what this process knows. Undefined if it has ended. */
  function latest(given: Session): Session | undefined {
    const known = newest.get(given.id) ?? given;
    if (known === 'ended') return undefined;
    const checked = known.checkedAt > given.checkedAt ? known : given;
    const session = { ...checked, actedAt: Math.max(known.actedAt, given.actedAt) };
    return leftMs(session) > 0 ? session : undefined;
  }

  async function renewed(session: Session): Promise<Session | undefined> {
    const signedIn = await issuer.renew(session.subject, session.tokens);
    if (!signedIn || signedIn.person.scopes.length === 0) {
      log.info('the issuer ended a session');
      newest.set(session.id, 'ended');
      return undefined;
    }
    const { person, tokens } = signedIn;
    return { ...session, name: person.name, scopes: person.scopes, tokens, checkedAt: now() };
  }

  /** Parallel requests of a session share one check, because a refresh token may be valid only once. */
  function checked(session: Session): Promise<Session | undefined> {
    if (now() - session.checkedAt < recheckMs) return Promise.resolve(session);
    const running = checks.get(session.id) ?? renewed(session).finally(() => checks.delete(session.id));
    checks.set(session.id, running);
    return running.catch((error: unknown) => {
      log.warn('a session could not be checked', logFieldsOf(error));
      throw new ApiError('NOT_ACCEPTED', 'The issuer does not answer, so it is not known whether you are still signed in', {
        headers: { 'Retry-After': '5' },
      });
    });
  }

  async function sessionOf(request: Request, response: Response): Promise<Session | undefined> {
    const given = cookie.read(request);
    if (!given) return undefined;
    const known = latest(given);
    const current = known && (await checked(known));
    // Another request may have changed or ended the session during the check.
    const session = current && latest(current);
    if (!session) {
      cookie.clear(response);
      return undefined;
    }
    const next = isAct(request) ? { ...session, actedAt: now() } : session;
    newest.set(next.id, next);
    if (next.actedAt > given.actedAt || next.checkedAt > given.checkedAt) cookie.write(response, next);
    response.set('X-Leadgate-Session', String(Math.ceil(leftMs(next) / 1000)));
    return next;
  }

  return {
    offer,
    leftMs,
    sessionOf,

    async callerOf(request, response) {
      const isOwn = isOwnRequest(request, ownOrigin);
      if (!isOwn && !isRead(request) && (cookie.read(request) || request.headers.origin !== undefined))
        throw new ApiError(
          'FORBIDDEN',
          `A signed-in person acts only from the pages of this gateway: send JSON, CSV or the header ${sessionHeader}, from ${ownOrigin}`,
        );
      const session = isOwn ? await sessionOf(request, response) : undefined;
      return session && { name: personCaller(session.name), scopes: session.scopes };
    },

    start(response, { person, tokens }) {
      const session = { id: randomUUID(), ...person, tokens, signedInAt: now(), actedAt: now(), checkedAt: now() };
      newest.set(session.id, session);
      return cookie.write(response, session);
    },

    end(request, response) {
      const given = cookie.read(request);
      cookie.clear(response);
      const session = given && latest(given);
      if (!session) return undefined;
      newest.set(session.id, 'ended');
      return session;
    },
  };
}
