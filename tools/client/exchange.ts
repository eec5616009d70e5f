/** One request to the gateway and its answer. Every refusal, and every answer that does not come, is a LeadgateError. */
import { LeadgateError, type Detail } from './error.ts';
import { isLost } from './meaning.ts';

type JsonObject = Readonly<Record<string, unknown>>;

export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** With the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly idempotencyKey?: string;
  readonly isLead?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
}

export interface Address {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey?: string;
}

/** The request only reads, or its repeat gets the first answer. */
export const isSafe = ({ method, idempotencyKey }: Request): boolean => method === 'GET' || idempotencyKey !== undefined;

/** Failures before the first byte of a request goes out. */
const unreached = [
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'],
  ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'SELF_SIGNED_CERT_IN_CHAIN'],
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

/** Read by its names: an error of another realm is no `instanceof Error`. */
function reasonOf(error: unknown): unknown {
  const cause = isObject(error) ? error.cause : undefined;
  return isObject(cause) ? cause.code : undefined;
}

export async function respond({ baseUrl, apiKey }: Address, request: Request, signal?: AbortSignal): Promise<Response> {
  const { method, path, headers, body, idempotencyKey } = request;
  // Outside of the try: a wrong key or address is the caller's mistake.
  const url = new URL(`${baseUrl}${path}`);
  const all = new Headers(headers);
  if (apiKey) all.set('x-gateway-key', apiKey);
  if (idempotencyKey !== undefined) all.set('Idempotency-Key', idempotencyKey);
  // Not sent, so nothing is lost.
  if (signal?.aborted) throw silence('NOT_REACHED', 'The call was stopped before it was sent', { ...request, baseUrl }, signal.reason);
  try {
    // A redirect would send the lead to another place.
    return await fetch(url, { method, signal, body, redirect: 'manual', headers: all });
  } catch (error) {
    if (unreached.some((code) => code === reasonOf(error)))
      throw silence('NOT_REACHED', `Nothing answers at ${baseUrl}: nothing was sent`, { ...request, baseUrl }, error);
    throw silence('NO_ANSWER', `No answer came from ${baseUrl}`, { ...request, baseUrl }, error);
  }
}

function silence(
  code: 'NOT_REACHED' | 'NO_ANSWER',
  message: string,
  request: Request & Address,
  cause: unknown,
  leadId?: string | null,
): LeadgateError {
  const { baseUrl, idempotencyKey, isLead } = request;
  const retryable = code === 'NOT_REACHED' || isSafe(request);
  return new LeadgateError(code, message, { baseUrl, retryable, idempotencyKey, isLead, cause, leadId: leadId ?? undefined });
}

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads an answer that is JSON. */
export async function answerIn(response: Response, request: Request, { baseUrl }: Address): Promise<Answer> {
  const text = await textIn(response, request, { baseUrl });
  const { status, headers } = response;
  const body = parsed(text);
  if (!isObject(body) || !isOurs(response, body)) throw notLeadgate(response, request, { baseUrl });
  if (!response.ok) throw refusalOf({ status, headers, body }, { ...request, baseUrl });
  return { status, headers, body };
}

export const textIn = (response: Response, request: Request, { baseUrl }: Address): Promise<string> =>
  response.text().catch((error: unknown) => {
    throw silence('NO_ANSWER', `The answer of ${baseUrl} broke off`, { ...request, baseUrl }, error, response.headers.get('x-lead-id'));
  });

/** Every answer of Leadgate names its log entry; a body that says `success` is enough where a proxy takes headers out. */
const isOurs = ({ ok, headers }: Response, { success, error }: JsonObject): boolean =>
  ok ? headers.has('x-log-id') || typeof success === 'boolean' : isObject(error) && typeof error.code === 'string';

function notLeadgate({ status }: Response, request: Request, { baseUrl }: Address): LeadgateError {
  const { idempotencyKey, isLead } = request;
  const code = 'NOT_LEADGATE';
  const retryable = isSafe(request) && isLost({ code, status, retryable: false });
  return new LeadgateError(code, `The answer of ${baseUrl} is not Leadgate's (status ${status})`, {
    baseUrl,
    status,
    retryable,
    idempotencyKey,
    isLead,
  });
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Seconds; absent for another form, so that nothing waits for a time that was not said. */
function retryAfterS(headers: Headers): number | undefined {
  const given = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(given) ? Number(given) : undefined;
}

function refusalOf({ status, headers, body }: Answer, { baseUrl, idempotencyKey, isLead }: Request & Address): LeadgateError {
  const error = isObject(body.error) ? body.error : {};
  return new LeadgateError(String(error.code), textOf(body.message) ?? 'no reason given', {
    baseUrl,
    status,
    details: Array.isArray(error.details) ? (error.details as Detail[]) : [],
    step: textOf(error.step),
    upstreamStatus: typeof error.upstreamStatus === 'number' ? error.upstreamStatus : undefined,
    retryable: error.retryable === true,
    retryAfterS: retryAfterS(headers),
    leadId: textOf(body.leadId) ?? headers.get('x-lead-id') ?? undefined,
    state: textOf(body.state),
    logId: headers.get('x-log-id') ?? undefined,
    idempotencyKey,
    body,
    isLead,
  });
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
