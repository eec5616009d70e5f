/**
 * One request out, one `Attempt` back. No redirect, no retry, one deadline for everything, an answer of at most 256 KB.
 * Sends go on a connection of their own: a pooled one may be closing at the other end, and then nobody knows whether the request arrived.
 */
import { activityInfo, ApplicationFailure } from '@temporalio/activity';
import { AsyncLocalStorage } from 'node:async_hooks';
import { Agent, buildConnector, Client, type Dispatcher } from 'undici';
import { isObject } from '../domain/formats';
import { concealed } from '../domain/forward';
import type { Attempt, AttemptFailure, AttemptNote, Outcome } from '../domain/outcome';
import { codeOf } from '../lib/errors';

const answerMostBytes = 262_144;
const retryAfterMostMs = 3_600_000;

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** Texts that must not come back out of an answer. */
  readonly secrets?: readonly string[];
  /** A larger answer counts as unreadable. */
  readonly answerMostBytes?: number;
}

class NoConnection extends Error {}

/** By whoever had something to note first. */
class KeptBack extends Error {
  constructor(readonly reason: unknown) {
    super('kept back');
  }
}

const plainConnect = buildConnector({ timeout: 10_000 });

/** Whatever goes wrong before the connection stands (name, route, refusal, TLS) is proof that nothing was sent. */
const connect: buildConnector.connector = (options, done) =>
  plainConnect(options, (...[error, socket]) => (error ? done(new NoConnection(errorCode(error)), null) : done(null, socket)));

const pool = new Agent({ connect, connections: 64, keepAliveTimeout: 4_000 });

/** For what is safe to repeat. */
export const read = (call: Call): Promise<Attempt> => exchange(pool, call, () => true);

const beforeSending = new AsyncLocalStorage<() => Promise<void>>();

/** `note` is done when a send's connection stands and before anything goes out on it; what it throws comes out of the send, and nothing goes. */
export const noting = <T>(note: () => Promise<void>, run: () => Promise<T>): Promise<T> => beforeSending.run(note, run);

/** Made once: an error with a trace for each send costs more than its connection. */
const over = new Error('the send is over');

/** For what must not arrive twice. */
export async function send(call: Call): Promise<Attempt> {
  let connected = false;
  const note = beforeSending.getStore();
  const client = new Client(new URL(call.url).origin, {
    pipelining: 0,
    connect: (options, done) =>
      connect(options, (...result) => {
        const [error, socket] = result;
        if (error) return done(...result);
        const goOn = () => {
          connected = true;
          done(null, socket);
        };
        const keepBack = (reason: unknown) => {
          socket.destroy();
          done(new KeptBack(reason), null);
        };
        (note?.() ?? Promise.resolve()).then(goOn, keepBack);
      }),
  });
  try {
    return await exchange(client, call, () => connected);
  } finally {
    client.destroy(over).catch(() => undefined);
  }
}

async function exchange(dispatcher: Dispatcher, call: Call, connected: () => boolean): Promise<Attempt> {
  const { origin, pathname, search } = new URL(call.url);
  const deadline = AbortSignal.timeout(call.timeoutMs);
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
    if (!connected()) return { saw: 'no-connection', reason: 'could not be reached in time' };
    const timedOut = deadline.aborted;
    return { saw: 'no-answer', reason: timedOut ? 'did not answer in time' : `broke the connection (${errorCode(error)})`, timedOut };
  }
}

/** The text of an answer, or undefined when it is too large. */
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
    // Looking at each value takes its time with a large answer, so only where there may be something to hide.
    const written = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]).filter(Boolean);
    if (!/\\[u/]/.test(text) && !written.some((secret) => text.includes(secret))) return JSON.parse(text);
    return hidden(JSON.parse(text), secrets.filter(Boolean));
  } catch {
    return undefined;
  }
}

/** A shorter one stands in too many words: looked for inside them, it would make an answer unreadable that says the lead arrived. */
const leastInsideWords = 8;

/** An upstream may say a secret back as a text, in one, as a name or as a number. */
function hidden(value: unknown, secrets: readonly string[]): unknown {
  const findable = secrets.filter(({ length }) => length >= leastInsideWords);
  const hide = (text: string) => findable.reduce((left, secret) => left.replaceAll(secret, concealed), text);
  if (typeof value === 'string') return secrets.includes(value) ? concealed : hide(value);
  if (typeof value === 'number') return secrets.includes(String(value)) ? concealed : value;
  if (Array.isArray(value)) return value.map((part) => hidden(part, secrets));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [hide(name), hidden(part, secrets)]));
}

/** Seconds or a date, as the header has it. */
function retryAfter(header: string | string[] | undefined): number | undefined {
  const value = Array.isArray(header) ? header[0] : header;
  if (!value) return undefined;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(waitMs) ? Math.min(Math.max(waitMs, 0), retryAfterMostMs) : undefined;
}

const errorCode = (error: unknown): string => String(codeOf(error) ?? 'no reason given');

/** Leaves the activity time to report before the engine gives it up. */
const reportMs = 250;

/** The deadline of a request inside an activity: the setting's, or what the engine still grants. */
export const deadlineMs = (settingMs: number): number => Math.max(1, Math.min(settingMs, activityInfo().startToCloseTimeoutMs - reportMs));

/** Never retried by the engine: the workflow decides, so that each decision is an event that a person can see. */
export const attemptFailure = (type: AttemptFailure, note: AttemptNote): ApplicationFailure =>
  ApplicationFailure.create({ type, message: note.message, nonRetryable: true, details: [note] });

/** The delivered value, or the failure. `who` is the upstream's name in a sentence; `keyRefused` tells a bad key from another refusal. */
export function delivered<T>(who: string, outcome: Outcome<T>, keyRefused: (status: number, body: unknown) => boolean = () => false): T {
  switch (outcome.outcome) {
    case 'delivered':
      return outcome.value;
    case 'refused':
      if (keyRefused(outcome.status, outcome.body))
        throw attemptFailure('KEY_REFUSED', { message: `${who} refused the access key`, status: outcome.status });
      throw attemptFailure('REFUSED', { message: `${who} refused the request`, status: outcome.status, body: outcome.body });
    case 'not-sent':
      throw attemptFailure('NOT_SENT', {
        message: `${who} ${outcome.reason}`,
        retryAfterMs: outcome.retryAfterMs,
        limited: outcome.limited,
        held: outcome.held,
      });
    case 'unknown':
      throw attemptFailure('UNKNOWN', { message: `${who} ${outcome.reason}` });
  }
}
