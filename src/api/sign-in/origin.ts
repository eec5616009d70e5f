/**
 * Decides whether a browser may use a session for a request. A page of another origin can make a browser send a request, so the session counts
 * only for requests of our own pages. An act also needs a header that no form and no simple request can set.
 */
import type { Request } from 'express';

/** The pages send it with each request: `act` if the person did something since the last one, else `look`. */
export const sessionHeader = 'x-leadgate-session';

const notOfForms = /^(application\/([\w.+-]+\+)?json|text\/csv)\b/i;

export const isRead = ({ method }: Pick<Request, 'method'>): boolean => method === 'GET' || method === 'HEAD';

export function isOwnRequest(request: Pick<Request, 'method' | 'headers'>, ownOrigin: string): boolean {
  const { origin, 'sec-fetch-site': site = 'same-origin', 'content-type': type = '', [sessionHeader]: mark } = request.headers;
  if (origin !== undefined && origin !== ownOrigin) return false;
  // `none`: the person typed the address.
  if (isRead(request)) return site === 'same-origin' || site === 'none';
  return site === 'same-origin' && (mark !== undefined || notOfForms.test(type));
}

/** True if the person did something: an act, a page that they opened, or something on the page since its last request. */
export const isAct = (request: Pick<Request, 'method' | 'headers'>): boolean =>
  !isRead(request) || request.headers[sessionHeader] === 'act' || request.headers['sec-fetch-mode'] === 'navigate';
