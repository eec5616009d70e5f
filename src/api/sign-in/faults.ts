/** Says what went wrong at the issuer, in words for the person who signs in and for the log. Neither repeats a token or a code. */
import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';
import { isObject, pick } from '../../domain/formats';
import { codeOf } from '../../lib/errors';
import type { LogFields } from '../../lib/log';

export const faults = {
  forged: {
    status: 400,
    title: 'This sign-in is not known here',
    what: 'It was begun in another browser, more than ten minutes ago, or not by you. Nobody was signed in.',
    next: 'Sign in again. Your browser must accept cookies of this page.',
  },
  late: {
    status: 400,
    title: 'The sign-in took too long',
    what: 'The code from the issuer has expired, or was used already. Nobody was signed in.',
    next: 'Sign in again.',
  },
  refused: {
    status: 403,
    title: 'The issuer did not sign you in',
    what: 'You cancelled, or the issuer does not let you use this gateway.',
    next: 'Sign in again, or ask an administrator of the issuer.',
  },
  away: {
    status: 503,
    title: 'The issuer does not answer',
    what: 'Who you are could not be checked. Nobody was signed in.',
    next: 'Try again in a minute. Programs with a gateway key still work.',
  },
  clock: {
    status: 502,
    title: 'The clocks differ',
    what: 'By the clock of this gateway, the answer of the issuer has expired, or was made in the future. Nobody was signed in.',
    next: 'Ask an administrator to set the clocks of both.',
  },
  client: {
    status: 502,
    title: 'The issuer does not accept this gateway',
    what: 'The client id, its secret or the address of this gateway is not what the issuer knows. Nobody was signed in.',
    next: 'Ask an administrator to check OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and LEADGATE_URL.',
  },
  untrusted: {
    status: 502,
    title: 'The answer of the issuer cannot be trusted',
    what: 'It is for somebody else, from somebody else, or not what was asked for. Nobody was signed in.',
    next: 'Sign in again. If that does not help, ask an administrator to check OIDC_ISSUER and OIDC_CLIENT_ID.',
  },
  tooLong: {
    status: 502,
    title: 'The token of the issuer is too long',
    what: 'It does not fit into a cookie. Nobody was signed in.',
    next: 'Ask an administrator of the issuer to leave claims out of its tokens, such as groups.',
  },
  noScope: {
    status: 403,
    title: 'You have no access',
    what: 'The issuer knows you, but none of your roles gives access to this gateway.',
    next: 'Ask an administrator for a role, then sign in again.',
  },
} as const;

export type Fault = keyof typeof faults;

export class SignInFault extends Error {
  override name = 'SignInFault';
  constructor(
    readonly fault: Fault,
    options?: ErrorOptions,
  ) {
    super(faults[fault].title, options);
  }
}

/** By the codes of openid-client. */
const byCode: Readonly<Record<string, Fault>> = {
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'clock',
  OAUTH_RESPONSE_IS_NOT_CONFORM: 'away',
  OAUTH_RESPONSE_IS_NOT_JSON: 'away',
  OAUTH_PARSE_ERROR: 'away',
  OAUTH_TIMEOUT: 'away',
  OAUTH_ABORT: 'away',
};

/** By the `error` of OAuth. */
const byAnswer: Readonly<Record<string, Fault>> = {
  invalid_grant: 'late',
  invalid_client: 'client',
  unauthorized_client: 'client',
  invalid_request: 'client',
  invalid_scope: 'client',
  server_error: 'away',
  temporarily_unavailable: 'away',
};

/** True for the error of Node's fetch if the connection fails: a TypeError whose cause has a code. */
const isConnectionError = (error: unknown): boolean =>
  isObject(error) && ((error.name === 'TypeError' && codeOf(error.cause) !== undefined) || isConnectionError(error.cause));

export function faultOf(error: unknown): Fault {
  if (error instanceof SignInFault) return error.fault;
  if (error instanceof WWWAuthenticateChallengeError) return error.status === 401 ? 'client' : 'away';
  if (error instanceof ResponseBodyError) return error.status >= 500 ? 'away' : (pick(byAnswer, error.error) ?? 'untrusted');
  if (error instanceof AuthorizationResponseError) return pick(byAnswer, error.error) ?? 'refused';
  if (isConnectionError(error)) return 'away';
  return pick(byCode, String(codeOf(error))) ?? 'untrusted';
}

const word = (value: unknown) => (typeof value === 'string' && /^\w{1,60}$/.test(value) ? value : undefined);

/** The fields of the log line. */
export const logFieldsOf = (error: unknown): LogFields => ({
  fault: faultOf(error),
  code: word(codeOf(error)),
  answer: error instanceof ResponseBodyError || error instanceof AuthorizationResponseError ? word(error.error) : undefined,
  cause: isObject(error) ? word(codeOf(error.cause)) : undefined,
});
