/** Finds settings with which a stranger could read leads or guess a key. `doctor` shows them, and the API warns of them at its start. */
import { isLoopback } from '../lib/loopback';
import { weakKeys } from './callers';
import type { Config } from './config';

export interface Exposure {
  readonly what: 'Address' | 'Gateway keys';
  readonly found: string;
  readonly next: string;
  /** True if no proxy can mend it. */
  readonly isGrave: boolean;
}

const makeKey = 'openssl rand -hex 24 makes a good one';

export function findExposures({
  HOST,
  GATEWAY_API_KEYS,
  OIDC_ISSUER,
}: Pick<Config, 'HOST' | 'GATEWAY_API_KEYS' | 'OIDC_ISSUER'>): readonly Exposure[] {
  const isOpen = !isLoopback(HOST);
  const overPlainHttp: Exposure = {
    what: 'Address',
    found: 'HOST is not a loopback address, and the API serves plain HTTP: everybody on the way can read leads and keys',
    next: 'put a TLS proxy in front of it, see docs/tls.md',
    isGrave: false,
  };
  const withoutKeys: Exposure = {
    what: 'Gateway keys',
    found:
      'HOST is not a loopback address and GATEWAY_API_KEYS is not set: a client on another machine that sends a local Host can send leads and read them masked',
    next: 'set GATEWAY_API_KEYS',
    isGrave: true,
  };
  const weak = (GATEWAY_API_KEYS === undefined ? [] : weakKeys(GATEWAY_API_KEYS)).map(({ name, why }): Exposure => ({
    what: 'Gateway keys',
    found: `the key of ${name} is easy to guess: it ${why}`,
    next: makeKey,
    isGrave: true,
  }));
  return [...(isOpen ? [overPlainHttp] : []), ...(isOpen && !GATEWAY_API_KEYS && !OIDC_ISSUER ? [withoutKeys] : []), ...weak];
}
