/**
 * Authenticates callers and checks their rights. With GATEWAY_API_KEYS, a caller's key gives its name and scopes. Without it, only requests
 * to a Host of this machine are served, and only programs on this machine have the operator scope.
 */
import type { Request, RequestHandler, Response } from 'express';
import { callersByKey, keyDigest, scopes, type Caller, type Scope } from '../config/callers';
import type { Config } from '../config/config';
import type { Endpoint } from '../contract/endpoint';
import { ApiError } from '../contract/errors';
import { isLoopback, isLoopbackHost } from '../lib/loopback';
import type { WrongKeys } from './wrong-keys';

declare global {
  // eslint-disable-next-line -- Express offers its own types for this in no other way
  namespace Express {
    interface Locals {
      caller?: Caller;
    }
  }
}

/**
 * The right that a route needs. `sending` is sending leads, `reading` is reading leads: operators may do it, too. `following` is reading one
 * lead, which whoever may send needs; `privacy/reads.ts` says whose lead.
 */
type Right = Exclude<Scope, 'send'> | 'sending' | 'reading' | 'following';
const enough: Readonly<Record<Right, readonly Scope[]>> = {
  leads: ['leads'],
  board: ['board'],
  operator: ['operator'],
  sending: ['leads', 'send'],
  reading: ['leads', 'operator'],
  following: ['leads', 'operator', 'send'],
};

/** The right that a route needs, unless its row names one. */
export function rightOf({ group, carried, method, scope }: Endpoint): Right {
  if (scope) return scope;
  if (carried === 'here') return method === 'get' ? 'reading' : 'operator';
  if (carried === 'lead') return 'sending';
  return group.startsWith('A') ? 'board' : 'leads';
}

/** Identifies the caller, once for each request. Any known key passes; `callerWith` checks its rights. */
export function createAuthenticate({ GATEWAY_API_KEYS }: Config, wrongKeys: WrongKeys): RequestHandler {
  const callers = GATEWAY_API_KEYS ? callersByKey(GATEWAY_API_KEYS) : undefined;
  return async (request, response, next) => {
    const key = credential(request);
    const caller = callers ? callers.get(keyDigest(key)) : nameless(request);
    if (!caller && key) await wrongKeys.count(request.socket.remoteAddress);
    if (!caller) throw unauthorized();
    response.locals.caller = caller;
    next();
  };
}

/** The caller of this request. Throws if their key does not have the right. */
export function callerWith({ locals: { caller } }: Response, right: Right): Caller {
  if (!caller) throw unauthorized();
  if (enough[right].some((scope) => caller.scopes.includes(scope))) return caller;
  throw new ApiError(
    'FORBIDDEN',
    caller.name
      ? `This key has no ${enough[right].join(' or ')} scope`
      : 'Without GATEWAY_API_KEYS only this machine may do this: set them, or ask from the machine itself',
  );
}

/**
 * Guards against DNS rebinding while there are no keys: a web page can point its own name at this machine, but it cannot change the Host
 * header. So a request with another Host, or none, gets nothing but the health of the service.
 */
export const requireLocalHost =
  ({ GATEWAY_API_KEYS }: Config): RequestHandler =>
  ({ path, headers }, _response, next) => {
    if (!GATEWAY_API_KEYS && !path.startsWith('/health/') && !isLoopbackHost(headers.host))
      throw new ApiError(
        'FORBIDDEN',
        'Without GATEWAY_API_KEYS the Host must be 127.0.0.1, [::1] or localhost: set them to serve other names',
      );
    next();
  };

/** The caller while there are no keys: only a program on this machine has the operator scope. */
const nameless = (request: Request): Caller => ({ name: '', scopes: isHere(request) ? scopes : ['leads', 'board'] });

/** The headers by which proxies, load balancers and content delivery networks tell from where, or for whom, they pass a request on. */
const forwarding = [
  /^(forwarded|via|cdn-loop|client-ip)$/,
  /^x-(forwarded|original|originating|envoy|azure|arr|appengine|vercel|akamai|proxy|proxied|proxyuser|cluster-client|amzn-trace|amz-cf)\b/,
  /^x-(real|client|remote|cluster)-?(ip|addr|port)\b/,
  /^x-cloud-trace-context$/,
  /^(true-client|(wl-)?proxy-client|cf|fastly|fly|do-connecting|akamai)-/,
];

/** True if the socket's other end is on this machine. A request that a proxy has passed on comes from somewhere else. */
const isHere = ({ socket, headers }: Request): boolean =>
  isLoopback(socket.remoteAddress) && !Object.keys(headers).some((name) => forwarding.some((form) => form.test(name)));

function credential({ headers }: Request): string {
  const [, bearer] = /^Bearer +(.+)$/i.exec(headers.authorization ?? '') ?? [];
  const [own] = [headers['x-gateway-key']].flat();
  return own ?? bearer ?? '';
}

const unauthorized = () =>
  new ApiError('UNAUTHORIZED', 'A gateway key is required: Authorization: Bearer, or x-gateway-key', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
