/** Sends a request to the gateway and reads its answer. An error answer and a missing answer become a LeadgateError. */
import { LeadgateError, type Detail } from './error.ts';
import { isLost } from './meaning.ts';

type JsonObject = Readonly<Record<string, unknown>>;

export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Includes the query. */
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
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey?: string;
}

/** True if the request only reads, or if its repeat returns the original answer. */
export const isSafe = ({ method, idempotencyKey }: Request): boolean => method === 'GET' || idempotencyKey !== undefined;

/** Failures before the first byte of a request is sent. */
const unreached = [
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'],
  ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'SELF_SIGNED_CERT_IN_CHAIN'],
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

/** Reads the code of the cause. It checks no class, because an error of another realm is not an `instanceof Error`. */
function reasonOf(error: unknown): unknown {
  const cause = isObject(error) ? error.cause : undefined;
  return isObject(cause) ? cause.code : undefined;
}

export async function respond({ baseUrl, apiKey }: Address, request: Request, signal?: AbortSignal): Promise<Response> {
  const { method, path, headers, body, idempotencyKey } = request;
  // Outside of the try, because an invalid key or address is an error of the caller.
  const url = new URL(`${baseUrl}${path}`);
  const all = new Headers(headers);
  if (apiKey) all.set('x-gateway-key', apiKey);
  if (idempotencyKey !== undefined) all.set('Idempotency-Key', idempotencyKey);
  // Fail before sending, so that the outcome is known.
  if (signal?.aborted) throw noAnswer('NOT_REACHED', 'The call was aborted before it was sent', { ...request, baseUrl }, signal.reason);
  try {
    // Following a redirect would send the lead to another server.
    return await fetch(url, { method, signal, body, redirect: 'manual', headers: all });
  } catch (error) {
    if (unreached.some((code) => code === reasonOf(error)))
      throw noAnswer('NOT_REACHED', `No connection to ${baseUrl}: nothing was sent`, { ...request, baseUrl }, error);
    throw noAnswer('NO_ANSWER', `No answer from ${baseUrl}`, { ...request, baseUrl }, error);
  }
}

function noAnswer(
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

/** Reads a JSON answer. */
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
    throw noAnswer(
      'NO_ANSWER',
      `The answer of ${baseUrl} was interrupted`,
      { ...request, baseUrl },
      error,
      response.headers.get('x-lead-id'),
    );
  });

/** True for an answer of Leadgate: it has an X-Log-Id, or a `success` in its body if a proxy removed the header. */
const isOurs = ({ ok, headers }: Response, { success, error }: JsonObject): boolean =>
  ok ? headers.has('x-log-id') || typeof success === 'boolean' : isObject(error) && typeof error.code === 'string';

function notLeadgate({ status }: Response, request: Request, { baseUrl }: Address): LeadgateError {
  const { idempotencyKey, isLead } = request;
  const code = 'NOT_LEADGATE';
  const retryable = isSafe(request) && isLost({ code, status, retryable: false });
  return new LeadgateError(code, `The answer of ${baseUrl} is not from Leadgate (status ${status})`, {
    baseUrl,
    status,
    retryable,
    idempotencyKey,
    isLead,
  });
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Reads Retry-After in seconds. Any other form counts as absent. */
function retryAfterS(headers: Headers): number | undefined {
  const given = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(given) ? Number(given) : undefined;
}

function refusalOf({ status, headers, body }: Answer, { baseUrl, idempotencyKey, isLead }: Request & Address): LeadgateError {
  const error = isObject(body.error) ? body.error : {};
  return new LeadgateError(String(error.code), textOf(body.message) ?? 'the gateway gave no reason', {
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
