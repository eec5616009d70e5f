/** Runs the calls of group A, the task board. */
import { text } from '../domain/formats';
import type { JsonObject } from '../domain/lead';
import { inTime, nextPosition, usersNamed, usersMatching, withCards, type AssignAction, type InProject } from '../domain/taskboard';
import { call, changingCall, everyPage, refuse, type Board } from './board';

const idOf = (body: JsonObject): string => text(body.id) ?? '';
const projectOf = (body: JsonObject): InProject => ({ projectId: text(body.projectId) });

const allUsers = (board: Board) => everyPage(board, 'read users', (activities, skip) => activities.readUsers(skip));

/** The project that the caller named, or else that of the card. A write needs it. */
async function projectOfCard(board: Board, body: JsonObject): Promise<InProject> {
  const given = projectOf(body);
  return given.projectId ? given : board.read('read card', (activities) => activities.readTodo(idOf(body), given));
}

/** Fails if the project or column does not exist: the board returns an empty list for it. */
async function mustExist(board: Board, projectId: string, todoListId?: string): Promise<void> {
  if (!todoListId) return void (await board.read('read project', (activities) => activities.readProject(projectId)));
  const list = await board.read('read list', (activities) => activities.readList(todoListId, { projectId }));
  if (list.projectId !== projectId) await refuse(board, { code: 'NOT_FOUND', message: 'The project has no such list' });
}

export const listProjects = call(async (board) => {
  const projects = await everyPage(board, 'read projects', (activities, skip) => activities.readProjects(skip));
  return { count: projects.length, projects };
});

export const getProject = call(async (board, body) => {
  const projectId = idOf(body);
  const { project, lists, cards } = await board.read('read board', (activities) => activities.readBoard(projectId));
  const all = await everyPage(board, 'read cards', (activities, skip) => activities.readTodos({ projectId }, skip), cards);
  return { project: { id: project.id, name: project.name, todoLists: withCards(lists, all) } };
});

export const listLists = call(async (board, body) => {
  const projectId = text(body.projectId) ?? '';
  const lists = await board.read('read lists', (activities) => activities.readLists(projectId));
  if (lists.length === 0) await mustExist(board, projectId);
  return { count: lists.length, lists };
});

export const createList = changingCall(async (board, body) => {
  const projectId = text(body.projectId) ?? '';
  const position =
    typeof body.position === 'number'
      ? body.position
      : nextPosition(await board.read('read lists', (activities) => activities.readLists(projectId)));
  const { list } = await board.make('make list', (activities) => activities.makeList(projectId, text(body.title) ?? '', position));
  return { list };
});

export const listTodos = call(async (board, body) => {
  const filter = { projectId: text(body.projectId) ?? '', todoListId: text(body.todoListId) };
  const cards = await everyPage(board, 'read cards', (activities, skip) => activities.readTodos(filter, skip));
  if (cards.length === 0) await mustExist(board, filter.projectId, filter.todoListId);
  return { count: cards.length, cards };
});

export const createTodo = changingCall(async (board, body) => {
  const todoListId = text(body.todoListId) ?? '';
  const given = projectOf(body);
  const project = given.projectId ? given : await board.read('read list', (activities) => activities.readList(todoListId));
  const fields = { title: text(body.title) ?? '', text: text(body.text), dueDate: text(body.dueDate) };
  const { card } = await board.make('make card', (activities) => activities.makeTodo(todoListId, project, fields));
  return { card };
});

export const getTodo = call(async (board, body) => {
  const { card } = await board.read('read card', (activities) => activities.readTodo(idOf(body), projectOf(body)));
  return { card };
});

export const assignTodo = changingCall(async (board, body) => {
  const action = body.action as AssignAction;
  const [userId, { projectId }] = await Promise.all([userIdOf(board, body), projectOfCard(board, body)]);
  const result = await board.set(`${action} user`, (activities) => activities.setAssigned(idOf(body), { projectId }, userId, action));
  if (!result.success) await refuse(board, { code: 'UPSTREAM_REJECTED', message: 'The task board did not change the assignees' });
  return { action, userId, result };
});

async function userIdOf(board: Board, { userId, user }: JsonObject): Promise<string> {
  const id = text(userId);
  if (id) return id;
  const candidates = usersNamed(await allUsers(board), text(user) ?? '');
  const [only, ...others] = candidates;
  if (!only) return refuse(board, { code: 'USER_NOT_FOUND', message: 'The organisation has no user of this name or e-mail' });
  if (others.length === 0) return only.id;
  const message = `${candidates.length} users match this name or e-mail: send the userId of one of the candidates`;
  return refuse(board, { code: 'AMBIGUOUS_USER', message, body: { candidates } });
}

export const listComments = call(async (board, body) => {
  const comments = await everyPage(board, 'read comments', (activities, skip) =>
    activities.readCardComments(idOf(body), projectOf(body), skip),
  );
  return { totalCount: comments.length, comments: inTime(comments) };
});

export const createComment = changingCall(async (board, body) => {
  const { projectId } = await projectOfCard(board, body);
  const { comment } = await board.make('make comment', (activities) =>
    activities.makeComment(idOf(body), { projectId }, text(body.text) ?? ''),
  );
  return { comment };
});

export const listUsers = call(async (board, { q }) => {
  const users = usersMatching(await allUsers(board), text(q));
  return { count: users.length, users };
});
