/** Validates the URL for a lead's events that a request names: its host must be in EVENTS_HOSTS. */
import { isLoopback } from '../lib/loopback';
import type { Config } from './config';

const urlMost = 2_048;

/** Returns why events may not be sent to this URL; undefined if they may. */
export function callbackProblem(url: string, { EVENTS_HOSTS: hosts = [] }: Pick<Config, 'EVENTS_HOSTS'>): string | undefined {
  if (hosts.length === 0) return 'is not allowed: EVENTS_HOSTS is not set on the server';
  if (url.length > urlMost) return `must have at most ${urlMost} characters`;
  // A URL parser also accepts `http:host`, surrounding spaces and letters of other scripts.
  if (/[^\x21-\x7e]/.test(url) || /^https?:(?!\/\/[^/])/i.test(url) || !URL.canParse(url)) return 'must be a whole URL';
  const { protocol, username, password, hostname, port } = new URL(url);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname))) return 'must begin with https://';
  if (username || password) return 'must not hold a user or a password';
  const place = `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
  return hosts.includes(hostname) || hosts.includes(place) ? undefined : 'must be of a host in EVENTS_HOSTS';
}
