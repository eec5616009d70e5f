/** Written by `npm run reference` from src/contract. */
/** The error codes with their statuses and advice. */
export const errorCodes = {
  VALIDATION_ERROR: { status: 400, retryable: false, advice: 'Correct the named fields and send the request again.' },
  UNAUTHORIZED: { status: 401, retryable: false, advice: 'Send a valid credential: the message says which one.' },
  FORBIDDEN: { status: 403, retryable: false, advice: 'Use a key with the required scope.' },
  NOT_FOUND: { status: 404, retryable: false, advice: 'Check the path or the id.' },
  USER_NOT_FOUND: { status: 404, retryable: false, advice: 'Check the name or e-mail of the user.' },
  METHOD_NOT_ALLOWED: { status: 405, retryable: false, advice: 'Use a method of the Allow header.' },
  AMBIGUOUS_USER: { status: 409, retryable: false, advice: 'Send the userId of one of the returned users.' },
  COPY_IN_PROGRESS: { status: 409, retryable: true, advice: 'Another copy is in progress: retry in a minute.' },
  WRONG_STATE: { status: 409, retryable: false, advice: 'Read the resource again: its state does not allow this action.' },
  POSSIBLE_REPEAT: { status: 409, retryable: false, advice: 'Do not send it again: an operator resends or discards the lead.' },
  PAYLOAD_TOO_LARGE: { status: 413, retryable: false, advice: 'Send a smaller body.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, retryable: false, advice: 'Send JSON with Content-Type: application/json, or text/csv if the route takes a file.' },
  UPSTREAM_REJECTED: { status: 422, retryable: false, advice: 'The upstream rejected the data: its message is next to the error.' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, retryable: false, advice: 'Use a new Idempotency-Key for another body.' },
  RATE_LIMITED: { status: 429, retryable: true, advice: 'Retry after the time in Retry-After.' },
  INTERNAL_ERROR: { status: 500, retryable: false, advice: 'Report the X-Log-Id of the answer.' },
  UPSTREAM_ERROR: { status: 502, retryable: true, advice: 'The upstream failed. Check the state of a lead before you send it again; retry any other request later.' },
  UPSTREAM_PAUSED: { status: 502, retryable: false, advice: 'An operator has paused the upstream, so nothing was sent: resend the lead after the resume.' },
  OUTCOME_UNKNOWN: { status: 502, retryable: false, advice: 'Do not send it again: check the state of the lead.' },
  RUN_ENDED: { status: 502, retryable: false, advice: 'Do not send it again: check the upstream, then redrive the lead.' },
  NOT_ACCEPTED: { status: 503, retryable: true, advice: 'Nothing was started: retry after the time in Retry-After.' },
  CONFIG_ERROR: { status: 503, retryable: false, advice: 'Set the named setting on the server.' },
  UPSTREAM_TIMEOUT: { status: 504, retryable: true, advice: 'The upstream did not answer in time: retry.' },
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** The states of a lead that needs nothing more. */
export const deliveredStates: readonly string[] = ['delivered', 'skipped'];

/** The states that a lead stays in until an operator acts. */
export const settledStates: readonly string[] = ['delivered', 'skipped', 'failed', 'discarded', 'parked'];

/** The body of a 202 of a lead. */
export type Pending = {
  /** false: the lead has not ended; its request was accepted */
  success: false;
  pending: true;
  state: 'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded';
  message: string;
  leadId: string;
  /** the URL of the lead */
  statusUrl: string;
};

/** The body of a dry run. */
export type DryRun = {
  success: true;
  dryRun: true;
  message: string;
  /** what would be sent; null if nothing would be sent */
  payload: Readonly<Record<string, unknown>> | null;
  /** unknown fields that look like a misspelt one */
  warnings?: readonly {
    field: string;
    message: string;
  }[];
};
