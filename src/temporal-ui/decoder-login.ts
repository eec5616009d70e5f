/**
 * Authenticates the users of the decoder if a token is set. A program sends the token as a bearer token. The Temporal UI cannot, so a browser
 * logs in once and gets a cookie, which the UI sends if its codec settings include cross-origin credentials. The cookie does not contain the
 * token but a proof, signed with a secret of this process, so it is valid until the process ends.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export const loginPath = '/login';

const cookieName = 'leadgate-decoder';
const lastsS = 28_800;
const wrongTokenPauseMs = 300;

export interface DecoderLogin {
  readonly isLocked: boolean;
  /** True for a request with the token and without an Origin, which a browser would send. */
  isProgram(request: IncomingMessage): boolean;
  admits(request: IncomingMessage): boolean;
  login(request: IncomingMessage, response: ServerResponse, body: () => Promise<string>): Promise<void>;
}

const page = (message: string) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Leadgate decoder</title>
<body style="font: 16px/1.5 system-ui; max-width: 40rem; margin: 4rem auto; padding: 0 1rem">
<h1>Show payloads in the Temporal UI</h1>
<p>${message}</p>
<form method="post"><label>Token <input type="password" name="token" autocomplete="off" autofocus></label> <button>Log in</button></form>
</body></html>
`;

const ask = 'Enter the DECODER_TOKEN of this Leadgate.';
const wrong = 'This is not the token.';
const done = (host: string) =>
  `Logged in for ${lastsS / 3600} hours. In the Temporal UI, opened at the address ${host.split(':')[0]}, open the settings of the codec server: use your browser's own setting, set the endpoint to <code>http://${host}</code>, and tick “Include cross-origin credentials”.`;

/** Compares hashes, so that the time does not depend on the length of the text. */
const digest = (text: string) => createHash('sha256').update(text).digest();
const isSame = (one: string, other: string) => timingSafeEqual(digest(one), digest(other));

const bearerIn = ({ authorization = '' }: IncomingHttpHeaders): string | undefined => /^Bearer +(.+)$/i.exec(authorization)?.[1];

export function createDecoderLogin(token: string | undefined, now: () => number = Date.now): DecoderLogin {
  const secret = randomBytes(32);
  const proof = (until: number) => `${until}.${createHmac('sha256', secret).update(String(until)).digest('base64url')}`;

  function isLoggedIn(cookies = ''): boolean {
    const [, given = ''] = new RegExp(`(?:^|;\\s*)${cookieName}=([\\w.-]+)`).exec(cookies) ?? [];
    const until = Number(given.split('.')[0]);
    return until > now() && isSame(given, proof(until));
  }

  return {
    isLocked: token !== undefined,

    isProgram({ headers }) {
      const bearer = bearerIn(headers);
      return token !== undefined && bearer !== undefined && !headers.origin && isSame(bearer, token);
    },

    admits({ headers }) {
      if (token === undefined) return true;
      const bearer = bearerIn(headers);
      return bearer === undefined ? isLoggedIn(headers.cookie) : isSame(bearer, token);
    },

    async login(request, response, body) {
      response.setHeader(
        'Content-Security-Policy',
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; form-action 'self'",
      );
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      if (request.method !== 'POST') return void response.end(page(ask));
      const given = new URLSearchParams(await body()).get('token') ?? '';
      if (token === undefined || !isSame(given, token)) {
        await pause(wrongTokenPauseMs);
        return void response.writeHead(401).end(page(wrong));
      }
      response.setHeader(
        'Set-Cookie',
        `${cookieName}=${proof(now() + lastsS * 1000)}; HttpOnly; SameSite=Strict; Path=/decode; Max-Age=${lastsS}`,
      );
      response.end(page(done(request.headers.host ?? '')));
    },
  };
}
