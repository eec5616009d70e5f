/**
 * Sends all requests to the gateway. The operator's key is stored in this tab's session and sent only in the header. Without a key, the
 * browser sends the cookie of the signed-in person, which no script can read.
 */
import { takeMark } from './acts.js';

const keyName = 'leadgate-key';

export const gatewayKey = {
  get: () => sessionStorage.getItem(keyName),
  /** @param {string} key */
  set: (key) => sessionStorage.setItem(keyName, key),
  forget: () => sessionStorage.removeItem(keyName),
};

/** @returns {Record<string, string>} */
export const callerHeader = () => {
  const key = gatewayKey.get();
  return key ? { authorization: `Bearer ${key}` } : { 'x-leadgate-session': takeMark() };
};

/** Where people sign in. @typedef {{ issuer: string, url: string }} Offer */

/** @typedef {{ field: string, message: string }} Detail */

/** A failed request with a message for people. Status 0 means no answer. */
export class Refused extends Error {
  /** @param {number} status @param {string} message @param {string} code @param {Detail[]} details @param {Offer} [signIn] */
  constructor(status, message, code = '', details = [], signIn) {
    super(message);
    this.signIn = signIn;
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/**
 * Notified whether the gateway answers, when it requires a key or a sign-in, and how long a session lasts without an act.
 * @type {{ heard(isThere: boolean): void, needsKey(signIn?: Offer): void, left(seconds: number): void }}
 */
export const listener = { heard: () => {}, needsKey: () => {}, left: () => {} };

const noAnswer = {
  GET: 'The gateway does not answer. Retrying …',
  POST: 'The gateway did not answer, so your request may not have been carried out. Your input is kept: send it again. It is carried out at most once.',
};

/**
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {{ body?: BodyInit, type?: string, order?: string, signal?: AbortSignal }} [options]
 */
async function ask(method, path, { body, type, order, signal } = {}) {
  const response = await fetch(path, {
    method,
    headers: {
      ...callerHeader(),
      ...(type && { 'content-type': type }),
      ...(order && { 'idempotency-key': order }),
    },
    body,
    signal,
  }).catch((error) => {
    if (signal?.aborted) throw error;
    listener.heard(false);
    throw new Refused(0, noAnswer[method]);
  });
  listener.heard(true);
  const left = response.headers.get('x-leadgate-session');
  if (left) listener.left(Number(left));
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  if (response.status === 401) listener.needsKey(answer.signIn);
  throw new Refused(
    response.status,
    answer.message ?? `The gateway answered ${response.status}`,
    answer.error?.code,
    answer.error?.details,
    answer.signIn,
  );
}

/** @param {Response} response @returns {Promise<any>} */
const read = (response) => response.json().catch(() => ({}));

/** @param {string} path @param {AbortSignal} [signal] */
export const get = async (path, signal) => read(await ask('GET', path, { signal }));
/** With an `order`, a repeated request is carried out once. @param {string} path @param {unknown} body @param {string} [order] */
export const post = async (path, body, order) =>
  read(await ask('POST', path, { body: JSON.stringify(body), type: 'application/json', order }));
/**
 * Sends a file. The answer is JSON, or a stream of lines.
 * @param {string} path @param {File} file @param {{ order?: string, signal?: AbortSignal }} [options]
 */
export const sendFile = (path, file, options) => ask('POST', path, { body: file, type: 'text/csv', ...options });

/** Yields the lines of an answer as they arrive. @param {Response} response @returns {AsyncGenerator<any>} */
export async function* linesOf(response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    const lines = (text + part.value).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
}

/** @param {string} path */
export const download = async (path) => (await ask('GET', path)).blob();

/** Returns a new idempotency key. Unlike `randomUUID`, it works on a page without TLS. */
export const newOrder = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** @param {string} leadId */
export const leadPath = (leadId) => `/api/leads/${encodeURIComponent(leadId)}`;

/** Returns the message for any error. @param {unknown} error */
export function wordsOf(error) {
  if (!(error instanceof Refused)) return 'Something went wrong on this page. Load it again.';
  return error.code === 'IDEMPOTENCY_KEY_REUSED'
    ? 'Your first request was carried out, with the input that you sent then. Look at the lead before you send another request.'
    : error.message;
}

/** The message for an error, with what is wrong with each field. @param {unknown} error */
export function fullWordsOf(error) {
  const details = error instanceof Refused ? error.details.map(({ field, message }) => `${field}: ${message}`) : [];
  return [wordsOf(error), ...details].join('. ');
}
