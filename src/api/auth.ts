/**
 * Who may do what. With GATEWAY_API_KEYS: a key's hash → its name and scopes. Without it only requests to a Host of this machine are served,
 * and only programs on this machine may do what operators do.
 */
import type { Request, RequestHandler, Response } from 'express';
import { createHash } from 'node:crypto';
import { ConfigError, type Config } from '../config/config';
import { ApiError } from '../contract/errors';
import { isLoopback, isLoopbackHost } from '../lib/loopback';

export const scopes = ['leads', 'board', 'operator'] as const;
export type Scope = (typeof scopes)[number];

interface Caller {
  readonly name: string;
  readonly scopes: readonly Scope[];
}

declare global {
  // eslint-disable-next-line -- Express offers its own types for this in no other way
  namespace Express {
    interface Locals {
      caller?: Caller;
    }
  }
}

/** Reading leads is for those who send them and for those who mend them. */
export type Right = Scope | 'reading';
const enough: Readonly<Record<Right, readonly Scope[]>> = {
  leads: ['leads'],
  board: ['board'],
  operator: ['operator'],
  reading: ['leads', 'operator'],
};

const expectation = 'GATEWAY_API_KEYS must be name:key or name:key:scope+scope entries, with the scopes leads, board and operator';

/** Looking a hash up takes the same time whatever the key is. */
const digest = (key: string) => createHash('sha256').update(key).digest('base64');

function parseCallers(written: string): ReadonlyMap<string, Caller> {
  const callers = new Map<string, Caller>();
  for (const entry of written.split(',')) {
    const [name, key, scopePart = 'leads+board', ...rest] = entry.trim().split(':');
    const wanted = scopePart.split('+').filter(isScope);
    if (!name || !key || rest.length > 0 || wanted.length !== scopePart.split('+').length) throw new ConfigError(expectation);
    const other = callers.get(digest(key));
    if (other) throw new ConfigError(`GATEWAY_API_KEYS gives ${other.name} and ${name} the same key`);
    callers.set(digest(key), { name, scopes: wanted });
  }
  return callers;
}

const isScope = (word: string): word is Scope => (scopes as readonly string[]).includes(word);

/** Says who asks, once for each request. Any key will do here; `callerWith` asks for its rights. */
export function createAuthenticate({ GATEWAY_API_KEYS }: Config): RequestHandler {
  const callers = GATEWAY_API_KEYS ? parseCallers(GATEWAY_API_KEYS) : undefined;
  return (request, response, next) => {
    const caller = callers ? callers.get(digest(credential(request))) : nameless(request);
    if (!caller) throw unauthorized();
    response.locals.caller = caller;
    next();
  };
}

/** Who asks, where their key may do this. */
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
 * Without keys the Host is what tells a program of this machine from a web page whose name was pointed at it, so another Host, or none, gets
 * nothing but the health of the service.
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

/** Without keys only a program of this machine may do what operators do. */
const nameless = (request: Request): Caller => ({ name: '', scopes: isHere(request) ? scopes : ['leads', 'board'] });

const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/** By the socket alone; what a proxy brings is from somewhere else. */
const isHere = (request: Request): boolean =>
  isLoopback(request.socket.remoteAddress) && !forwarding.some((header) => header in request.headers);

function credential({ headers }: Request): string {
  const [, bearer] = /^Bearer +(.+)$/i.exec(headers.authorization ?? '') ?? [];
  const [own] = [headers['x-gateway-key']].flat();
  return own ?? bearer ?? '';
}

const unauthorized = () =>
  new ApiError('UNAUTHORIZED', 'A gateway key is required: Authorization: Bearer, or x-gateway-key', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
