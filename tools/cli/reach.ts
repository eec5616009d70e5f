/** Checks whether a URL can be reached: it connects and completes the TLS handshake, and never sends a request. */
import { connect, isIP } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { codeOf } from '../../src/lib/errors';

const reachMs = 3_000;

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'the DNS look-up failed',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is of an authority that this machine does not know',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is of an authority that this machine does not know',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

/** Why the URL cannot be reached; undefined if it can. */
export function findConnectionProblem(url: string): Promise<string | undefined> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isSecure = protocol === 'https:';
  const at = { host, port: Number(port) || (isSecure ? 443 : 80) };
  return new Promise((done) => {
    const socket = isSecure ? connectSecurely({ ...at, ...(isIP(host) === 0 && { servername: host }) }) : connect(at);
    const end = (why?: string) => {
      socket.destroy();
      done(why);
    };
    socket.setTimeout(reachMs, () => end(`no answer within ${reachMs / 1000} s`));
    socket.once(isSecure ? 'secureConnect' : 'connect', () => end());
    socket.once('error', (error) => end(reasons[String(codeOf(error))] ?? String(codeOf(error) ?? 'it failed')));
  });
}
