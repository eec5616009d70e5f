/** All requests to the gateway. The operator's key stays in this tab's session and is sent only in the header. */

const keyName = 'leadgate-key';

export const gatewayKey = {
  get: () => sessionStorage.getItem(keyName),
  /** @param {string} key */
  set: (key) => sessionStorage.setItem(keyName, key),
  forget: () => sessionStorage.removeItem(keyName),
};

/** @typedef {{ field: string, message: string }} Detail */

/** A failed request, in words. Status 0 means that there was no answer. */
export class Refused extends Error {
  /** @param {number} status @param {string} message @param {string} code @param {Detail[]} details */
  constructor(status, message, code = '', details = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** Is told whether the gateway answers, and when it needs a key. @type {{ heard(isThere: boolean): void, needsKey(): void }} */
export const listener = { heard: () => {}, needsKey: () => {} };

/**
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {{ body?: unknown, signal?: AbortSignal }} [options]
 * @returns {Promise<any>}
 */
async function ask(method, path, { body, signal } = {}) {
  const key = gatewayKey.get();
  const response = await fetch(path, {
    method,
    headers: { ...(key && { authorization: `Bearer ${key}` }), ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  }).catch((error) => {
    if (signal?.aborted) throw error;
    listener.heard(false);
    throw new Refused(0, 'The gateway does not answer. It is asked again by itself.');
  });
  listener.heard(true);
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  if (response.status === 401) listener.needsKey();
  throw new Refused(
    response.status,
    answer.message ?? `The gateway answered ${response.status}`,
    answer.error?.code,
    answer.error?.details,
  );
}

/** @param {string} path @param {AbortSignal} [signal] */
export const get = (path, signal) => ask('GET', path, { signal });
/** @param {string} path @param {unknown} body */
export const post = (path, body) => ask('POST', path, { body });

/** @param {string} leadId */
export const leadPath = (leadId) => `/api/leads/${encodeURIComponent(leadId)}`;

/** Any error, in words. @param {unknown} error */
export const wordsOf = (error) => (error instanceof Refused ? error.message : 'Something went wrong on this page. Load it again.');
