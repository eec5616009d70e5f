/**
 * Says who sends a request and from where, as the log and the audit trail name it. With TRUST_PROXY, Express takes the address that the proxy
 * reports; only a valid one counts.
 */
import type { Express, Request, RequestHandler, Response } from 'express';
import type { Caller } from '../config/callers';
import type { Config } from '../config/config';
import type { Requester } from '../domain/requester';
import { ipAddressIn } from '../lib/ip-address';

declare global {
  // eslint-disable-next-line -- Express types its locals only through this namespace
  namespace Express {
    interface Locals {
      address?: string;
    }
  }
}

export const trustProxy = (app: Express, { TRUST_PROXY }: Pick<Config, 'TRUST_PROXY'>): Express =>
  app.set('trust proxy', TRUST_PROXY ?? false);

/** Keeps the address, which cannot be read from a closed connection. */
export const keepAddress: RequestHandler = (request, { locals }, next) => {
  locals.address = addressOf(request);
  next();
};

const addressOf = ({ ip, socket }: Request): string | undefined => ipAddressIn(ip) ?? ipAddressIn(socket.remoteAddress);

/** Returns the name of a caller. Without keys, only a program of this machine is an operator. */
export const nameOfCaller = ({ name, scopes }: Caller): string => name || (scopes.includes('operator') ? 'local' : 'without a key');

export function requesterOf({ locals: { address } }: Response, caller: Caller): Requester {
  return { who: nameOfCaller(caller), address };
}
