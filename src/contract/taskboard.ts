/** Group A: the routes of the task board. */
import { z } from 'zod';
import type { Need } from '../config/upstreams';
import type { ErrorCode } from '../domain/lead';
import { assignActions, type AssignAction } from '../domain/taskboard';
import { endpoint, type Endpoint } from './endpoint';
import { upstreamErrors } from './errors';
import { boolean, evenAfterFieldIssues, longest, oneOf, prose, required, text } from './fields';
import { oneGiven } from './json-schema';
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
const someone = user.pick({ id: true, fullName: true });
const item = z.object({
  id,
  title: z.string(),
  done: z.boolean(),
  position: z.number(),
  duedAt: time.nullable(),
  users: z.array(someone),
});
const cardDetail = card.extend({
  users: z.array(someone),
  html: z.string(),
  commentCount: z.int(),
  checklists: z.array(z.object({ id, title: z.string(), position: z.number(), checklistItems: z.array(item) })),
  links: z.array(z.object({ url: z.string(), label: z.string() })),
  files: z.array(z.object({ id, uid: id, name: z.string(), size: z.number(), type: z.string(), extension: z.string() })),
});

const group = 'A. Task board';
const credentials: readonly Need[] = [['TASKBOARD_URL'], ['TASKBOARD_TOKEN_ID'], ['TASKBOARD_TOKEN_SECRET'], ['TASKBOARD_COMPANY_ID']];
const uses = () => credentials;

type Row<Input extends z.ZodType, Output extends z.ZodType> = Pick<Endpoint, 'summary' | 'example' | 'uses' | 'waitMs'> & {
  readonly input: Input;
  readonly output: Output;
  /** The codes of its errors, besides those of every route to the board. */
  readonly also?: readonly ErrorCode[];
};

/** Added to the deadlines of a call's requests: time for pauses between tries and for the engine. */
const slackMs = 15_000;

const row =
  <const Method extends Endpoint['method']>(method: Method) =>
  <const Path extends string, Input extends z.ZodType, Output extends z.ZodType>(path: Path, { also = [], ...more }: Row<Input, Output>) =>
    endpoint({
      waitMs: ({ TIMEOUT_MS }) => 2 * TIMEOUT_MS['task-board'] + slackMs,
      uses,
      ...more,
      method,
      path: `/api/taskboard/${path}`,
      group,
      carried: 'call' as const,
      errors: [...upstreamErrors, 'NOT_FOUND', method === 'get' ? 'UPSTREAM_TIMEOUT' : 'IDEMPOTENCY_KEY_REUSED', ...also],
      late: method === 'get' ? ('UPSTREAM_TIMEOUT' as const) : ('OUTCOME_UNKNOWN' as const),
    });

const get = row('get');
const post = row('post');
const patch = row('patch');

const inProject = { projectId: text({ description: 'scopes the request to a project; resolved when left out' }) };
const toCard = { id: required(text({ description: 'the card' })), ...inProject };
/** A card that is there in the sandbox. */
const exampleCard = { id: 'todo-call-the-site' };
const requiredProject = { projectId: required(text({ description: 'the project' })) };

/** Reads each spelling of the action as `assign` or `unassign`; `assign` if it is left out. */
const action = oneOf(Object.keys(assignActions), { default: 'assign', description: 'add is assign, remove is unassign' }).transform(
  (word): AssignAction => (word === undefined ? 'assign' : assignActions[word as keyof typeof assignActions]),
);

const eitherUser = (body: { readonly userId?: string; readonly user?: string }, check: z.RefinementCtx) => {
  if (body.userId === undefined && body.user === undefined)
    check.addIssue({ code: 'custom', path: ['userId'], message: 'userId or user is required' });
};

export const taskboard = {
  listProjects: get('projects', {
    summary: 'Every project in the organisation',
    input: z.object({}),
    output: z.object({ success, count, projects: z.array(project) }),
  }),
  createProject: post('projects', {
    summary: 'Make a project, by default a copy of the template with its columns and cards',
    uses: ({ fromTemplate }) => (fromTemplate === false ? credentials : [...credentials, ['TASKBOARD_TEMPLATE_PROJECT_ID']]),
    also: ['COPY_IN_PROGRESS'],
    waitMs: ({ TASKBOARD_CLONE_TIMEOUT_MS, TIMEOUT_MS }) => TASKBOARD_CLONE_TIMEOUT_MS + 2 * TIMEOUT_MS['task-board'] + slackMs,
    input: z.object({
      name: required(text({ description: 'name of the project', maxLength: 50 })),
      description: prose({ description: 'what it is for' }),
      fromTemplate: boolean({ default: true, description: 'false makes an empty project' }),
    }),
    output: z.object({ success, project }),
    example: { name: 'AD-301 Boca Raton', description: 'Recruitment board' },
  }),
  getProject: get('projects/{id}', {
    summary: 'A whole board: its columns in order, each with its cards',
    input: z.object({ id: required(text({ description: 'the project' })) }),
    example: { id: 'project-template' },
    output: z.object({
      success,
      project: z.object({ id, name: z.string(), todoLists: z.array(listWithCount.extend({ todos: z.array(boardCard) })) }),
    }),
  }),
  listLists: get('lists', {
    summary: 'The columns of a project, in order',
    input: z.object(requiredProject),
    example: { projectId: 'project-template' },
    output: z.object({ success, count, lists: z.array(listWithCount) }),
  }),
  createList: post('lists', {
    summary: 'Add a column, by default behind the last one',
    input: z.object({
      ...requiredProject,
      title: required(prose({ description: 'title of the column' })),
      position: finiteNumber({ description: 'where it stands: columns are in the order of their positions' }),
    }),
    output: z.object({ success, list }),
    example: { projectId: 'project-template', title: 'Waiting for the site' },
  }),
  listTodos: get('todos', {
    summary: 'The cards of a project, or of one of its columns',
    input: z.object({ ...requiredProject, todoListId: text({ description: 'only the cards of this column' }) }),
    example: { projectId: 'project-template' },
    output: z.object({ success, count, cards: z.array(card) }),
  }),
  createTodo: post('todos', {
    summary: 'Add a card at the bottom of a column',
    input: z.object({
      todoListId: required(text({ description: 'the column' })),
      title: required(prose({ description: 'title of the card' })),
      text: prose({ description: 'a link is written as label [url]' }),
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
    summary: 'One card with its text, links, checklists and files',
    input: z.object(toCard),
    example: exampleCard,
    output: z.object({ success, card: cardDetail }),
  }),
  updateTodo: patch('todos/{id}', {
    summary: 'Change a card, mark it done, or move it to another column',
    input: z.object({
      ...toCard,
      title: prose({ description: 'a new title' }),
      text: clearableText({ description: '"" clears' }),
      dueDate: clearableDueDate(),
      done: boolean({ description: 'true marks it done, false open' }),
      todoListId: text({ description: 'the column that it moves to, at the bottom' }),
    }),
    output: z.object({ success, card: z.object({ id, title: z.string() }) }),
    example: { ...exampleCard, done: true },
  }),
  assignTodo: post('todos/{id}/assign', {
    summary: 'Assign a user to a card, or take the user off it',
    also: ['USER_NOT_FOUND', 'AMBIGUOUS_USER'],
    input: z
      .object({
        ...toCard,
        userId: text({ description: 'the user, by id; wins over user' }),
        user: text({ description: 'an e-mail, a full name, or a part of one that only one user has', maxLength: longest.email }),
        action,
      })
      .superRefine(eitherUser, evenAfterFieldIssues)
      .meta(oneGiven('userId', 'user')),
    output: z.object({ success, action: z.enum(['assign', 'unassign']), userId: id, result: z.object({ success: z.boolean() }) }),
    example: { ...exampleCard, user: 'Dana Cole', action: 'assign' },
  }),
  listComments: get('todos/{id}/comments', {
    summary: 'The comments of a card, the oldest first',
    input: z.object(toCard),
    example: exampleCard,
    output: z.object({
      success,
      totalCount: z.int(),
      comments: z.array(z.object({ id, text: z.string(), createdAt: time, user: someone })),
    }),
  }),
  createComment: post('todos/{id}/comments', {
    summary: 'Comment on a card',
    input: z.object({ ...toCard, text: required(prose({ description: 'a link is written as label [url]' })) }),
    output: z.object({ success, comment: z.object({ id, text: z.string(), createdAt: time }) }),
    example: { ...exampleCard, text: 'Left a voicemail' },
  }),
  listUsers: get('users', {
    summary: 'The users of the organisation, all or those whose name or e-mail holds a text',
    input: z.object({ q: text({ description: 'part of a name or e-mail, in any case', maxLength: longest.email }) }),
    output: z.object({ success, count, users: z.array(user) }),
  }),
} as const;
