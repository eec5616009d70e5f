/** Decides what a tool does after an error, by the table in docs/tools/README.md. The first matching row counts. */

/**
 * `repeat`  send the same request again with the same key, after Retry-After;
 * `person`  do not send it again: a person checks it;
 * `mend`    correct the request; a corrected lead needs a new key;
 * `setup`   a key or a setting is wrong: alert somebody;
 * `tool`    the path, the method, the size or the Content-Type is wrong: correct the tool.
 */
export type Remedy = 'repeat' | 'person' | 'mend' | 'setup' | 'tool';

export interface Refusal {
  readonly code: string;
  /** Undefined without an answer. */
  readonly status?: number;
  readonly state?: string;
  readonly retryable: boolean;
}

const tools = [404, 405, 413, 415];

/** For a lead, a 502 needs a person even if it is retryable. */
export function remedyOf({ code, status, state, retryable }: Refusal, isLead: boolean): Remedy {
  if (state === 'parked' || state === 'discarded' || status === 500 || (status === 502 && isLead)) return 'person';
  if (retryable) return 'repeat';
  if (code === 'NOT_LEADGATE') return 'setup';
  if (status === 400 || status === 409 || status === 422) return 'mend';
  if (status === 401 || status === 403 || code === 'CONFIG_ERROR') return 'setup';
  return status !== undefined && tools.includes(status) ? 'tool' : 'person';
}

/** True if the gateway says that nothing was started. */
export const isNotStarted = ({ status, retryable }: Refusal): boolean => retryable && (status === 429 || status === 503);

/** True for an error of a proxy in front of Leadgate: the outcome of the request is unknown. */
const isProxyError = ({ code, status = 0 }: Refusal): boolean => code === 'NOT_LEADGATE' && (status === 429 || status >= 500);

/** True if a retry sends nothing twice. `isSafe`: the request only reads, or has an Idempotency-Key. */
export const canRetry = (refusal: Refusal, isSafe: boolean): boolean =>
  refusal.code === 'NOT_REACHED' || isNotStarted(refusal) || (isSafe && isLost(refusal));

/** True if it is unknown whether the request arrived. */
export const isLost = (refusal: Refusal): boolean => refusal.code === 'NO_ANSWER' || isProxyError(refusal);

type Codes = Readonly<Record<string, { readonly status: number } | undefined>>;

/** Returns the code and status that the request of a failed, discarded or parked lead would have got. */
export function endingOf(state: string, code: string | undefined, codes: Codes): { readonly code: string; readonly status: number } {
  const status = codes[code ?? '']?.status ?? 502;
  const needsPerson = state !== 'failed' && status >= 503;
  return code === undefined || needsPerson ? { code: 'OUTCOME_UNKNOWN', status: 502 } : { code, status };
}
