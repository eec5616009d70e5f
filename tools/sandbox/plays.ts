/** Implements each effect: whether the call is processed, and which part of the answer is sent. */
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Copies, SimulatedAnswer, JsonBody, SimulatedCall, SimulatedRequest } from './call';

export type CallContext = {
  call: SimulatedCall;
  request: SimulatedRequest;
  response: ServerResponse;
  /** The number of `slow-<ms>` and `late-<ms>`. */
  ms: number;
  /** Processes the request as a healthy upstream does, and returns the answer. It stores one copy by default. */
  work(copies?: Copies): SimulatedAnswer;
  /** Runs `work` after a delay, unless the sandbox is reset before. */
  workLater(ms: number): void;
  /** Resolves at the next `POST /__release`. */
  released(): Promise<void>;
};

export type EffectPlay = (turn: CallContext) => void | Promise<void>;

export const answerNormally = ({ response, work }: CallContext): void => send(response, work());

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

export function send(response: ServerResponse, { status, body }: SimulatedAnswer, headers: Headers = {}): void {
  write(response, status, 'application/json; charset=utf-8', JSON.stringify(body), headers);
}

export function write(response: ServerResponse, status: number, type: string, text: string, headers: Headers = {}): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text), ...headers }).end(text);
}

export function failWith(status: number, headers: () => Headers = () => ({})): EffectPlay {
  return ({ call, response }) => send(response, { status, body: call.errorBody(status, messages[status] ?? 'Error') }, headers());
}

/** Retry-After as a date. A date has whole seconds, so use two seconds for at least one. */
export const retryAfterDate = (): Headers => ({ 'retry-after': new Date(Date.now() + 2_000).toUTCString() });

export function storeThen(play: EffectPlay): EffectPlay {
  return (turn) => {
    turn.work();
    return play(turn);
  };
}

export function storeCopies(copies: Copies): EffectPlay {
  return ({ response, work }) => send(response, work(copies));
}

export function withChangedBody(change: (body: JsonBody, call: SimulatedCall) => JsonBody): EffectPlay {
  return ({ call, response, work }) => {
    const { status, body } = work();
    send(response, { status, body: change(body, call) });
  };
}

export function refuse(turn: CallContext): void | Promise<void> {
  return turn.call.refused ? send(turn.response, turn.call.refused) : failWith(422)(turn);
}

export function revoke(turn: CallContext): void | Promise<void> {
  return turn.call.revoked ? send(turn.response, turn.call.revoked(turn.request)) : failWith(401)(turn);
}

export function reset({ response }: CallContext): void {
  response.socket?.resetAndDestroy();
}

export function hang(): void {}

/** If the client disconnects before the release, the request is not processed. */
export async function hold({ response, work, released }: CallContext): Promise<void> {
  await released();
  if (!response.destroyed) send(response, work());
}

export async function holdAnswer({ response, work, released }: CallContext): Promise<void> {
  const answer = work();
  await released();
  send(response, answer);
}

const dripMs = 250;

export async function drip({ response, work }: CallContext): Promise<void> {
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

export async function slow({ response, work, ms }: CallContext): Promise<void> {
  const answer = work();
  await pause(ms, undefined, { ref: false });
  send(response, answer);
}

export function late(turn: CallContext): void {
  turn.workLater(turn.ms);
  reset(turn);
}

export function html({ response }: CallContext): void {
  write(response, 200, 'text/html; charset=utf-8', '<!doctype html><title>Maintenance</title><h1>We will be back soon</h1>');
}

export function truncated({ response, work }: CallContext): void {
  const { status, body } = work();
  const text = JSON.stringify(body);
  write(response, status, 'application/json; charset=utf-8', text.slice(0, text.length / 2));
}

export function cut({ response, work }: CallContext): void {
  const { status, body } = work();
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) });
  response.write(text.slice(0, text.length / 2), () => response.socket?.destroy());
}

export function redirect({ response }: CallContext): void {
  write(response, 302, 'text/plain', 'Moved', { location: '/__redirected' });
}

export function errorInside({ response }: CallContext): void {
  const error = { code: 'INTERNAL_ERROR', message: 'Something went wrong' };
  send(response, { status: 200, body: { data: null, error, meta: { totalItems: 0 }, links: {} } });
}

export function pad(body: JsonBody): JsonBody {
  return { ...body, padding: 'x'.repeat(512 * 1024) };
}

export function withoutTheLastEssential(body: JsonBody, { essential }: SimulatedCall): JsonBody {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== essential.at(-1)));
}

export function onlyEssentials(body: JsonBody, { essential }: SimulatedCall): JsonBody {
  return Object.fromEntries(Object.entries(body).filter(([name]) => essential.includes(name)));
}
