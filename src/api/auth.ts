/**
 * Authenticates callers and checks their scopes. With GATEWAY_API_KEYS, the key of a caller gives its name and scopes. With OIDC_ISSUER, so
 * does the session of a person; a request with a key ignores the session. With neither, only requests with a local Host are served, and only
 * programs on this machine have the operator scope.
 */
import type { Request, RequestHandler, Response } from 'express';
import { callersByKey, isPerson, keyDigest, type Caller } from '../config/callers';
import type { Config } from '../config/config';
import { scopes, type Scope } from '../config/scopes';
import type { Endpoint } from '../contract/endpoint';
import { ApiError } from '../contract/errors';
import type { JsonObject } from '../domain/lead';
import { isLoopback, isLoopbackHost } from '../lib/loopback';
import type { Sessions } from './sign-in/sessions';
import type { WrongKeys } from './wrong-keys';

declare global {
  // eslint-disable-next-line -- Express types its locals only through this namespace
  namespace Express {
    interface Locals {
      caller?: Caller;
    }
  }
}

/**
 * The right that a route needs: a scope, or one of four that several scopes give. `sending`: send leads. `reading`: read leads.
 * `following`: read a single lead; `privacy/reads.ts` limits which one. `watching`: read the metrics.
 */
type Right = Exclude<Scope, 'send'> | 'sending' | 'reading' | 'following' | 'watching';
const scopesFor: Readonly<Record<Right, readonly Scope[]>> = {
  leads: ['leads'],
  board: ['board'],
  operator: ['operator'],
  sending: ['leads', 'send'],
  reading: ['leads', 'operator'],
  following: ['leads', 'operator', 'send'],
  watching: ['leads', 'board', 'operator'],
};

/** Returns the right that a route needs: the one that its row names, or else one by its kind. */
export function rightOf({ group, handledBy, method, scope }: Endpoint): Right {
  if (scope) return scope;
  if (handledBy === 'api') return method === 'get' ? 'reading' : 'operator';
  if (handledBy === 'lead') return 'sending';
  return group.startsWith('A') ? 'board' : 'leads';
}

/** Authenticates the caller of each request. `callerWith` then checks the scopes. */
export function createAuthenticate({ GATEWAY_API_KEYS }: Config, wrongKeys: WrongKeys, sessions?: Sessions): RequestHandler {
  const noCallers: ReadonlyMap<string, Caller> | undefined = sessions && new Map();
  const callers = GATEWAY_API_KEYS ? callersByKey(GATEWAY_API_KEYS) : noCallers;
  return async (request, response, next) => {
    const key = keyIn(request);
    const person = key ? undefined : await sessions?.callerOf(request, response);
    const caller = person ?? (callers ? callers.get(keyDigest(key)) : anonymousCaller(request));
    if (!caller && key) {
      await wrongKeys.count(response.locals.address);
      throw unknownKey(sessions);
    }
    if (!caller) throw sessions ? notSignedIn(sessions) : missingKey();
    response.locals.caller = caller;
    next();
  };
}

/** Returns the caller of the request. Throws if the key lacks the right. */
export function callerWith({ locals: { caller } }: Response, right: Right): Caller {
  if (!caller) throw missingKey();
  if (scopesFor[right].some((scope) => caller.scopes.includes(scope))) return caller;
  throw new ApiError(
    'FORBIDDEN',
    caller.name
      ? `${isPerson(caller) ? 'Your roles do not give' : 'The key does not have'} the scope ${scopesFor[right].join(' or ')}`
      : 'Without GATEWAY_API_KEYS, only programs on this machine can do this: set GATEWAY_API_KEYS, or send the request from this machine',
  );
}

/**
 * Prevents DNS rebinding if there are neither keys nor people who sign in: a web page can point its own domain at this machine, but it
 * cannot change the Host header. A request with a Host that is not local gets only the health routes.
 */
export const requireLocalHost =
  ({ GATEWAY_API_KEYS, OIDC_ISSUER }: Config): RequestHandler =>
  ({ path, headers }, _response, next) => {
    if (!GATEWAY_API_KEYS && !OIDC_ISSUER && !path.startsWith('/health/') && !isLoopbackHost(headers.host))
      throw new ApiError(
        'FORBIDDEN',
        'Without GATEWAY_API_KEYS, the Host must be 127.0.0.1, [::1] or localhost: set GATEWAY_API_KEYS to serve other hosts',
      );
    next();
  };

/** Returns the caller if there are no keys. Only a program on this machine has the operator scope. */
const anonymousCaller = (request: Request): Caller => ({ name: '', scopes: isLocalRequest(request) ? scopes : ['leads', 'board'] });

/** The headers that proxies, load balancers and content delivery networks add to the requests that they forward. */
const proxyHeaders = [
  /^(forwarded|via|cdn-loop|client-ip)$/,
  /^x-(forwarded|original|originating|envoy|azure|arr|appengine|vercel|akamai|proxy|proxied|proxyuser|cluster-client|amzn-trace|amz-cf)\b/,
  /^x-(real|client|remote|cluster)-?(ip|addr|port)\b/,
  /^x-cloud-trace-context$/,
  /^(true-client|(wl-)?proxy-client|cf|fastly|fly|do-connecting|akamai)-/,
];

/** True if the client is on this machine. A forwarded request counts as remote, even if the proxy is local. */
const isLocalRequest = ({ socket, headers }: Request): boolean =>
  isLoopback(socket.remoteAddress) && !Object.keys(headers).some((name) => proxyHeaders.some((form) => form.test(name)));

function keyIn({ headers }: Request): string {
  const [, bearer] = /^Bearer +(.+)$/i.exec(headers.authorization ?? '') ?? [];
  const [own] = [headers['x-gateway-key']].flat();
  return own ?? bearer ?? '';
}

const unauthorized = (message: string, challenge: string, errorContext?: JsonObject) =>
  new ApiError('UNAUTHORIZED', message, { headers: { 'WWW-Authenticate': challenge }, errorContext });

const missingKey = () => unauthorized('A gateway key is required, as Authorization: Bearer or as x-gateway-key', 'Bearer');
const notSignedIn = ({ offer }: Sessions) =>
  unauthorized('You are not signed in. A program needs a gateway key, as Authorization: Bearer or as x-gateway-key', 'Bearer', {
    signIn: offer,
  });
/** The same for every key, so that the answer reveals nothing about the known ones. */
const unknownKey = (sessions: Sessions | undefined) =>
  unauthorized(
    'The gateway key is unknown; it must be a key of GATEWAY_API_KEYS, without its name',
    'Bearer error="invalid_token"',
    sessions && { signIn: sessions.offer },
  );
