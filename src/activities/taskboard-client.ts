/** Sends one GraphQL operation to the task board with the gateway's credentials, and returns a typed answer or failure. */
import { GraphQLClient } from 'graphql-request';
import type { Config } from '../config/config';
import type { Need, Upstreams } from '../config/upstreams';
import { boardHeaders } from '../domain/taskboard';
import { boardOutcome, notFound, type BoardFailure } from '../domain/taskboard-answers';
import { deadlineMs, read, send } from './http';
import { attemptFailure } from './outcome';
import type { Meter, MeteredOutcome } from './meter';
import { documents, type OperationName } from './taskboard-documents';
import type { Operations } from './generated/taskboard-operations';

const answerMostBytes = 16 * 1024 * 1024;

const meteredAs: Readonly<Record<BoardFailure['type'], MeteredOutcome>> = {
  NOT_SENT: 'not-sent',
  REFUSED: 'refused',
  KEY_REFUSED: 'refused',
  CONFIG_ERROR: 'refused',
  UNKNOWN: 'unknown',
};

export const boardFailure = ({ type, ...note }: BoardFailure) => attemptFailure(type, note);

type Ask<Answer extends 'result' | 'outcome'> = <Name extends OperationName>(
  name: Name,
  variables: Operations[Name]['variables'],
  projectId?: string,
) => Promise<Answer extends 'result' ? Operations[Name]['result'] : BoardResult<Operations[Name]['result']>>;

type BoardResult<T> = { readonly data: T; readonly failure?: undefined } | { readonly data?: undefined; readonly failure: BoardFailure };

export interface BoardClient {
  readonly companyId: string;
  /** Returns the answer, or throws the typed failure that the run reads. */
  readonly ask: Ask<'result'>;
  /** Returns the answer or the failure, for callers that can handle the failure. */
  readonly outcome: Ask<'outcome'>;
}

/** Passes a failure through the GraphQL client. */
class BoardError extends Error {
  constructor(readonly failure: BoardFailure) {
    super(failure.message);
  }
}

export function boardClient(config: Config, upstreams: Upstreams, meter: Meter): BoardClient {
  const setting = (...need: Need): string => {
    const found = upstreams.find(need);
    if (!found) throw attemptFailure('CONFIG_ERROR', { message: `${need[0]} is not set` });
    return found.value;
  };
  const names = boardHeaders[config.TASKBOARD_HEADER_STYLE];
  const companyId = () => setting('TASKBOARD_COMPANY_ID');

  function clientFor(transport: typeof read): GraphQLClient {
    const tokenId = setting('TASKBOARD_TOKEN_ID');
    const secret = setting('TASKBOARD_TOKEN_SECRET');
    return new GraphQLClient(setting('TASKBOARD_URL'), {
      headers: {
        [names.tokenId]: tokenId,
        [names.secret]: secret,
        [names.company]: companyId(),
      },
      // Our own transport limits the size of the answer, and knows what was not sent. It throws a failure, so the client reads only data.
      fetch: async (url, init) => {
        const startedAt = performance.now();
        const result = await transport({
          method: 'POST',
          url: String(url),
          headers: Object.fromEntries(new Headers(init?.headers)),
          body: String(init?.body),
          timeoutMs: deadlineMs(config.TIMEOUT_MS['task-board']),
          // The secret may begin with the id, so hide the secret first.
          secrets: [secret, tokenId],
          answerMostBytes,
        });
        const outcome = boardOutcome(result);
        meter.recordExchange(
          'task-board',
          'failure' in outcome ? meteredAs[outcome.failure.type] : 'delivered',
          performance.now() - startedAt,
        );
        if ('failure' in outcome) throw new BoardError(outcome.failure);
        return Response.json(outcome);
      },
    });
  }

  const ask: Ask<'result'> = (name, variables, projectId) => {
    // A query uses a pooled connection; a mutation gets its own.
    const transport = documents[name].trimStart().startsWith('query') ? read : send;
    const headers = projectId ? { [names.project]: checkedProjectId(projectId) } : undefined;
    return clientFor(transport).request<Operations[typeof name]['result']>(documents[name], { ...variables }, headers);
  };

  const outcome: Ask<'outcome'> = async (...question) => {
    try {
      return { data: await ask(...question) };
    } catch (error) {
      if (error instanceof BoardError) return { failure: error.failure };
      throw error;
    }
  };

  return {
    get companyId() {
      return companyId();
    },
    outcome,
    async ask(...question) {
      const { data, failure } = await outcome(...question);
      if (failure) throw boardFailure(failure);
      return data;
    },
  };
}

/** Checks that a project id is valid in a header. An id with other characters does not exist. */
function checkedProjectId(id: string): string {
  if (/^[\x21-\x7e]{1,200}$/.test(id)) return id;
  throw new BoardError(notFound('project'));
}
