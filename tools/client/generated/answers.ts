/** Written by `npm run reference` from src/contract. */
/** Each error code, and what to do. */
export const errorCodes = {
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
  UNSUPPORTED_MEDIA_TYPE: { status: 415, retryable: false, advice: 'Send JSON with Content-Type: application/json, or text/csv where a file is taken.' },
  UPSTREAM_REJECTED: { status: 422, retryable: false, advice: 'The upstream read the data and refused it: its words stand beside the error.' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, retryable: false, advice: 'Use a new Idempotency-Key for another body.' },
  RATE_LIMITED: { status: 429, retryable: true, advice: 'Wait as long as Retry-After says.' },
  INTERNAL_ERROR: { status: 500, retryable: false, advice: 'Report the X-Log-Id of the answer.' },
  UPSTREAM_ERROR: { status: 502, retryable: true, advice: 'The upstream failed. Look at a lead before you send it again; anything else may be tried again later.' },
  UPSTREAM_PAUSED: { status: 502, retryable: false, advice: 'Nothing was sent: a person has paused the upstream.' },
  OUTCOME_UNKNOWN: { status: 502, retryable: false, advice: 'Do not send again: look at the lead.' },
  RUN_ENDED: { status: 502, retryable: false, advice: 'Do not send again: look in the upstream, then redrive the lead.' },
  NOT_ACCEPTED: { status: 503, retryable: true, advice: 'Nothing was started: send again after Retry-After.' },
  CONFIG_ERROR: { status: 503, retryable: false, advice: 'The named setting is missing on the server.' },
  UPSTREAM_TIMEOUT: { status: 504, retryable: true, advice: 'The upstream did not answer in time: try again.' },
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** The states of a lead that is where it should be. */
export const deliveredStates: readonly string[] = ['delivered', 'skipped'];

/** The states that a lead stays in unless a person does something. */
export const settledStates: readonly string[] = ['delivered', 'skipped', 'failed', 'discarded', 'parked'];

/** The body of a 202 of a lead. */
export type Pending = {
  success: false;
  pending: true;
  state: 'running' | 'waiting' | 'verifying' | 'parked' | 'delivered' | 'skipped' | 'failed' | 'discarded';
  message: string;
  leadId: string;
  /** where the lead is read */
  statusUrl: string;
};

/** The body of a dry run. */
export type DryRun = {
  success: true;
  dryRun: true;
  message: string;
  /** what would be sent; null where nothing would be */
  payload: Readonly<Record<string, unknown>> | null;
};
