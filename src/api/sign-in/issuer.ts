/** Speaks OpenID Connect with the issuer: begins and finishes a sign-in, renews what it said about a person, and ends it. */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  Configuration,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  ResponseBodyError,
  tokenRevocation,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { apiUrl, type Config } from '../../config/config';
import { SignInFault } from './faults';
import { claimAt, nameOf, scopesOf, type Claims, type Person } from './person';

/** The secrets of a sign-in under way, which the browser keeps. */
export interface Begun {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** With a refresh token, the issuer is asked to renew it; without one, what the access token still says. */
export interface Tokens {
  readonly refresh?: string;
  readonly access?: string;
}

export interface SignedIn {
  readonly person: Person;
  readonly tokens: Tokens;
}

export interface Issuer {
  readonly host: string;
  begin(isOther: boolean): Promise<{ readonly url: string; readonly begun: Begun }>;
  /** `search` is the query that the issuer sent the browser back with. Throws an error that `faultOf` understands. */
  finish(search: string, begun: Begun): Promise<SignedIn & { readonly idToken: string }>;
  /** Asks the issuer about the person again. Undefined if the issuer has ended the session. */
  renew(subject: string, tokens: Tokens): Promise<SignedIn | undefined>;
  revoke(tokens: Tokens): Promise<void>;
  /** Where the browser goes to sign out at the issuer too; undefined if the issuer has no such page. */
  endUrl(idToken: string | undefined): Promise<string | undefined>;
}

const timeoutS = 5;
/** How far the clocks of issuer and gateway may differ. */
const toleranceS = 60;
const scope = 'openid profile email';

export const callbackPath = '/sign-in/callback';

export function createIssuer(config: Config & { readonly OIDC_ISSUER: string }, now: () => number = Date.now): Issuer {
  const issuer = new URL(config.OIDC_ISSUER);
  const { OIDC_CLIENT_ID: clientId = '', OIDC_CLIENT_SECRET: secret = '' } = config;
  let found: Promise<Configuration> | undefined;

  async function discover(): Promise<Configuration> {
    // The settings allow plain HTTP on this machine only.
    const execute = issuer.protocol === 'http:' ? [allowInsecureRequests] : [];
    const client = { [clockTolerance]: toleranceS };
    const read = await discovery(issuer, clientId, client, ClientSecretBasic(secret), { timeout: timeoutS, execute });
    const metadata = read.serverMetadata();
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const configuration = methods.includes('client_secret_basic')
      ? read
      : new Configuration(metadata, clientId, client, ClientSecretPost(secret));
    configuration.timeout = timeoutS;
    for (const prepare of [...execute, enableNonRepudiationChecks]) prepare(configuration);
    return configuration;
  }

  const configuration = () =>
    (found ??= discover().catch((error: unknown) => {
      found = undefined;
      throw error;
    }));

  /** Adds what the ID token does not say from the userinfo endpoint, if there is one. */
  async function personOf(claims: Claims | undefined, subject: string, access: string): Promise<Person> {
    const configured = await configuration();
    const isWhole = claims && (claimAt(claims, config.OIDC_ROLES_CLAIM) !== undefined || !configured.serverMetadata().userinfo_endpoint);
    const all: Claims = isWhole ? claims : { ...(await fetchUserInfo(configured, access, subject)), ...claims };
    return { subject, name: nameOf(all), scopes: scopesOf(all, config) };
  }

  async function renewed(subject: string, { refresh, access = '' }: Tokens): Promise<SignedIn> {
    if (refresh === undefined) return { person: await personOf(undefined, subject, access), tokens: { access } };
    const answer = await refreshTokenGrant(await configuration(), refresh);
    const claims = answer.claims();
    if (claims && claims.sub !== subject) throw new SignInFault('untrusted');
    const person = await personOf(claims, subject, answer.access_token);
    return { person, tokens: { refresh: answer.refresh_token ?? refresh } };
  }

  return {
    host: issuer.host,

    async begin(isOther) {
      const begun = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
      const { href: url } = buildAuthorizationUrl(await configuration(), {
        redirect_uri: `${apiUrl(config)}${callbackPath}`,
        scope,
        state: begun.state,
        nonce: begun.nonce,
        code_challenge: await calculatePKCECodeChallenge(begun.verifier),
        code_challenge_method: 'S256',
        ...(isOther && { prompt: 'login' }),
      });
      return { url, begun };
    },

    async finish(search, { state, nonce, verifier }) {
      if (new URLSearchParams(search).get('state') !== state) throw new SignInFault('forged');
      // The address is that of the settings, because a caller chooses the Host.
      const current = new URL(`${apiUrl(config)}${callbackPath}${search}`);
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
      const answer = await authorizationCodeGrant(await configuration(), current, checks);
      const claims = answer.claims();
      if (!claims || !answer.id_token) throw new SignInFault('untrusted');
      if (Math.abs(claims.iat - now() / 1000) > toleranceS) throw new SignInFault('clock');
      const { access_token: access, refresh_token: refresh, id_token: idToken } = answer;
      return { person: await personOf(claims, claims.sub, access), tokens: refresh === undefined ? { access } : { refresh }, idToken };
    },

    renew: (subject, tokens) =>
      renewed(subject, tokens).catch((error: unknown) => {
        if (isEnded(error)) return undefined;
        throw error;
      }),

    async revoke({ refresh, access }) {
      const configured = await configuration();
      if (configured.serverMetadata().revocation_endpoint) await tokenRevocation(configured, refresh ?? access ?? '');
    },

    async endUrl(idToken) {
      const configured = await configuration();
      if (!configured.serverMetadata().end_session_endpoint) return undefined;
      return buildEndSessionUrl(configured, {
        post_logout_redirect_uri: `${apiUrl(config)}/console`,
        ...(idToken && { id_token_hint: idToken }),
      }).href;
    },
  };
}

/** True if the issuer no longer accepts the token. It may also refuse this gateway, which says nothing about the person. */
const isEnded = (error: unknown): boolean =>
  error instanceof ResponseBodyError
    ? error.error === 'invalid_grant'
    : error instanceof WWWAuthenticateChallengeError &&
      error.status === 401 &&
      error.cause.every(({ parameters }) => parameters.error !== 'invalid_client');
