/** Written by `npm run reference` from src/contract. */
export const advice: Readonly<Record<string, string | undefined>> = {
  VALIDATION_ERROR: 'Mend the named fields and send again.',
  UNAUTHORIZED: 'Check the credential that you sent.',
  FORBIDDEN: 'Use a key that may do this.',
  NOT_FOUND: 'Check the path or the id.',
  USER_NOT_FOUND: 'Check the name or e-mail of the user.',
  METHOD_NOT_ALLOWED: 'Use a method of the Allow header.',
  AMBIGUOUS_USER: 'Send the userId of one of the candidates.',
  COPY_IN_PROGRESS: 'Another copy is being made: try again in a minute.',
  WRONG_STATE: 'Read it again: its state has changed.',
  PAYLOAD_TOO_LARGE: 'Send a smaller body.',
  UNSUPPORTED_MEDIA_TYPE: 'Send JSON with Content-Type: application/json, or text/csv where a file is taken.',
  UPSTREAM_REJECTED: 'The upstream read the data and refused it: its words stand beside the error.',
  IDEMPOTENCY_KEY_REUSED: 'Use a new Idempotency-Key for another body.',
  RATE_LIMITED: 'Wait as long as Retry-After says.',
  INTERNAL_ERROR: 'Report the X-Log-Id of the answer.',
  UPSTREAM_ERROR: 'The upstream failed. Look at a lead before you send it again; anything else may be tried again later.',
  UPSTREAM_PAUSED: 'Nothing was sent: a person has paused the upstream.',
  OUTCOME_UNKNOWN: 'Do not send again: look at the lead.',
  NOT_ACCEPTED: 'Nothing was started: send again after Retry-After.',
  CONFIG_ERROR: 'The named setting is missing on the server.',
  UPSTREAM_TIMEOUT: 'The upstream did not answer in time: try again.'
};
