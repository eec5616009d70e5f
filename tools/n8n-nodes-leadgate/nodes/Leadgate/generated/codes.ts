/** Written by `npm run reference` from src/contract. */
export const codes: Readonly<Record<string, { readonly status: number; readonly advice: string } | undefined>> = {
  VALIDATION_ERROR: {
    status: 400,
    advice: 'Mend the named fields and send again.'
  },
  UNAUTHORIZED: {
    status: 401,
    advice: 'Check the credential that you sent.'
  },
  FORBIDDEN: {
    status: 403,
    advice: 'Use a key that may do this.'
  },
  NOT_FOUND: {
    status: 404,
    advice: 'Check the path or the id.'
  },
  USER_NOT_FOUND: {
    status: 404,
    advice: 'Check the name or e-mail of the user.'
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    advice: 'Use a method of the Allow header.'
  },
  AMBIGUOUS_USER: {
    status: 409,
    advice: 'Send the userId of one of the candidates.'
  },
  COPY_IN_PROGRESS: {
    status: 409,
    advice: 'Another copy is being made: try again in a minute.'
  },
  WRONG_STATE: {
    status: 409,
    advice: 'Read it again: its state has changed.'
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    advice: 'Send a smaller body.'
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    advice: 'Send JSON with Content-Type: application/json, or text/csv where a file is taken.'
  },
  UPSTREAM_REJECTED: {
    status: 422,
    advice: 'The upstream read the data and refused it: its words stand beside the error.'
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    advice: 'Use a new Idempotency-Key for another body.'
  },
  RATE_LIMITED: {
    status: 429,
    advice: 'Wait as long as Retry-After says.'
  },
  INTERNAL_ERROR: {
    status: 500,
    advice: 'Report the X-Log-Id of the answer.'
  },
  UPSTREAM_ERROR: {
    status: 502,
    advice: 'The upstream failed. Look at a lead before you send it again; anything else may be tried again later.'
  },
  UPSTREAM_PAUSED: {
    status: 502,
    advice: 'Nothing was sent: a person has paused the upstream.'
  },
  OUTCOME_UNKNOWN: {
    status: 502,
    advice: 'Do not send again: look at the lead.'
  },
  RUN_ENDED: {
    status: 502,
    advice: 'Do not send again: look in the upstream, then redrive the lead.'
  },
  NOT_ACCEPTED: {
    status: 503,
    advice: 'Nothing was started: send again after Retry-After.'
  },
  CONFIG_ERROR: {
    status: 503,
    advice: 'The named setting is missing on the server.'
  },
  UPSTREAM_TIMEOUT: {
    status: 504,
    advice: 'The upstream did not answer in time: try again.'
  }
};
