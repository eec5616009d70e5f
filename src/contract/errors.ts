/** The error codes, each with its status and advice, and the error body of every route. */
import type { Detail, ErrorCode, JsonObject } from '../domain/lead';

/** `retryable`: sending the same request again is safe and may help. */
export const errorCodes: Readonly<Record<ErrorCode, { readonly status: number; readonly retryable: boolean; readonly advice: string }>> = {
  VALIDATION_ERROR: { status: 400, retryable: false, advice: 'Mend the named fields and send again.' },
  UNAUTHORIZED: { status: 401, retryable: false, advice: 'Check the credential that you sent.' },
  FORBIDDEN: { status: 403, retryable: false, advice: 'Use a key that may do this.' },
  NOT_FOUND: { status: 404, retryable: false, advice: 'Check the path or the id.' },
  USER_NOT_FOUND: { status: 404, retryable: false, advice: 'Check the name or e-mail of the user.' },
  METHOD_NOT_ALLOWED: { status: 405, retryable: false, advice: 'Use a method of the Allow header.' },
  AMBIGUOUS_USER: { status: 409, retryable: false, advice: 'Send the userId of one of the candidates.' },
  COPY_IN_PROGRESS: { status: 409, retryable: true, advice: 'Another copy is being made: try again in a minute.' },
  WRONG_STATE: { status: 409, retryable: false, advice: 'Read it again: its state has changed.' },
  PAYLOAD_TOO_LARGE: { status: 413, retryable: false, advice: 'Send a smaller body.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    retryable: false,
    advice: 'Send JSON with Content-Type: application/json, or text/csv where a file is taken.',
  },
  UPSTREAM_REJECTED: {
    status: 422,
    retryable: false,
    advice: 'The upstream read the data and refused it: its words stand beside the error.',
  },
  IDEMPOTENCY_KEY_REUSED: { status: 422, retryable: false, advice: 'Use a new Idempotency-Key for another body.' },
  RATE_LIMITED: { status: 429, retryable: true, advice: 'Wait as long as Retry-After says.' },
  INTERNAL_ERROR: { status: 500, retryable: false, advice: 'Report the X-Log-Id of the answer.' },
  UPSTREAM_ERROR: {
    status: 502,
    retryable: true,
    advice: 'The upstream failed. Look at a lead before you send it again; anything else may be tried again later.',
  },
  UPSTREAM_PAUSED: { status: 502, retryable: false, advice: 'Nothing was sent: a person has paused the upstream.' },
  OUTCOME_UNKNOWN: { status: 502, retryable: false, advice: 'Do not send again: look at the lead.' },
  RUN_ENDED: { status: 502, retryable: false, advice: 'Do not send again: look in the upstream, then redrive the lead.' },
  NOT_ACCEPTED: { status: 503, retryable: true, advice: 'Nothing was started: send again after Retry-After.' },
  CONFIG_ERROR: { status: 503, retryable: false, advice: 'The named setting is missing on the server.' },
  UPSTREAM_TIMEOUT: { status: 504, retryable: true, advice: 'The upstream did not answer in time: try again.' },
};

/** The errors of every route. Whoever tries keys gets RATE_LIMITED on any path. */
export const everyRouteErrors = ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED', 'INTERNAL_ERROR'] as const;
/** The errors of every route with a body. */
export const bodyErrors = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const;
/** The errors of a request that a run carries. */
export const runErrors = ['UPSTREAM_ERROR', 'OUTCOME_UNKNOWN', 'RUN_ENDED', 'NOT_ACCEPTED'] as const;
/** The errors of a run that asks an upstream. */
export const upstreamErrors = [...runErrors, 'UPSTREAM_REJECTED', 'CONFIG_ERROR'] as const;
/** The errors of a route that takes leads. */
export const leadErrors = [...upstreamErrors, 'UPSTREAM_PAUSED', 'IDEMPOTENCY_KEY_REUSED'] as const;
/** The errors of a person's order, which an Idempotency-Key may name. */
export const orderErrors = ['WRONG_STATE', 'IDEMPOTENCY_KEY_REUSED', 'OUTCOME_UNKNOWN', 'NOT_ACCEPTED'] as const;

export interface ErrorExtras {
  /** In place of the code's own. */
  readonly status?: number;
  readonly details?: readonly Detail[];
  readonly step?: string;
  readonly upstreamStatus?: number;
  readonly retryable?: boolean;
  /** Further fields of the body, next to `error`: lead id, state, record, payload. */
  readonly errorContext?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

export class ApiError extends Error {
  override name = 'ApiError';
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly extras: ErrorExtras = {},
  ) {
    super(message);
  }
}

export function errorBody({ code, message, extras }: ApiError): JsonObject {
  const { details, step, upstreamStatus, errorContext } = extras;
  const retryable = extras.retryable ?? errorCodes[code].retryable;
  const error = { code, ...(details && { details }), ...(step && { step }), ...(upstreamStatus && { upstreamStatus }), retryable };
  return { success: false, message, error, ...errorContext };
}

/** `how` is Temporal's word for the end, in lower case. */
export const endedOutsideMessage = (how: string): string =>
  `Its run was ended outside of Leadgate (${how} in Temporal): look in the upstream before you redrive it`;

const retryLaterS = 2;

/** Use it only if nothing was started. */
export const engineAway = (message = 'The engine does not answer') =>
  new ApiError('NOT_ACCEPTED', message, { headers: { 'Retry-After': String(retryLaterS) } });

export function invalid(details: readonly Detail[]): ApiError {
  const fields = [...new Set(details.map(({ field }) => field))].join(', ');
  return new ApiError('VALIDATION_ERROR', `These fields are not right: ${fields}`, { details });
}

export const wrongCursor = () => invalid([{ field: 'cursor', message: 'must be a nextCursor' }]);
