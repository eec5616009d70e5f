/** Plays each effect on one call: whether the call does its work, and which part of the answer goes out. */
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Body, Call, Incoming } from './call';

export type Turn = {
  call: Call;
  request: Incoming;
  response: ServerResponse;
  /** The number of `slow-<ms>` and `late-<ms>`. */
  ms: number;
  /** Does what a healthy upstream would do, and returns its answer. */
  work(): Answer;
  /** Runs `work` later, unless the sandbox is reset before. */
  workLater(ms: number): void;
  /** Resolves at the next `POST /__release`. */
  released(): Promise<void>;
};

export type Play = (turn: Turn) => void | Promise<void>;

export const asAsked = ({ response, work }: Turn): void => send(response, work());

type Headers = Record<string, string>;

const messages: Record<number, string> = {
  401: 'Invalid or expired key',
  404: 'Not found',
  405: 'Method not allowed',
  422: 'The given data was invalid',
  429: 'Too many requests',
  500: 'Internal server error',
  503: 'Service unavailable',
};

export function send(response: ServerResponse, { status, body }: Answer, headers: Headers = {}): void {
  write(response, status, 'application/json; charset=utf-8', JSON.stringify(body), headers);
}

function write(response: ServerResponse, status: number, type: string, text: string, headers: Headers = {}): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text), ...headers }).end(text);
}

export function fails(status: number, headers: () => Headers = () => ({})): Play {
  return ({ call, response }) => send(response, { status, body: call.errorBody(status, messages[status] ?? 'Error') }, headers());
}

/** Retry-After as a date. A date has whole seconds only, so this names the second after next. */
export const inASecond = (): Headers => ({ 'retry-after': new Date(Date.now() + 2_000).toUTCString() });

export function afterwards(play: Play): Play {
  return (turn) => {
    turn.work();
    return play(turn);
  };
}

export function changed(change: (body: Body, call: Call) => Body): Play {
  return ({ call, response, work }) => {
    const { status, body } = work();
    send(response, { status, body: change(body, call) });
  };
}

export function refuse(turn: Turn): void | Promise<void> {
  return turn.call.refused ? send(turn.response, turn.call.refused) : fails(422)(turn);
}

export function revoke(turn: Turn): void | Promise<void> {
  return turn.call.revoked ? send(turn.response, turn.call.revoked(turn.request)) : fails(401)(turn);
}

export function reset({ response }: Turn): void {
  response.socket?.resetAndDestroy();
}

export function hang(): void {}

/** A caller who has gone before the release is not served: the work is not done. */
export async function hold({ response, work, released }: Turn): Promise<void> {
  await released();
  if (!response.destroyed) send(response, work());
}

export async function holdAnswer({ response, work, released }: Turn): Promise<void> {
  const answer = work();
  await released();
  send(response, answer);
}

const dripMs = 250;

export async function drip({ response, work }: Turn): Promise<void> {
  const { status, body } = work();
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length });
  for (const byte of bytes) {
    if (response.destroyed) return;
    response.write(Buffer.of(byte));
    await pause(dripMs, undefined, { ref: false });
  }
  response.end();
}

export async function slow({ response, work, ms }: Turn): Promise<void> {
  const answer = work();
  await pause(ms, undefined, { ref: false });
  send(response, answer);
}

export function late(turn: Turn): void {
  turn.workLater(turn.ms);
  reset(turn);
}

export function html({ response }: Turn): void {
  write(response, 200, 'text/html; charset=utf-8', '<!doctype html><title>Maintenance</title><h1>We will be back soon</h1>');
}

export function truncated({ response, work }: Turn): void {
  const { status, body } = work();
  const text = JSON.stringify(body);
  write(response, status, 'application/json; charset=utf-8', text.slice(0, text.length / 2));
}

export function cut({ response, work }: Turn): void {
  const { status, body } = work();
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) });
  response.write(text.slice(0, text.length / 2), () => response.socket?.destroy());
}

export function redirect({ response }: Turn): void {
  write(response, 302, 'text/plain', 'Moved', { location: '/__redirected' });
}

export function errorInside({ response }: Turn): void {
  const error = { code: 'INTERNAL_ERROR', message: 'Something went wrong' };
  send(response, { status: 200, body: { data: null, error, meta: { totalItems: 0 }, links: {} } });
}

export function pad(body: Body): Body {
  return { ...body, padding: 'x'.repeat(512 * 1024) };
}

export function withoutTheLastEssential(body: Body, { essential }: Call): Body {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== essential.at(-1)));
}

export function onlyEssentials(body: Body, { essential }: Call): Body {
  return Object.fromEntries(Object.entries(body).filter(([name]) => essential.includes(name)));
}
