/** Simulates the task board: one GraphQL address, with a call for each kind of operation, so that each can be made to fail by itself. */
import { buildSchema, GraphQLError, graphqlSync, parse, validate, type GraphQLFormattedError } from 'graphql';
import { sandboxBoard, sandboxPaths } from '../../src/config/sandbox-urls';
import { filled, jsonObject, type Answer, type Body, type Call, type Incoming, type Simulator } from './call';
import { boardResolvers, type Asker } from './taskboard-resolvers';
import { taskboardSchema } from './taskboard-schema';
import { fillBoard, seedBoard } from './taskboard-seed';
import { emptyBoard, type BoardStore } from './taskboard-store';

type Kind = { name: string; fields: readonly string[]; about: string; from: string };

const card = 'the texts sent, the card’s title';

/** The kinds of operations. The first row with one of the requested fields counts. */
const kinds: readonly Kind[] = [
  {
    name: 'project',
    fields: ['createProject'],
    about: 'task board: makes a project, or queues one from a template',
    from: 'the project’s name',
  },
  { name: 'copy', fields: ['copyProject'], about: 'task board: queues a copy of a project', from: 'the project’s name' },
  { name: 'rename', fields: ['editProject'], about: 'task board: changes a project', from: 'the project’s name' },
  { name: 'column', fields: ['createTodoList'], about: 'task board: makes a column', from: 'the column’s title' },
  { name: 'card', fields: ['createTodo'], about: 'task board: makes a card', from: 'the card’s texts' },
  { name: 'edit', fields: ['editTodo'], about: 'task board: changes a card’s title and text', from: card },
  { name: 'move', fields: ['moveTodo'], about: 'task board: moves a card', from: card },
  { name: 'toggle', fields: ['updateTodoDoneStatus'], about: 'task board: turns a card’s `done` over', from: card },
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

const failed = (message: string, code: string): Answer => ({
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

  function askerOf({ header }: Incoming): Asker | Answer {
    const names = styles.find(({ token }) => header(token)) ?? styles[0];
    const token = Object.hasOwn(tokens, header(names.token)) ? tokens[header(names.token)] : undefined;
    if (token?.secret !== header(names.secret)) return failed('You are not authenticated', 'UNAUTHENTICATED');
    if (header(names.company) !== sandboxBoard.TASKBOARD_COMPANY_ID) return failed('You are not authorized', 'FORBIDDEN');
    return { projectId: header(names.project) || undefined, seesEmails: token.seesEmails };
  }

  function answer(incoming: Incoming): Answer {
    const body = jsonObject(incoming.text);
    if (!body || typeof body.query !== 'string') return { status: 400, body: { errors: [{ message: 'This is no GraphQL request' }] } };
    const asker = askerOf(incoming);
    if ('status' in asker) return asker;
    const invalid = problemsOf(body.query);
    if (invalid.length > 0) return { status: 400, body: { errors: invalid.map((error) => coded(error, 'GRAPHQL_VALIDATION_FAILED')) } };
    const { data, errors } = graphqlSync({
      schema,
      source: body.query,
      rootValue: resolvers,
      contextValue: asker,
      variableValues: (body.variables ?? {}) as Record<string, unknown>,
      operationName: filled(body.operationName),
    });
    return { status: 200, body: errors ? { errors: errors.map((error) => shown(error)), data: null } : { data } };
  }

  function problemsOf(query: string): readonly GraphQLError[] {
    try {
      return validate(schema, parse(query));
    } catch (error) {
      return [error instanceof GraphQLError ? error : new GraphQLError('The query cannot be read')];
    }
  }

  const calls = kinds.map(({ name, about, from }): Call => ({
    name,
    method: 'post',
    path: sandboxPaths.TASKBOARD_URL,
    about,
    readsSentinelsFrom: from,
    takes: (incoming) => kindOf(incoming) === name,
    words: (incoming) => [...textsOf(jsonObject(incoming.text)?.variables, store)],
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

/** The error as the board shows it. A refusal keeps its code or has none; wrong variables have no path. */
function shown(error: GraphQLError): GraphQLFormattedError {
  if (!error.path) return coded(error, 'BAD_USER_INPUT');
  const ours = error.originalError === undefined || error.originalError instanceof GraphQLError;
  if (!ours) return coded(new GraphQLError('Internal server error', { path: error.path }), 'INTERNAL_SERVER_ERROR');
  return { message: error.message, path: error.path, ...(error.extensions.code !== undefined && { extensions: error.extensions }) };
}

function kindOf({ text }: Incoming): string {
  const query = String(jsonObject(text)?.query ?? '');
  return kinds.find(({ fields }) => fields.some((field) => query.includes(`${field}(`)))?.name ?? 'board';
}

/** All texts among the variables, and the names that their ids stand for. */
function* textsOf(value: unknown, store: BoardStore): Generator<string> {
  if (typeof value === 'string') {
    yield value;
    const named = store.cards.get(value)?.title ?? store.projects.get(value)?.name;
    if (named !== undefined) yield named;
  } else if (typeof value === 'object' && value !== null) for (const part of Object.values(value as Body)) yield* textsOf(part, store);
}
