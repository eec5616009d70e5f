/**
 * The HTTP client of the activities, and how an exchange ends: its outcome becomes a value or a typed failure. One request gives one
 * `Attempt`: no redirect, no retry, one deadline, an answer of at most 256 KB unless the call allows more, and no secret in it. A send
 * uses a connection of its own, because a pooled one may be closing, and then it is not known whether the request arrived. Once that
 * connection stands, and before anything is sent, it looks whether it still may.
 */
import { activityInfo, ApplicationFailure, cancellationSignal, CancelledFailure } from '@temporalio/activity';
import { Agent, buildConnector, Client, type Dispatcher } from 'undici';
import { graceMs, heartbeatTimeoutMs, quickGraceMs, retryAfterObeyedMs } from '../domain/deadlines';
import { isObject } from '../domain/formats';
import { concealed } from '../domain/forward';
import type { UpstreamName } from '../domain/upstreams';
import type { Answered, Attempt, AttemptFailure, AttemptNote, Outcome } from '../domain/outcome';
import { codeOf } from '../lib/errors';

const answerMostBytes = 262_144;
const retryAfterMostMs = 3_600_000;
/**
 * Shorter secrets are hidden in a text only as whole words, and the shortest only as whole values: elsewhere they would be found by chance,
 * and could make a good answer unreadable.
 */
const leastInsideWords = 8;
const leastAsWord = 4;

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** True for a first try that is given up sooner than the upstream may take. */
  readonly isQuick?: boolean;
  /** Secrets to hide in the answer. */
  readonly secrets?: readonly string[];
  /** The most bytes of an answer; a larger one counts as unreadable. */
  readonly answerMostBytes?: number;
}

class NoConnection extends Error {}

/** The last look before the send forbade it, so nothing was sent. */
class KeptBack extends Error {
  constructor(readonly reason: unknown) {
    super('kept back');
  }
}

const plainConnect = buildConnector({ timeout: 10_000 });

/** Any failure before the connection stands (name, route, refusal, TLS) proves that nothing was sent. */
const connect: buildConnector.connector = (options, done) =>
  plainConnect(options, (...[error, socket]) => (error ? done(new NoConnection(errorCode(error)), null) : done(null, socket)));

const pool = new Agent({ connect, connections: 64, keepAliveTimeout: 4_000 });

/** Makes a request that is safe to repeat, on a pooled connection. */
export function read(call: Call): Promise<Attempt> {
  const { isLocal } = activityInfo();
  return exchange(pool, { ...call, isQuick: isLocal }, AbortSignal.timeout(call.timeoutMs), () => true);
}

/** The last look before a send: if it throws, nothing is sent and the send throws the same error. */
export type LastLook = () => Promise<void>;

/** Made once: a new error with its trace costs more than the connection. */
const over = new Error('the send is over');

/** Makes a request that must not arrive twice, on a connection of its own. A cancelled activity sends nothing any more. */
export async function send(call: Call, lastLook: LastLook = async () => {}): Promise<Attempt> {
  const deadline = AbortSignal.timeout(call.timeoutMs);
  const cancelled = cancellationSignal();
  const begunAt = performance.now();
  let state: 'connecting' | 'looking' | 'sending' = 'connecting';
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
        const goOn = () => {
          if (cancelled.aborted) return end(new KeptBack(new CancelledFailure('The run was cancelled before this was sent')));
          // After such a silence the engine has given the try up: this process stood still.
          if (deadline.aborted || performance.now() - begunAt > heartbeatTimeoutMs) return end(over);
          state = 'sending';
          done(null, socket);
        };
        state = 'looking';
        lastLook().then(goOn, (reason: unknown) => end(new KeptBack(reason)));
      }),
  });
  const endIt = () => void client.destroy(over).catch(() => undefined);
  // Undici's signal does not end a request that waits for its connection, so this does. A look that has begun runs to its end.
  const giveUp = () => {
    if (state === 'connecting') endIt();
  };
  deadline.addEventListener('abort', giveUp);
  try {
    return await exchange(client, call, deadline, () => state === 'sending');
  } finally {
    // Otherwise the connection would stay in memory until the deadline.
    deadline.removeEventListener('abort', giveUp);
    endIt();
  }
}

/** `mayHaveArrived` tells whether the request may be on the wire. */
async function exchange(dispatcher: Dispatcher, call: Call, deadline: AbortSignal, mayHaveArrived: () => boolean): Promise<Attempt> {
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
    const body = parsed(await readAll(answer.body, call.answerMostBytes ?? answerMostBytes), call.secrets ?? []);
    const [date] = [answer.headers.date].flat();
    return { saw: 'answer', status: answer.statusCode, body, retryAfterMs: retryAfter(answer.headers['retry-after']), date };
  } catch (error) {
    if (error instanceof KeptBack) throw error.reason;
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

/** The text of an answer, or undefined if it is too large. */
async function readAll(body: Dispatcher.ResponseData['body'], mostBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) {
      body.destroy();
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string | undefined, secrets: readonly string[]): unknown {
  if (text === undefined) return undefined;
  try {
    // Checking each value of a large answer takes time, so do it only if there may be something to hide.
    const written = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]).filter(Boolean);
    if (!/\\[u/]/.test(text) && !written.some((secret) => text.includes(secret))) return JSON.parse(text);
    return hidden(JSON.parse(text), secrets.filter(Boolean));
  } catch {
    return undefined;
  }
}

/** Hides secrets in an answer: as a text, inside one, as a name, or as a number. */
function hidden(value: unknown, secrets: readonly string[]): unknown {
  const findable = secrets.filter(({ length }) => length >= leastInsideWords);
  const words = secrets.filter(({ length }) => length >= leastAsWord && length < leastInsideWords);
  const hide = (text: string) => findable.reduce((left, secret) => left.replaceAll(secret, concealed), text);
  const hideWords = (text: string) => words.reduce((left, secret) => left.replaceAll(asWord(secret), concealed), text);
  if (typeof value === 'string') return secrets.includes(value) ? concealed : hideWords(hide(value));
  if (typeof value === 'number') return secrets.includes(String(value)) ? concealed : value;
  if (Array.isArray(value)) return value.map((part) => hidden(part, secrets));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [hide(name), hidden(part, secrets)]));
}

/** Finds a secret that stands next to no letter and no digit. */
const asWord = (secret: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])${secret.replaceAll(/[$()*+./?[\\\]^{|}]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'gu');

/** Reads the Retry-After header: seconds or a date. */
function retryAfter(header: string | string[] | undefined): number | undefined {
  const value = Array.isArray(header) ? header[0] : header;
  if (!value) return undefined;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(waitMs) ? Math.min(Math.max(waitMs, 0), retryAfterMostMs) : undefined;
}

const errorCode = (error: unknown): string => String(codeOf(error) ?? 'no reason given');

/** The deadline of a request inside an activity: the setting's, or less if the run grants less. */
export function deadlineMs(settingMs: number): number {
  const { isLocal, startToCloseTimeoutMs } = activityInfo();
  return Math.max(1, Math.min(settingMs, startToCloseTimeoutMs - (isLocal ? quickGraceMs : graceMs)));
}

/** Failures after which the engine may try a read again. A send is tried once, whatever its failure. */
const repeated: readonly AttemptFailure[] = ['NOT_SENT', 'UNKNOWN'];

/** The error that an activity ends with. A held lead is not tried again here: it joins the waiting line. */
export function attemptFailure(type: AttemptFailure, { retryAfterMs, ...note }: AttemptNote): ApplicationFailure {
  const { attempt } = activityInfo();
  return ApplicationFailure.create({
    type,
    message: note.message,
    nonRetryable: !repeated.includes(type) || note.held !== undefined,
    details: [{ ...note, ...(retryAfterMs !== undefined && { retryAfterMs }), ...(attempt > 1 && { tries: attempt }) }],
    ...(retryAfterMs !== undefined && { nextRetryDelay: Math.min(retryAfterMs, retryAfterObeyedMs) }),
  });
}

interface Asked {
  readonly upstream?: UpstreamName;
  /** Tells a refused access key from other refusals. */
  keyRefused?(status: number, body: unknown): boolean;
}

/** Returns the delivered value or throws the failure. `who` names the upstream in a sentence. */
export function delivered<T>(who: string, outcome: Outcome<T>, { upstream, keyRefused }: Asked = {}): T {
  switch (outcome.outcome) {
    case 'delivered':
      return outcome.value;
    case 'refused':
      if (keyRefused?.(outcome.status, outcome.body))
        throw attemptFailure('KEY_REFUSED', { upstream, message: `${who} refused the access key`, status: outcome.status });
      throw attemptFailure('REFUSED', { upstream, message: `${who} refused the request`, status: outcome.status, body: outcome.body });
    case 'not-sent':
      throw attemptFailure('NOT_SENT', {
        upstream,
        message: `${who} ${outcome.reason}`,
        status: outcome.status,
        retryAfterMs: outcome.retryAfterMs,
        limited: outcome.limited,
        held: outcome.held,
      });
    case 'unknown':
      throw attemptFailure('UNKNOWN', { upstream, message: `${who} ${outcome.reason}`, status: outcome.status });
  }
}

/** The HTTP status of a delivered answer, and the tries that it took. */
export function answered(outcome: Outcome<unknown>): Answered {
  const { attempt } = activityInfo();
  return {
    ...(outcome.outcome === 'delivered' && outcome.status !== undefined && { httpStatus: outcome.status }),
    ...(attempt > 1 && { tries: attempt }),
  };
}
