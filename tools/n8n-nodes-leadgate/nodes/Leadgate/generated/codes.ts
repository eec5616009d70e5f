/** Written by `npm run reference` from src/contract. */
export const codes: Readonly<Record<string, { readonly status: number; readonly advice: string } | undefined>> = {
  VALIDATION_ERROR: {
    status: 400,
    advice: 'Correct the named fields and send the request again.'
  },
  UNAUTHORIZED: {
    status: 401,
    advice: 'Send a valid credential: the message says which one.'
  },
  FORBIDDEN: {
    status: 403,
    advice: 'Use a key with the required scope.'
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
    advice: 'Send the userId of one of the returned users.'
  },
  COPY_IN_PROGRESS: {
    status: 409,
    advice: 'Another copy is in progress: retry in a minute.'
  },
  WRONG_STATE: {
    status: 409,
    advice: 'Read the resource again: its state does not allow this action.'
  },
  POSSIBLE_REPEAT: {
    status: 409,
    advice: 'Do not send it again: an operator resends or discards the lead.'
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    advice: 'Send a smaller body.'
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    advice: 'Send JSON with Content-Type: application/json, or text/csv if the route takes a file.'
  },
  UPSTREAM_REJECTED: {
    status: 422,
    advice: 'The upstream rejected the data: its message is next to the error.'
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    advice: 'Use a new Idempotency-Key for another body.'
  },
  RATE_LIMITED: {
    status: 429,
    advice: 'Retry after the time in Retry-After.'
  },
  INTERNAL_ERROR: {
    status: 500,
    advice: 'Report the X-Log-Id of the answer.'
  },
  UPSTREAM_ERROR: {
    status: 502,
    advice: 'The upstream failed. Check the state of a lead before you send it again; retry any other request later.'
  },
  UPSTREAM_PAUSED: {
    status: 502,
    advice: 'An operator has paused the upstream, so nothing was sent: resend the lead after the resume.'
  },
  OUTCOME_UNKNOWN: {
    status: 502,
    advice: 'Do not send it again: check the state of the lead.'
  },
  RUN_ENDED: {
    status: 502,
    advice: 'Do not send it again: check the upstream, then redrive the lead.'
  },
  NOT_ACCEPTED: {
    status: 503,
    advice: 'Nothing was started: retry after the time in Retry-After.'
  },
  CONFIG_ERROR: {
    status: 503,
    advice: 'Set the named setting on the server.'
  },
  UPSTREAM_TIMEOUT: {
    status: 504,
    advice: 'The upstream did not answer in time: retry.'
  }
};
