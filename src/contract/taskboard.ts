/** Group A: defines the routes of the task board. */
import { z } from 'zod';
import type { Need } from '../config/upstreams';
import type { ErrorCode } from '../domain/lead';
import { assignActions, type AssignAction } from '../domain/taskboard';
import { endpoint, type Endpoint } from './endpoint';
import { upstreamErrors } from './errors';
import { boolean, evenAfterFieldIssues, longest, oneOf, prose, required, text } from './fields';
import { requireAny } from './json-schema';
import { clearableDueDate, clearableText, dueDate, finiteNumber } from './taskboard-fields';

const id = z.string();
const time = z.string().meta({ format: 'date-time' });
const success = z.literal(true);
const count = z.int();

const project = z.object({ id, uid: id, name: z.string(), description: z.string(), createdAt: time, updatedAt: time });
const user = z.object({ id, fullName: z.string(), email: z.string() });
const list = z.object({ id, title: z.string(), position: z.number() });
const listWithCount = list.extend({ todosCount: z.int() });
const todoList = z.object({ id, title: z.string() });
const boardCard = z.object({ id, title: z.string(), text: z.string(), done: z.boolean(), duedAt: time.nullable(), users: z.array(user) });
const card = boardCard.extend({ uid: id, todoList });
const namedUser = user.pick({ id: true, fullName: true });
const item = z.object({
  id,
  title: z.string(),
  done: z.boolean(),
  position: z.number(),
  duedAt: time.nullable(),
  users: z.array(namedUser),
});
const cardDetail = card.extend({
  users: z.array(namedUser),
  html: z.string(),
  commentCount: z.int(),
  checklists: z.array(z.object({ id, title: z.string(), position: z.number(), checklistItems: z.array(item) })),
  links: z.array(z.object({ url: z.string(), label: z.string() })),
  files: z.array(z.object({ id, uid: id, name: z.string(), size: z.number(), type: z.string(), extension: z.string() })),
});

const group = 'A. Task board';
const credentials: readonly Need[] = [['TASKBOARD_URL'], ['TASKBOARD_TOKEN_ID'], ['TASKBOARD_TOKEN_SECRET'], ['TASKBOARD_COMPANY_ID']];
const uses = () => credentials;

type BoardEndpoint<Input extends z.ZodType, Output extends z.ZodType> = Pick<Endpoint, 'summary' | 'example' | 'uses' | 'waitMs'> & {
  readonly input: Input;
  readonly output: Output;
  /** The error codes that it can return, besides those of every task-board route. */
  readonly also?: readonly ErrorCode[];
};

/** Added to the deadlines of a call's requests, for the pauses between retries and for the engine. */
const slackMs = 15_000;

const boardEndpoint =
  <const Method extends Endpoint['method']>(method: Method) =>
  <const Path extends string, Input extends z.ZodType, Output extends z.ZodType>(
    path: Path,
    { also = [], ...more }: BoardEndpoint<Input, Output>,
  ) =>
    endpoint({
      waitMs: ({ TIMEOUT_MS }) => 2 * TIMEOUT_MS['task-board'] + slackMs,
      uses,
      ...more,
      method,
      path: `/api/taskboard/${path}`,
      group,
      handledBy: 'call' as const,
      errors: [...upstreamErrors, 'NOT_FOUND', method === 'get' ? 'UPSTREAM_TIMEOUT' : 'IDEMPOTENCY_KEY_REUSED', ...also],
      lateError: method === 'get' ? ('UPSTREAM_TIMEOUT' as const) : ('OUTCOME_UNKNOWN' as const),
    });

const get = boardEndpoint('get');
const post = boardEndpoint('post');
const patch = boardEndpoint('patch');

const inProject = { projectId: text({ description: 'the project of the card or column; looked up if absent' }) };
const cardFields = { id: required(text({ description: 'id of the card' })), ...inProject };
/** A card that exists in the sandbox. */
const exampleCard = { id: 'todo-call-the-site' };
const requiredProject = { projectId: required(text({ description: 'id of the project' })) };

/** Reads each alias of the action as `assign` or `unassign`. The default is `assign`. */
const action = oneOf(Object.keys(assignActions), {
  default: 'assign',
  description: 'assign or unassign; add and remove are aliases',
}).transform((word): AssignAction => (word === undefined ? 'assign' : assignActions[word as keyof typeof assignActions]));

const eitherUser = (body: { readonly userId?: string; readonly user?: string }, check: z.RefinementCtx) => {
  if (body.userId === undefined && body.user === undefined)
    check.addIssue({ code: 'custom', path: ['userId'], message: 'userId or user is required' });
};

export const taskboard = {
  listProjects: get('projects', {
    summary: 'List the projects of the organisation',
    input: z.object({}),
    output: z.object({ success, count, projects: z.array(project) }),
  }),
  createProject: post('projects', {
    summary: 'Create a project, by default as a copy of the template with its columns and cards',
    uses: ({ fromTemplate }) => (fromTemplate === false ? credentials : [...credentials, ['TASKBOARD_TEMPLATE_PROJECT_ID']]),
    also: ['COPY_IN_PROGRESS'],
    waitMs: ({ TASKBOARD_CLONE_TIMEOUT_MS, TIMEOUT_MS }) => TASKBOARD_CLONE_TIMEOUT_MS + 2 * TIMEOUT_MS['task-board'] + slackMs,
    input: z.object({
      name: required(text({ description: 'name of the project', maxLength: 50 })),
      description: prose({ description: 'description of the project' }),
      fromTemplate: boolean({ default: true, description: 'true: copy the template; false: create an empty project' }),
    }),
    output: z.object({ success, project }),
    example: { name: 'AD-301 Boca Raton', description: 'Recruitment board' },
  }),
  getProject: get('projects/{id}', {
    summary: 'Get a project with its columns in order, each with its cards',
    input: z.object({ id: required(text({ description: 'id of the project' })) }),
    example: { id: 'project-template' },
    output: z.object({
      success,
      project: z.object({ id, name: z.string(), todoLists: z.array(listWithCount.extend({ todos: z.array(boardCard) })) }),
    }),
  }),
  listLists: get('lists', {
    summary: 'List the columns of a project, in order',
    input: z.object(requiredProject),
    example: { projectId: 'project-template' },
    output: z.object({ success, count, lists: z.array(listWithCount) }),
  }),
  createList: post('lists', {
    summary: 'Create a column, by default after the last one',
    input: z.object({
      ...requiredProject,
      title: required(prose({ description: 'title of the column' })),
      position: finiteNumber({ description: 'position of the column: columns are sorted by their positions' }),
    }),
    output: z.object({ success, list }),
    example: { projectId: 'project-template', title: 'Waiting for the site' },
  }),
  listTodos: get('todos', {
    summary: 'List the cards of a project, or of one of its columns',
    input: z.object({ ...requiredProject, todoListId: text({ description: 'only the cards of this column' }) }),
    example: { projectId: 'project-template' },
    output: z.object({ success, count, cards: z.array(card) }),
  }),
  createTodo: post('todos', {
    summary: 'Create a card at the bottom of a column',
    input: z.object({
      todoListId: required(text({ description: 'id of the column' })),
      title: required(prose({ description: 'title of the card' })),
      text: prose({ description: 'text; write a link as label [url]' }),
      dueDate: dueDate(),
      ...inProject,
    }),
    output: z.object({ success, card: z.object({ id, uid: id, title: z.string() }) }),
    example: {
      todoListId: 'list-up-next',
      title: 'Call Ann Lee',
      text: 'See the protocol [https://example.org/ad-301]',
      dueDate: '2026-12-01',
    },
  }),
  getTodo: get('todos/{id}', {
    summary: 'Get a card with its text, links, checklists and files',
    input: z.object(cardFields),
    example: exampleCard,
    output: z.object({ success, card: cardDetail }),
  }),
  updateTodo: patch('todos/{id}', {
    summary: 'Update a card: change it, mark it done, or move it to another column',
    input: z.object({
      ...cardFields,
      title: prose({ description: 'a new title' }),
      text: clearableText({ description: 'a new text; "" clears it' }),
      dueDate: clearableDueDate(),
      done: boolean({ description: 'true: mark it done; false: mark it open' }),
      todoListId: text({ description: 'move the card to the bottom of this column' }),
    }),
    output: z.object({ success, card: z.object({ id, title: z.string() }) }),
    example: { ...exampleCard, done: true },
  }),
  assignTodo: post('todos/{id}/assign', {
    summary: 'Assign a user to a card, or unassign the user',
    also: ['USER_NOT_FOUND', 'AMBIGUOUS_USER'],
    input: z
      .object({
        ...cardFields,
        userId: text({ description: 'id of the user; overrides user' }),
        user: text({
          description: 'e-mail or full name of the user, or a part of it that matches only one user',
          maxLength: longest.email,
        }),
        action,
      })
      .superRefine(eitherUser, evenAfterFieldIssues)
      .meta(requireAny('userId', 'user')),
    output: z.object({ success, action: z.enum(['assign', 'unassign']), userId: id, result: z.object({ success: z.boolean() }) }),
    example: { ...exampleCard, user: 'Dana Cole', action: 'assign' },
  }),
  listComments: get('todos/{id}/comments', {
    summary: 'List the comments of a card, oldest first',
    input: z.object(cardFields),
    example: exampleCard,
    output: z.object({
      success,
      totalCount: z.int(),
      comments: z.array(z.object({ id, text: z.string(), createdAt: time, user: namedUser })),
    }),
  }),
  createComment: post('todos/{id}/comments', {
    summary: 'Add a comment to a card',
    input: z.object({ ...cardFields, text: required(prose({ description: 'text; write a link as label [url]' })) }),
    output: z.object({ success, comment: z.object({ id, text: z.string(), createdAt: time }) }),
    example: { ...exampleCard, text: 'Left a voicemail' },
  }),
  listUsers: get('users', {
    summary: 'List the users of the organisation, or those whose name or e-mail contains a text',
    input: z.object({ q: text({ description: 'part of a name or e-mail, in any case', maxLength: longest.email }) }),
    output: z.object({ success, count, users: z.array(user) }),
  }),
} as const;
