/** Simulates the task board: one GraphQL endpoint, with a call for each kind of operation, so that each can fail separately. */
import { buildSchema, GraphQLError, graphqlSync, parse, validate, type GraphQLFormattedError } from 'graphql';
import { sandboxBoard, sandboxPaths } from '../../src/config/sandbox-urls';
import { filled, jsonObject, type SimulatedAnswer, type JsonBody, type SimulatedCall, type SimulatedRequest, type Simulator } from './call';
import { boardResolvers, type BoardCaller } from './taskboard-resolvers';
import { taskboardSchema } from './taskboard-schema';
import { fillBoard, seedBoard } from './taskboard-seed';
import { emptyBoard, type BoardStore } from './taskboard-store';

type OperationKind = { name: string; fields: readonly string[]; about: string; from: string };

const card = 'the texts sent, the card’s title';

/** The kinds of operations. The first row with a requested field applies. */
const kinds: readonly OperationKind[] = [
  {
    name: 'project',
    fields: ['createProject'],
    about: 'task board: creates a project, or queues one from a template',
    from: 'the project’s name',
  },
  { name: 'copy', fields: ['copyProject'], about: 'task board: queues a copy of a project', from: 'the project’s name' },
  { name: 'rename', fields: ['editProject'], about: 'task board: changes a project', from: 'the project’s name' },
  { name: 'column', fields: ['createTodoList'], about: 'task board: creates a column', from: 'the column’s title' },
  { name: 'card', fields: ['createTodo'], about: 'task board: creates a card', from: 'the card’s texts' },
  { name: 'edit', fields: ['editTodo'], about: 'task board: changes a card’s title and text', from: card },
  { name: 'move', fields: ['moveTodo'], about: 'task board: moves a card', from: card },
  { name: 'toggle', fields: ['updateTodoDoneStatus'], about: 'task board: toggles a card’s `done`', from: card },
  { name: 'due', fields: ['updateTodoDueDate'], about: 'task board: sets a card’s due date', from: card },
  { name: 'assign', fields: ['addTodoAssignees', 'removeTodoAssignees'], about: 'task board: adds or removes assignees', from: card },
  { name: 'remark', fields: ['createComment'], about: 'task board: comments on a card', from: card },
  { name: 'board', fields: [], about: 'task board: every query', from: 'the search, the project’s name, the card’s title' },
];

/** The tokens. The second one may not read e-mail addresses. */
const tokens: Readonly<Record<string, { secret: string; seesEmails: boolean }>> = {
  [sandboxBoard.TASKBOARD_TOKEN_ID]: { secret: sandboxBoard.TASKBOARD_TOKEN_SECRET, seesEmails: true },
  'sandbox-token-limited': { secret: 'sandbox-token-limited-secret', seesEmails: false },
};

const styles = [
  { token: 'x-bloo-token-id', secret: 'x-bloo-token-secret', company: 'x-bloo-company-id', project: 'x-bloo-project-id' },
  { token: 'blue-token-id', secret: 'blue-token-secret', company: 'blue-org-id', project: 'blue-workspace-id' },
] as const;

const failed = (message: string, code: string): SimulatedAnswer => ({
  status: 200,
  body: { errors: [{ message, extensions: { code } }], data: null },
});

/** The GraphQL codes of HTTP statuses, for failures on purpose. */
const codes: Readonly<Record<number, string>> = { 401: 'UNAUTHENTICATED', 404: 'TODO_NOT_FOUND', 422: 'BAD_USER_INPUT' };

const schema = buildSchema(taskboardSchema);

export function createTaskboard({ copyDelayMs }: { copyDelayMs: number }): Simulator {
  const store = emptyBoard();
  seedBoard(store);
  const resolvers = boardResolvers(store, () => copyDelayMs);

  function callerOf({ header }: SimulatedRequest): BoardCaller | SimulatedAnswer {
    const names = styles.find(({ token }) => header(token)) ?? styles[0];
    const token = Object.hasOwn(tokens, header(names.token)) ? tokens[header(names.token)] : undefined;
    if (token?.secret !== header(names.secret)) return failed('You are not authenticated', 'UNAUTHENTICATED');
    if (header(names.company) !== sandboxBoard.TASKBOARD_COMPANY_ID) return failed('You are not authorized', 'FORBIDDEN');
    return { projectId: header(names.project) || undefined, seesEmails: token.seesEmails };
  }

  function answer(incoming: SimulatedRequest): SimulatedAnswer {
    const body = jsonObject(incoming.text);
    if (!body || typeof body.query !== 'string') return { status: 400, body: { errors: [{ message: 'Not a GraphQL request' }] } };
    const caller = callerOf(incoming);
    if ('status' in caller) return caller;
    const invalid = problemsOf(body.query);
    if (invalid.length > 0) return { status: 400, body: { errors: invalid.map((error) => coded(error, 'GRAPHQL_VALIDATION_FAILED')) } };
    const { data, errors } = graphqlSync({
      schema,
      source: body.query,
      rootValue: resolvers,
      contextValue: caller,
      variableValues: (body.variables ?? {}) as Record<string, unknown>,
      operationName: filled(body.operationName),
    });
    return { status: 200, body: errors ? { errors: errors.map((error) => formatError(error)), data: null } : { data } };
  }

  function problemsOf(query: string): readonly GraphQLError[] {
    try {
      return validate(schema, parse(query));
    } catch (error) {
      return [error instanceof GraphQLError ? error : new GraphQLError('The query cannot be read')];
    }
  }

  const calls = kinds.map(({ name, about, from }): SimulatedCall => ({
    name,
    method: 'post',
    path: sandboxPaths.TASKBOARD_URL,
    about,
    readsSentinelsFrom: from,
    matches: (incoming) => kindOf(incoming) === name,
    sentinelTexts: (incoming) => [...textsOf(jsonObject(incoming.text)?.variables, store)],
    answer,
    errorBody: (status, message) =>
      status === 429 ? { error: 'RATE_LIMITED', message, retryAfter: 1 } : failed(message, codes[status] ?? 'INTERNAL_SERVER_ERROR').body,
    refused: failed('The input is not right', 'BAD_USER_INPUT'),
    revoked: () => failed('You are not authenticated', 'UNAUTHENTICATED'),
    essential: ['data'],
  }));

  return {
    name: 'taskboard',
    calls,
    state: store.state,
    revokeKeys: () => 0,
    reset: () => {
      store.reset();
      seedBoard(store);
    },
    fill: (wanted) => fillBoard(store, wanted),
  };
}

const coded = ({ message, path }: GraphQLError, code: string): GraphQLFormattedError => ({
  message,
  ...(path && { path }),
  extensions: { code },
});

/** Formats an error as the board does. A refusal keeps its code, if any; invalid variables have no path. */
function formatError(error: GraphQLError): GraphQLFormattedError {
  if (!error.path) return coded(error, 'BAD_USER_INPUT');
  const ours = error.originalError === undefined || error.originalError instanceof GraphQLError;
  if (!ours) return coded(new GraphQLError('Internal server error', { path: error.path }), 'INTERNAL_SERVER_ERROR');
  return { message: error.message, path: error.path, ...(error.extensions.code !== undefined && { extensions: error.extensions }) };
}

function kindOf({ text }: SimulatedRequest): string {
  const query = String(jsonObject(text)?.query ?? '');
  return kinds.find(({ fields }) => fields.some((field) => query.includes(`${field}(`)))?.name ?? 'board';
}

/** All texts in the variables, and the names of the items whose ids they contain. */
function* textsOf(value: unknown, store: BoardStore): Generator<string> {
  if (typeof value === 'string') {
    yield value;
    const named = store.cards.get(value)?.title ?? store.projects.get(value)?.name;
    if (named !== undefined) yield named;
  } else if (typeof value === 'object' && value !== null) for (const part of Object.values(value as JsonBody)) yield* textsOf(part, store);
}
