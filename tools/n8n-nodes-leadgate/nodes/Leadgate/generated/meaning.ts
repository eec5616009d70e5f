/** Written by `npm run reference` from tools/client/meaning.ts. */
/** What an answer means to a tool: the rows of docs/tools/README.md, of which the first that fits counts. */

/**
 * `repeat`  send the same again with the same key, after Retry-After;
 * `person`  do not send it again: a person looks;
 * `mend`    mend the request; a lead is then sent with a new key;
 * `setup`   a key or a setting is wrong: tell somebody;
 * `tool`    the path, the method, the size or the Content-Type is wrong: mend the tool.
 */
export type Remedy = 'repeat' | 'person' | 'mend' | 'setup' | 'tool';

export interface Refusal {
  readonly code: string;
  /** Undefined where no answer came. */
  readonly status?: number;
  readonly state?: string;
  readonly retryable: boolean;
}

const tools = [404, 405, 413, 415];

/** For a lead a 502 is a person's to look at, even where it says that it is retryable. */
export function remedyOf({ code, status, state, retryable }: Refusal, isLead: boolean): Remedy {
  if (state === 'parked' || state === 'discarded' || status === 500 || (status === 502 && isLead)) return 'person';
  if (retryable) return 'repeat';
  if (code === 'NOT_LEADGATE') return 'setup';
  if (status === 400 || status === 409 || status === 422) return 'mend';
  if (status === 401 || status === 403 || code === 'CONFIG_ERROR') return 'setup';
  return status !== undefined && tools.includes(status) ? 'tool' : 'person';
}

/** The gateway itself says that nothing was started. */
export const isNotStarted = ({ status, retryable }: Refusal): boolean => retryable && (status === 429 || status === 503);

/** An answer that came, yet not from Leadgate, of a proxy before it: what became of the request is not known. */
const isProxys = ({ code, status = 0 }: Refusal): boolean => code === 'NOT_LEADGATE' && (status === 429 || status >= 500);

/** Whether a repeat sends nothing twice. `isSafe`: the request only reads, or has an Idempotency-Key. */
export const mayRepeat = (refusal: Refusal, isSafe: boolean): boolean =>
  refusal.code === 'NOT_REACHED' || isNotStarted(refusal) || (isSafe && isLost(refusal));

/** Nobody knows whether the request arrived. */
export const isLost = (refusal: Refusal): boolean => refusal.code === 'NO_ANSWER' || isProxys(refusal);

type Codes = Readonly<Record<string, { readonly status: number } | undefined>>;

/** The code and status with which the request of a lead that failed, was discarded or is parked would have been answered. */
export function endingOf(state: string, code: string | undefined, codes: Codes): { readonly code: string; readonly status: number } {
  const status = codes[code ?? '']?.status ?? 502;
  const isPersons = state !== 'failed' && status >= 503;
  return code === undefined || isPersons ? { code: 'OUTCOME_UNKNOWN', status: 502 } : { code, status };
}
