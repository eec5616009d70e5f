/** Asks the issuer of `OIDC_ISSUER` for its discovery document, with which each sign-in begins. */
import type { Config } from '../../src/config/config';
import { isObject, text } from '../../src/domain/formats';
import { ok, trouble, type Finding } from './doctor-checks';
import { findConnectionProblem } from './reach';

const what = 'Sign-in';
const askMs = 3_000;
const needed = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;
const documentUrl = (issuer: string): string => `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;

/** Why people cannot sign in there; undefined if they can. */
async function findProblem(issuer: string): Promise<string | undefined> {
  try {
    const answer = await fetch(documentUrl(issuer), { redirect: 'manual', signal: AbortSignal.timeout(askMs) });
    if (answer.status !== 200) return `answered ${answer.status}`;
    const document: unknown = await answer.json().catch(() => undefined);
    if (!isObject(document)) return 'answered no JSON object';
    const named = text(document.issuer)?.replace(/\/+$/, '');
    if (named !== issuer.replace(/\/+$/, '')) return 'names another issuer: OIDC_ISSUER must be written as the issuer writes it';
    const missing = needed.filter((name) => text(document[name]) === undefined);
    return missing.length > 0 ? `lacks ${missing.join(', ')}` : undefined;
  } catch {
    return `cannot be read: ${(await findConnectionProblem(issuer)) ?? `no answer within ${askMs / 1000} s`}`;
  }
}

export async function signIn({ OIDC_ISSUER: issuer }: Config): Promise<readonly Finding[]> {
  if (issuer === undefined) return [];
  const problem = await findProblem(issuer);
  if (problem === undefined) return [ok(what, 'the discovery document of OIDC_ISSUER fits')];
  return [trouble(what, `the discovery document of OIDC_ISSUER ${problem}`, 'nobody can sign in until it fits; keys still work')];
}
