/** Reads the task board's answers: a GraphQL body, its error codes, and what they mean for the caller. */
import { isObject } from './formats';
import type { ErrorCode } from './lead';
import { notAnObject, outcomeOf, unclear, type HttpResult, type AttemptFailure, type AttemptNote, type BodyReading } from './outcome';

/** A failure that an activity reports. */
export type BoardFailure = AttemptNote & {
  readonly type: AttemptFailure;
  /** Another copy is being made for this user, so this one was not ordered. */
  readonly copyRuns?: boolean;
};

export type BoardOutcome = { readonly data: unknown } | { readonly failure: BoardFailure };

type Meaning = ErrorCode | 'internal' | 'limited';

/** The upstream's error codes; the first matching pattern counts. Any other code is a refusal. */
const meanings: readonly (readonly [RegExp, Meaning])[] = [
  [/^USER_NOT_FOUND$/, 'USER_NOT_FOUND'],
  [/(^|_)NOT_FOUND$/, 'NOT_FOUND'],
  [/^BAD_USER_INPUT$/, 'VALIDATION_ERROR'],
  [/^FORBIDDEN$/, 'FORBIDDEN'],
  [/^RATE_LIMIT|^TOO_MANY_REQUESTS$/, 'limited'],
  [/^UNAUTHENTICATED$|^UNAUTHORIZED$/, 'UPSTREAM_ERROR'],
  [/^GRAPHQL_|^PERSISTED_QUERY_/, 'UPSTREAM_ERROR'],
  [/^INTERNAL|^DOWNSTREAM_|^DATABASE_|^SERVICE_UNAVAILABLE$|^BAD_GATEWAY$|(^|_)TIMEOUT$|^$/, 'internal'],
];

const words: Partial<Record<ErrorCode, string>> = {
  NOT_FOUND: 'has nothing with this id',
  USER_NOT_FOUND: 'does not have this user',
  VALIDATION_ERROR: 'did not accept a value',
  FORBIDDEN: 'does not allow this',
  UPSTREAM_ERROR: "refused the gateway's own request",
  UPSTREAM_REJECTED: 'refused the request',
};

const who = 'The task board';
const wordsMost = 300;

interface GraphQLFailure {
  readonly code: string;
  readonly message: string;
}

export function boardOutcome(result: HttpResult): BoardOutcome {
  const outcome = outcomeOf(withRetryAfter(result), readBody);
  switch (outcome.outcome) {
    case 'delivered':
      return { data: outcome.value };
    case 'refused':
      return refusal(outcome.body, outcome.status);
    case 'not-sent':
      return failed('NOT_SENT', outcome.reason, { limited: outcome.limited, retryAfterMs: outcome.retryAfterMs });
    case 'unknown':
      return failed('UNKNOWN', outcome.reason, { raw: outcome.raw, ...(isTimedOut(result) && { code: 'UPSTREAM_TIMEOUT' }) });
  }
}

/** The board may send Retry-After in the body. */
const withRetryAfter = (result: HttpResult): HttpResult =>
  result.saw === 'answer' ? { ...result, retryAfterMs: result.retryAfterMs ?? retryAfterIn(result.body) } : result;

/** Reads the body of a 2xx. An error in it is a refusal. */
function readBody(body: unknown): BodyReading<object> {
  if (errorIn(body)) return { refused: true };
  if (!isObject(body)) return notAnObject;
  return isObject(body.data) ? { accepted: body.data } : unclear(body.data, 'data', 'an object');
}

const isTimedOut = (result: HttpResult): boolean => result.saw === 'no-answer' && result.timedOut === true;

/** The meaning of a refusal for the caller, by the board's error code, or else by the status. */
function refusal(body: unknown, status: number): BoardOutcome {
  if (!isObject(body)) return failed('UNKNOWN', `answered ${status} ${notAnObject.unclear}`);
  const error = errorIn(body);
  if (!error) {
    const says = status === 401 || status === 403 ? "refused the gateway's own credential" : `answered ${status}`;
    return failed('REFUSED', says, { code: 'UPSTREAM_ERROR', status });
  }
  const meaning = meanings.find(([pattern]) => pattern.test(error.code))?.[1] ?? 'UPSTREAM_REJECTED';
  if (meaning === 'limited') return failed('NOT_SENT', 'rate-limited the request (429)', { limited: true });
  // The message of an internal error may reveal internals, so no caller gets it.
  if (meaning === 'internal')
    return failed('UNKNOWN', `reported an internal error${codeSuffix(error)}`, { copyRuns: isCopyRunning(error) });
  const own = meaning === 'UPSTREAM_ERROR' ? {} : { body: { taskboardResponse: error } };
  return failed('REFUSED', `${words[meaning] ?? words.UPSTREAM_REJECTED}${codeSuffix(error)}`, { code: meaning, status, ...own });
}

const codeSuffix = ({ code }: GraphQLFailure) => (/^[A-Z_]{1,64}$/.test(code) ? ` (${code})` : '');

const failed = (type: AttemptFailure, says: string, more: Partial<BoardFailure> = {}): BoardOutcome => ({
  failure: { ...more, type, message: `${who} ${says}` },
});

function errorIn(body: unknown): GraphQLFailure | undefined {
  const [first] = isObject(body) && Array.isArray(body.errors) ? (body.errors as unknown[]) : [];
  if (!isObject(first)) return undefined;
  const { extensions, message } = first;
  const code = isObject(extensions) && typeof extensions.code === 'string' ? extensions.code : '';
  // Drop an HTML error page.
  return { code, message: typeof message === 'string' && !/[<>]/.test(message) ? message.slice(0, wordsMost) : '' };
}

function retryAfterIn(body: unknown): number | undefined {
  const seconds = isObject(body) ? body.retryAfter : undefined;
  return typeof seconds === 'number' && seconds >= 0 ? Math.ceil(seconds * 1000) : undefined;
}

/** The board reports that another copy is being made by a message without a code. */
const isCopyRunning = ({ code, message }: GraphQLFailure): boolean => code === '' && message.startsWith('Oops!');

export const isAlreadyInList = ({ body }: BoardFailure): boolean =>
  isObject(body) && isObject(body.taskboardResponse) && body.taskboardResponse.code === 'TODO_ALREADY_IN_LIST';

/** The refusal for something that the board does not have. */
export const notFound = (what: string): BoardFailure => ({ type: 'REFUSED', code: 'NOT_FOUND', message: `${who} has no such ${what}` });
