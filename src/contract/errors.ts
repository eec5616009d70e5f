/** Defines the error codes with their statuses and advice, and builds the error body. */
import type { Detail, ErrorCode, JsonObject } from '../domain/lead';

/** `retryable`: sending the same request again is safe and may help. */
export const errorCodes: Readonly<Record<ErrorCode, { readonly status: number; readonly retryable: boolean; readonly advice: string }>> = {
  VALIDATION_ERROR: { status: 400, retryable: false, advice: 'Correct the named fields and send the request again.' },
  UNAUTHORIZED: { status: 401, retryable: false, advice: 'Send a valid credential: the message says which one.' },
  FORBIDDEN: { status: 403, retryable: false, advice: 'Use a key with the required scope.' },
  NOT_FOUND: { status: 404, retryable: false, advice: 'Check the path or the id.' },
  USER_NOT_FOUND: { status: 404, retryable: false, advice: 'Check the name or e-mail of the user.' },
  METHOD_NOT_ALLOWED: { status: 405, retryable: false, advice: 'Use a method of the Allow header.' },
  AMBIGUOUS_USER: { status: 409, retryable: false, advice: 'Send the userId of one of the returned users.' },
  COPY_IN_PROGRESS: { status: 409, retryable: true, advice: 'Another copy is in progress: retry in a minute.' },
  WRONG_STATE: { status: 409, retryable: false, advice: 'Read the resource again: its state does not allow this action.' },
  POSSIBLE_REPEAT: {
    status: 409,
    retryable: false,
    advice: 'Do not send it again: an operator resends or discards the lead.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, retryable: false, advice: 'Send a smaller body.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    retryable: false,
    advice: 'Send JSON with Content-Type: application/json, or text/csv if the route takes a file.',
  },
  UPSTREAM_REJECTED: {
    status: 422,
    retryable: false,
    advice: 'The upstream rejected the data: its message is next to the error.',
  },
  IDEMPOTENCY_KEY_REUSED: { status: 422, retryable: false, advice: 'Use a new Idempotency-Key for another body.' },
  RATE_LIMITED: { status: 429, retryable: true, advice: 'Retry after the time in Retry-After.' },
  INTERNAL_ERROR: { status: 500, retryable: false, advice: 'Report the X-Log-Id of the answer.' },
  UPSTREAM_ERROR: {
    status: 502,
    retryable: true,
    advice: 'The upstream failed. Check the state of a lead before you send it again; retry any other request later.',
  },
  UPSTREAM_PAUSED: {
    status: 502,
    retryable: false,
    advice: 'An operator has paused the upstream, so nothing was sent: resend the lead after the resume.',
  },
  OUTCOME_UNKNOWN: { status: 502, retryable: false, advice: 'Do not send it again: check the state of the lead.' },
  RUN_ENDED: { status: 502, retryable: false, advice: 'Do not send it again: check the upstream, then redrive the lead.' },
  NOT_ACCEPTED: { status: 503, retryable: true, advice: 'Nothing was started: retry after the time in Retry-After.' },
  CONFIG_ERROR: { status: 503, retryable: false, advice: 'Set the named setting on the server.' },
  UPSTREAM_TIMEOUT: { status: 504, retryable: true, advice: 'The upstream did not answer in time: retry.' },
};

/** The errors of every route. Too many wrong keys give RATE_LIMITED on any path. */
export const everyRouteErrors = ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED', 'INTERNAL_ERROR'] as const;
/** The errors of every route with a body. */
export const bodyErrors = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const;
/** The errors of a request that a run handles. */
export const runErrors = ['UPSTREAM_ERROR', 'OUTCOME_UNKNOWN', 'RUN_ENDED', 'NOT_ACCEPTED'] as const;
/** The errors of a run that calls an upstream. */
export const upstreamErrors = [...runErrors, 'UPSTREAM_REJECTED', 'CONFIG_ERROR'] as const;
/** The errors of a route that takes leads. */
export const leadErrors = [...upstreamErrors, 'UPSTREAM_PAUSED', 'POSSIBLE_REPEAT', 'IDEMPOTENCY_KEY_REUSED'] as const;
/** The errors of an operator's order, which may have an Idempotency-Key. */
export const orderErrors = ['WRONG_STATE', 'IDEMPOTENCY_KEY_REUSED', 'OUTCOME_UNKNOWN', 'NOT_ACCEPTED'] as const;

export interface ErrorExtras {
  /** Replaces the status of the code. */
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

/** `how` is Temporal's status of the closed run, in lower case. */
export const endedOutsideMessage = (how: string): string =>
  `The run was ended outside of Leadgate (${how} in Temporal): check the upstream before you redrive the lead`;

const retryLaterS = 2;

/** The answer says that nothing was started, so use it only if that is certain. */
export const engineAway = (message = 'The engine does not answer') =>
  new ApiError('NOT_ACCEPTED', message, { headers: { 'Retry-After': String(retryLaterS) } });

export function invalid(details: readonly Detail[]): ApiError {
  const fields = [...new Set(details.map(({ field }) => field))].join(', ');
  return new ApiError('VALIDATION_ERROR', `These fields are invalid: ${fields}`, { details });
}

export const invalidCursor = () => invalid([{ field: 'cursor', message: 'must be the nextCursor of a previous page' }]);
