/** Decides which URLs a request may name for its lead's events: those of the hosts in EVENTS_HOSTS. */
import { isLoopback } from '../lib/loopback';
import type { Config } from './config';

/** Why events may not go to this URL; undefined if they may. */
export function callbackProblem(url: string, { EVENTS_HOSTS: hosts = [] }: Pick<Config, 'EVENTS_HOSTS'>): string | undefined {
  if (hosts.length === 0) return 'is not taken: EVENTS_HOSTS is not set on the server';
  if (!URL.canParse(url)) return 'must be a whole URL';
  const { protocol, username, password, hostname, port } = new URL(url);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname))) return 'must begin with https://';
  if (username || password) return 'must not hold a user or a password';
  const place = `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
  return hosts.includes(hostname) || hosts.includes(place) ? undefined : 'must be of a host in EVENTS_HOSTS';
}
