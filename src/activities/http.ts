/**
 * Makes HTTP requests for the activities: no redirect, no retry, one deadline. A send uses a connection of its own, because a request on a
 * pooled one that is closing has an unknown outcome. After connecting, and before it sends anything, it checks whether it still may send.
 */
import { activityInfo, cancellationSignal, CancelledFailure } from '@temporalio/activity';
import { Agent, buildConnector, Client, type Dispatcher } from 'undici';
import { graceMs, heartbeatTimeoutMs, quickGraceMs } from '../domain/deadlines';
import type { HttpResult } from '../domain/outcome';
import { codeOf } from '../lib/errors';
import { readAnswer, type AnswerLimits } from './http-answer';

export interface Call extends AnswerLimits {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** True for a first try whose time-out is shorter than the upstream may take. */
  readonly isQuick?: boolean;
}

class NoConnection extends Error {}

/** The last check before the send forbade it, so nothing was sent. */
class SendForbidden extends Error {
  constructor(readonly reason: unknown) {
    super('kept back');
  }
}

const plainConnect = buildConnector({ timeout: 10_000 });

/** Any failure to connect (name, route, refusal, TLS) proves that nothing was sent. */
const connect: buildConnector.connector = (options, done) =>
  plainConnect(options, (...[error, socket]) => (error ? done(new NoConnection(errorCode(error)), null) : done(null, socket)));

const pool = new Agent({ connect, connections: 64, keepAliveTimeout: 4_000 });

/** Makes a request that is safe to repeat, on a pooled connection. */
export function read(call: Call): Promise<HttpResult> {
  const { isLocal } = activityInfo();
  return exchange(pool, { ...call, isQuick: isLocal }, AbortSignal.timeout(call.timeoutMs), () => true);
}

/** The last check before a send: if it throws, nothing is sent and the send throws the same error. */
export type LastCheck = () => Promise<void>;

/** Created once: a new error with its stack trace costs more than the connection. */
const sendEnded = new Error('the send is over');

/** Makes a request that must not arrive twice, on a connection of its own. A cancelled activity sends nothing. */
export async function send(call: Call, lastCheck: LastCheck = async () => {}): Promise<HttpResult> {
  const deadline = AbortSignal.timeout(call.timeoutMs);
  const cancelled = cancellationSignal();
  const begunAt = performance.now();
  let state: 'connecting' | 'checking' | 'sending' = 'connecting';
  const client = new Client(new URL(call.url).origin, {
    pipelining: 0,
    connect: (options, done) =>
      connect(options, (...result) => {
        const [error, socket] = result;
        if (error) return done(...result);
        const end = (reason: Error) => {
          socket.destroy();
          done(reason, null);
        };
        const startSending = () => {
          if (cancelled.aborted) return end(new SendForbidden(new CancelledFailure('The run was cancelled before this was sent')));
          // This process was suspended for longer than the heartbeat time-out, so the engine has ended the try.
          if (deadline.aborted || performance.now() - begunAt > heartbeatTimeoutMs) return end(sendEnded);
          state = 'sending';
          done(null, socket);
        };
        state = 'checking';
        lastCheck().then(startSending, (reason: unknown) => end(new SendForbidden(reason)));
      }),
  });
  const destroyClient = () => void client.destroy(sendEnded).catch(() => undefined);
  // Undici's signal does not end a request that waits for its connection, so this does. A check that has begun is completed.
  const stopConnecting = () => {
    if (state === 'connecting') destroyClient();
  };
  deadline.addEventListener('abort', stopConnecting);
  try {
    return await exchange(client, call, deadline, () => state === 'sending');
  } finally {
    // Otherwise the connection would stay in memory until the deadline.
    deadline.removeEventListener('abort', stopConnecting);
    destroyClient();
  }
}

/** `mayHaveArrived` returns true if the request may be on the wire. */
async function exchange(dispatcher: Dispatcher, call: Call, deadline: AbortSignal, mayHaveArrived: () => boolean): Promise<HttpResult> {
  const { origin, pathname, search } = new URL(call.url);
  try {
    const answer = await dispatcher.request({
      origin,
      path: pathname + search,
      method: call.method,
      headers: { accept: 'application/json', ...call.headers },
      body: call.body,
      headersTimeout: 0,
      bodyTimeout: 0,
      signal: deadline,
    });
    return await readAnswer(answer, call);
  } catch (error) {
    if (error instanceof SendForbidden) throw error.reason;
    if (error instanceof NoConnection) return { saw: 'no-connection', reason: `could not be reached (${error.message})` };
    const timedOut = deadline.aborted;
    const cutShort = timedOut && call.isQuick;
    if (!mayHaveArrived()) return { saw: 'no-connection', reason: 'could not be reached in time', cutShort };
    return {
      saw: 'no-answer',
      reason: timedOut ? 'did not answer in time' : `broke the connection (${errorCode(error)})`,
      timedOut,
      cutShort,
    };
  }
}

const errorCode = (error: unknown): string => String(codeOf(error) ?? 'no reason given');

/** The deadline of a request in an activity: the setting's, or the time that the run grants if that is less. */
export function deadlineMs(settingMs: number): number {
  const { isLocal, startToCloseTimeoutMs } = activityInfo();
  return Math.max(1, Math.min(settingMs, startToCloseTimeoutMs - (isLocal ? quickGraceMs : graceMs)));
}
