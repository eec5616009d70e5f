/** Decides which URLs a request may name for its lead's events: those of the hosts in EVENTS_HOSTS. */
import { isLoopback } from '../lib/loopback';
import type { Config } from './config';

const urlMost = 2_048;

/** Why events may not go to this URL; undefined if they may. */
export function callbackProblem(url: string, { EVENTS_HOSTS: hosts = [] }: Pick<Config, 'EVENTS_HOSTS'>): string | undefined {
  if (hosts.length === 0) return 'is not taken: EVENTS_HOSTS is not set on the server';
  if (url.length > urlMost) return `must have at most ${urlMost} characters`;
  // A URL parser also takes `http:host`, spaces around it and letters of other scripts.
  if (/[^\x21-\x7e]/.test(url) || /^https?:(?!\/\/[^/])/i.test(url) || !URL.canParse(url)) return 'must be a whole URL';
  const { protocol, username, password, hostname, port } = new URL(url);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname))) return 'must begin with https://';
  if (username || password) return 'must not hold a user or a password';
  const place = `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
  return hosts.includes(hostname) || hosts.includes(place) ? undefined : 'must be of a host in EVENTS_HOSTS';
}
