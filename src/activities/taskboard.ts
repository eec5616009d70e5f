/**
 * Calls the task board (group A). Each activity runs one GraphQL operation and returns the gateway's own objects. The workflow acts on a
 * failure.
 */
import type { Config } from '../config/config';
import type { Upstreams } from '../config/upstreams';
import {
  inOrder,
  pageSizes,
  type AssignAction,
  type Card,
  type InProject,
  type List,
  type Page,
  type Project,
  type User,
} from '../domain/taskboard';
import { notFound, isAlreadyInList } from '../domain/taskboard-answers';
import { htmlOf } from '../domain/taskboard-text';
import { storedBytes } from '../temporal/codec';
import type { Meter } from './meter';
import { boardClient, boardFailure } from './taskboard-client';
import { cardDetailOf, cardOf, commentOf, listOf, projectOf, userOf } from './taskboard-shapes';

export interface TodoFilter {
  readonly projectId: string;
  readonly todoListId?: string;
}

const nothingCreated = 'The task board answered null instead of what it created';
const copyNotAccepted = 'The task board did not accept the order to copy the template: it reports that no copy is being made';

/** The parts of the template that are copied. */
const copyOptions = {
  todos: true,
  todoLists: true,
  checklists: true,
  tags: true,
  customFields: true,
  dueDates: true,
  todoActions: true,
  files: true,
  forms: true,
  automations: true,
  coverConfig: true,
  people: true,
};

/** The result of an order to copy: the project, a place in the board's queue, or the reason for a refusal. */
export type CopyOrder =
  | { readonly state: 'made'; readonly project: Project }
  | { readonly state: 'queued' | 'busy' | 'no-template'; readonly project?: undefined };

/** Returns what was found. For an unknown id the board may answer null instead of an error. */
function requireFound<T>(what: string, found: T | null | undefined): T {
  if (found === null || found === undefined) throw boardFailure(notFound(what));
  return found;
}

async function page<T>(items: readonly T[], total: number, more: boolean): Promise<Page<T>> {
  return { items, total, more, bytes: await storedBytes(items) };
}

interface BoardNeeds {
  readonly config: Config;
  readonly upstreams: Upstreams;
  readonly meter: Meter;
}

export function taskboardActivities({ config, upstreams, meter }: BoardNeeds) {
  const board = boardClient(config, upstreams, meter);

  const readLists = async (projectId: string): Promise<List[]> => {
    const { todoLists } = await board.ask('ListLists', { projectId }, projectId);
    return inOrder(todoLists).map(listOf);
  };
  const readProject = async (id: string): Promise<Project> =>
    projectOf(requireFound('project', (await board.ask('GetProject', { id }, id)).project));

  const readTodos = async ({ projectId, todoListId }: TodoFilter, skip: number): Promise<Page<Card>> => {
    const filter = {
      companyIds: [board.companyId],
      projectIds: [projectId],
      ...(todoListId !== undefined && { todoListIds: [todoListId] }),
    };
    const { todoQueries } = await board.ask('ListTodos', { filter, limit: pageSizes.cards, skip }, projectId);
    const { items, pageInfo } = todoQueries.todos;
    return page(items.map(cardOf), pageInfo.totalItems ?? skip + items.length, pageInfo.hasNextPage);
  };

  return {
    async readProjects(skip: number): Promise<Page<Project>> {
      const { projectList } = await board.ask('ListProjects', { companyId: board.companyId, skip, take: pageSizes.projects });
      return page(projectList.items.map(projectOf), projectList.totalCount, projectList.pageInfo.hasNextPage);
    },

    async readUsers(skip: number): Promise<Page<User>> {
      const { companyUserList } = await board.ask('ListUsers', { companyId: board.companyId, skip });
      return page(companyUserList.users.map(userOf), companyUserList.totalCount, companyUserList.pageInfo.hasNextPage);
    },

    async readCardComments(id: string, { projectId }: InProject, skip: number) {
      const { todo, commentList } = await board.ask('ListComments', { id, first: pageSizes.comments, skip }, projectId);
      requireFound('card', todo);
      return page(commentList.comments.map(commentOf), commentList.totalCount, commentList.pageInfo.hasNextPage);
    },

    readTodos,
    readProject,
    readLists,

    /** Reads the project, its lists and its first cards in parallel. */
    async readBoard(id: string) {
      const [found, lists, cards] = await Promise.all([readProject(id), readLists(id), readTodos({ projectId: id }, 0)]);
      return { project: found, lists, cards };
    },

    /** The project that a list belongs to. */
    async readList(id: string, { projectId }: InProject = {}): Promise<{ readonly projectId: string }> {
      const { todoList } = await board.ask('GetList', { id }, projectId);
      return { projectId: requireFound('list', todoList).project.id };
    },

    async readTodo(id: string, { projectId }: InProject) {
      const todo = requireFound('card', (await board.ask('GetTodo', { id }, projectId)).todo);
      return { card: cardDetailOf(todo), projectId: todo.todoList.project.id, readAt: Date.now() };
    },

    /** Finds the newest projects whose name contains this one. */
    async findProjects(name: string): Promise<{ readonly found: readonly Project[] }> {
      const { projectList } = await board.ask('FindProjects', { companyId: board.companyId, search: name });
      return { found: projectList.items.map(projectOf) };
    },

    async makeProject(name: string, description?: string): Promise<{ readonly project: Project }> {
      const { createProject } = await board.ask('CreateProject', { input: { companyId: board.companyId, name, description } });
      return { project: projectOf(requireCreated(createProject)) };
    },

    /** Orders a copy of the template, by the board's templates or by copying the project. */
    async orderCopy(way: 'template' | 'copy', name: string, description?: string): Promise<CopyOrder> {
      const common = { companyId: board.companyId, name, description };
      const { data, failure } =
        way === 'template'
          ? await board.outcome('CreateProject', { input: { ...common, templateId: templateId() } })
          : await board.outcome('CopyProject', { input: { ...common, projectId: templateId(), options: copyOptions } }, templateId());
      if (failure) {
        if (failure.copyRuns) return { state: 'busy' };
        if (failure.code === 'NOT_FOUND') return { state: 'no-template' };
        throw boardFailure(failure);
      }
      if ('copyProject' in data) return readCopyAnswer(data.copyProject);
      return data.createProject ? { state: 'made', project: projectOf(data.createProject) } : { state: 'queued' };
    },

    async changeProject(projectId: string, name: string, description?: string): Promise<{ readonly project: Project }> {
      const { editProject } = await board.ask('EditProject', { input: { projectId, name, description } }, projectId);
      return { project: projectOf(requireFound('project', editProject)) };
    },

    async makeList(projectId: string, title: string, position: number) {
      const { createTodoList } = await board.ask('CreateList', { input: { projectId, title, position } }, projectId);
      const list = requireCreated(createTodoList);
      return { list: { id: list.id, title: list.title, position: list.position } };
    },

    async makeTodo(
      todoListId: string,
      { projectId }: InProject,
      { title, text, dueDate }: { title: string; text?: string; dueDate?: string },
    ) {
      const description = text === undefined ? undefined : htmlOf(text);
      const input = { todoListId, title, description, duedAt: dueDate, placement: 'BOTTOM' as const };
      const { createTodo } = await board.ask('CreateTodo', { input }, projectId);
      const card = requireCreated(createTodo);
      return { card: { id: card.id, uid: card.uid, title: card.title } };
    },

    async changeTodo(todoId: string, { projectId }: InProject, { title, text }: { readonly title?: string; readonly text?: string }) {
      const html = text === undefined ? undefined : htmlOf(text);
      const input = { todoId, title, html, text };
      const { editTodo } = await board.ask('EditTodo', { input }, projectId);
      return { card: { id: todoId, title: requireFound('card', editTodo).title } };
    },

    async setDue(id: string, { projectId }: InProject, duedAt: string | null) {
      const { updateTodoDueDate } = await board.ask(
        'SetDue',
        duedAt === null ? { id, startedAt: null, duedAt } : { id, duedAt },
        projectId,
      );
      return { card: { id, title: requireFound('card', updateTodoDueDate).title } };
    },

    async moveTodo(todoId: string, { projectId }: InProject, todoListId: string): Promise<void> {
      const { data, failure } = await board.outcome('MoveTodo', { input: { todoId, todoListId } }, projectId);
      if (failure && !isAlreadyInList(failure)) throw boardFailure(failure);
      if (data && !data.moveTodo) throw boardFailure({ type: 'UNKNOWN', message: 'The task board did not confirm that it moved the card' });
    },

    /** Toggles `done` and returns its new value. */
    async toggleDone(id: string, { projectId }: InProject) {
      const { updateTodoDoneStatus } = await board.ask('ToggleDone', { id }, projectId);
      return { done: requireFound('card', updateTodoDoneStatus).done };
    },

    async setAssigned(todoId: string, { projectId }: InProject, userId: string, action: AssignAction) {
      const input = { todoId, assigneeIds: [userId] };
      if (action === 'unassign')
        return { success: requireFound('card', (await board.ask('RemoveAssignees', { input }, projectId)).removeTodoAssignees).success };
      return { success: requireFound('card', (await board.ask('AddAssignees', { input }, projectId)).addTodoAssignees).success };
    },

    async makeComment(categoryId: string, { projectId }: InProject, text: string) {
      const input = { html: htmlOf(text), text, category: 'TODO' as const, categoryId };
      const { createComment } = await board.ask('CreateComment', { input }, projectId);
      const comment = requireCreated(createComment);
      return { comment: { id: comment.id, text: comment.text, createdAt: comment.createdAt } };
    },
  };

  function templateId(): string {
    const found = upstreams.find(['TASKBOARD_TEMPLATE_PROJECT_ID']);
    if (!found) throw boardFailure({ type: 'CONFIG_ERROR', message: 'TASKBOARD_TEMPLATE_PROJECT_ID is not set' });
    return found.value;
  }
}

/** True means that the copy is queued. */
function readCopyAnswer(answer: unknown): CopyOrder {
  if (answer === true) return { state: 'queued' };
  if (answer === false) throw boardFailure({ type: 'REFUSED', code: 'UPSTREAM_ERROR', message: copyNotAccepted });
  throw boardFailure({ type: 'UNKNOWN', message: 'The task board answered an order to copy without true or false' });
}

/** Returns what was created. If the board answers null, the outcome is unknown. */
function requireCreated<T>(answer: T | null | undefined): T {
  if (answer === null || answer === undefined) throw boardFailure({ type: 'UNKNOWN', message: nothingCreated });
  return answer;
}
