/** Creates the resolvers of the simulated task board. */
import { GraphQLError } from 'graphql';
import { sandboxBoard } from '../../src/config/sandbox-urls';
import { textOf } from '../../src/domain/taskboard-text';
import { tokenUserId } from './taskboard-seed';
import { positionStep, type BoardCard, type BoardList, type BoardProject, type BoardStore } from './taskboard-store';

/** The caller, from the headers. */
export type BoardCaller = { projectId?: string; seesEmails: boolean };

export const refused = (message: string, code?: string) => new GraphQLError(message, code ? { extensions: { code } } : {});

const listsMost = 50;

function page<T>(all: readonly T[], skip: number, take: number, most: number) {
  if (take < 0 || skip < 0 || take > most) throw refused(`At most ${most} at once`, 'BAD_USER_INPUT');
  return {
    items: all.slice(skip, skip + take),
    totalCount: all.length,
    pageInfo: { totalItems: all.length, hasNextPage: skip + take < all.length },
  };
}

const sorts: Readonly<Record<string, (one: BoardProject, other: BoardProject) => number>> = {
  name_ASC: (one, other) => one.name.localeCompare(other.name),
  name_DESC: (one, other) => other.name.localeCompare(one.name),
  createdAt_ASC: (one, other) => one.createdAt.localeCompare(other.createdAt),
  createdAt_DESC: (one, other) => other.createdAt.localeCompare(one.createdAt),
};

type Args<T> = { input: T };

export function boardResolvers(store: BoardStore, copyDelayMs: () => number) {
  const isOurs = (companyIds: readonly string[]) => companyIds.includes(sandboxBoard.TASKBOARD_COMPANY_ID);
  const projectOf = (id: string) => store.projects.get(id);
  const found = <T>(what: string, item: T | undefined): T => {
    if (item === undefined) throw refused(`${what} was not found`, `${what}_NOT_FOUND`);
    return item;
  };

  /** The project from the header of a write, to which the write is limited. */
  function scope({ projectId }: BoardCaller): BoardProject {
    if (!projectId) throw refused('You are not authorized', 'FORBIDDEN');
    return found('PROJECT', projectOf(projectId));
  }
  const listIn = (caller: BoardCaller, id: string): BoardList => {
    const { id: projectId } = scope(caller);
    const list = store.lists.get(id);
    return found('TODO_LIST', list?.projectId === projectId ? list : undefined);
  };
  const cardIn = (asker: BoardCaller, id: string): BoardCard => {
    const { id: projectId } = scope(asker);
    const card = store.cards.get(id);
    return found('TODO', card && store.lists.get(card.listId)?.projectId === projectId ? card : undefined);
  };

  const shownUsers = (ids: readonly string[], { seesEmails }: BoardCaller) =>
    ids.flatMap((id) => {
      const user = store.users.get(id);
      return user ? [{ ...user, email: seesEmails ? user.email : '' }] : [];
    });
  const shownList = (list: BoardList) => ({ ...list, todosCount: store.cardsOf(list.id).length, project: projectOf(list.projectId) });
  const shownCard = (card: BoardCard, asker: BoardCaller) => ({
    ...card,
    commentCount: store.comments.get(card.id)?.length ?? 0,
    // Resolved lazily, because counting a list's cards for each card is slow.
    todoList: () => {
      const list = store.lists.get(card.listId);
      return list && { ...list, todosCount: () => store.cardsOf(list.id).length, project: projectOf(list.projectId) };
    },
    users: shownUsers(card.userIds, asker),
    checklists: card.checklists.map((checklist) => ({
      ...checklist,
      checklistItems: checklist.checklistItems.map((item) => ({ ...item, users: shownUsers(item.userIds, asker) })),
    })),
  });
  type Comment = NonNullable<ReturnType<typeof store.comments.get>>[number];
  const shownComment = (comment: Comment, asker: BoardCaller) => ({ ...comment, user: shownUsers([comment.userId], asker)[0] });

  function assign(
    { input }: Args<{ todoId: string; assigneeIds: string[] }>,
    asker: BoardCaller,
    change: (ids: Set<string>, id: string) => unknown,
  ) {
    const card = cardIn(asker, input.todoId);
    const ids = new Set(card.userIds);
    for (const id of input.assigneeIds) {
      found('USER', store.users.get(id));
      change(ids, id);
    }
    card.userIds = [...ids];
    return { success: true };
  }

  const queries = {
    projectList({
      filter,
      sort,
      skip,
      take,
    }: {
      filter: { companyIds: string[]; search?: string };
      sort?: string[];
      skip: number;
      take: number;
    }) {
      const search = filter.search?.toLowerCase() ?? '';
      const all = isOurs(filter.companyIds) ? [...store.projects.values()].filter(({ name }) => name.toLowerCase().includes(search)) : [];
      return page(all.sort(sorts[sort?.[0] ?? 'name_ASC']), skip, take, 100);
    },
    project: ({ id }: { id: string }) => projectOf(id) ?? null,
    todoList({ id }: { id: string }) {
      const list = store.lists.get(id);
      return list ? shownList(list) : null;
    },
    todoLists: ({ projectId }: { projectId: string }) => store.listsOf(projectId).map(shownList),
    todo({ id }: { id: string }, asker: BoardCaller) {
      const card = store.cards.get(id);
      return card ? shownCard(card, asker) : null;
    },
    todoQueries: () => ({
      todos(
        {
          filter,
          limit,
          skip,
        }: { filter: { companyIds: string[]; projectIds?: string[]; todoListIds?: string[] }; limit: number; skip: number },
        asker: BoardCaller,
      ) {
        const lists = (filter.projectIds ?? []).flatMap(store.listsOf).filter(({ id }) => filter.todoListIds?.includes(id) ?? true);
        const all = isOurs(filter.companyIds) ? lists.flatMap(({ id }) => store.cardsOf(id)) : [];
        const { items, pageInfo } = page(all, skip, limit, 500);
        return { items: items.map((card) => shownCard(card, asker)), pageInfo };
      },
    }),
    commentList({ categoryId, first, skip }: { categoryId: string; first: number; skip: number }, asker: BoardCaller) {
      const { items, ...rest } = page(store.comments.get(categoryId) ?? [], skip, first, 100);
      return { ...rest, comments: items.map((comment) => shownComment(comment, asker)) };
    },
    companyUserList(
      { companyId, first, skip, search = '' }: { companyId: string; first: number; skip: number; search?: string },
      asker: BoardCaller,
    ) {
      const all = isOurs([companyId])
        ? [...store.users.values()].filter(({ fullName }) => fullName.toLowerCase().includes(search.toLowerCase()))
        : [];
      const { items, ...rest } = page(all, skip, first, 200);
      return {
        ...rest,
        users: shownUsers(
          items.map(({ id }) => id),
          asker,
        ),
      };
    },
  };

  const mutations = {
    createProject({ input }: Args<{ companyId: string; name: string; description?: string; templateId?: string }>) {
      if (!isOurs([input.companyId])) throw refused('COMPANY was not found', 'COMPANY_NOT_FOUND');
      if (input.name.length > 50) throw refused('The name is too long', 'BAD_USER_INPUT');
      if (!input.templateId) return store.addProject({ name: input.name, description: input.description });
      const template = projectOf(input.templateId);
      store.copyLater(found('TEMPLATE', template?.isTemplate ? template : undefined), input.name, copyDelayMs(), false);
      return null;
    },
    copyProject({ input }: Args<{ projectId: string; companyId: string; name: string }>) {
      const source = found('PROJECT', projectOf(input.projectId));
      if (store.isCopying()) throw refused('Oops! Another copy is being made');
      store.copyLater(source, input.name, copyDelayMs(), true);
      return true;
    },
    editProject({ input }: Args<{ projectId: string; name?: string; description?: string }>, asker: BoardCaller) {
      const project = scope(asker);
      if (project.id !== input.projectId) throw refused('PROJECT was not found', 'PROJECT_NOT_FOUND');
      return Object.assign(project, {
        name: input.name ?? project.name,
        description: input.description ?? project.description,
        updatedAt: store.now(),
      });
    },
    createTodoList({ input }: Args<{ projectId: string; title: string; position: number }>, asker: BoardCaller) {
      if (scope(asker).id !== input.projectId) throw refused('PROJECT was not found', 'PROJECT_NOT_FOUND');
      if (store.listsOf(input.projectId).length >= listsMost)
        throw refused('This project has all the lists it may have', 'TODO_LIST_LIMIT_REACHED');
      return shownList(store.addList(input.projectId, input.title, input.position));
    },
    createTodo(
      { input }: Args<{ todoListId: string; title: string; description?: string; duedAt?: string; placement?: string }>,
      asker: BoardCaller,
    ) {
      const list = listIn(asker, input.todoListId);
      const html = input.description ?? '';
      const first = store.cardsOf(list.id)[0]?.position ?? positionStep;
      const place = input.placement === 'BOTTOM' ? {} : { position: first / 2 };
      return shownCard(
        store.addCard(list.id, { title: input.title, html, text: textOf(html), duedAt: input.duedAt ?? null, ...place }),
        asker,
      );
    },
    editTodo({ input }: Args<{ todoId: string; title?: string; html?: string }>, asker: BoardCaller) {
      const card = cardIn(asker, input.todoId);
      const body = typeof input.html === 'string' ? { html: input.html, text: textOf(input.html) } : {};
      return shownCard(Object.assign(card, { title: input.title ?? card.title, ...body }), asker);
    },
    moveTodo({ input }: Args<{ todoId: string; todoListId: string }>, asker: BoardCaller) {
      const card = cardIn(asker, input.todoId);
      const list = listIn(asker, input.todoListId);
      if (card.listId === list.id) throw refused('The todo is already in this list', 'TODO_ALREADY_IN_LIST');
      Object.assign(card, { listId: list.id, position: (store.cardsOf(list.id).at(-1)?.position ?? 0) + positionStep });
      return true;
    },
    updateTodoDoneStatus({ todoId }: { todoId: string }, asker: BoardCaller) {
      const card = cardIn(asker, todoId);
      card.done = !card.done;
      return shownCard(card, asker);
    },
    updateTodoDueDate(
      { todoId, startedAt, duedAt }: { todoId: string; startedAt?: string | null; duedAt?: string | null },
      asker: BoardCaller,
    ) {
      return shownCard(Object.assign(cardIn(asker, todoId), { startedAt: startedAt ?? null, duedAt: duedAt ?? null }), asker);
    },
    addTodoAssignees: (args: Args<{ todoId: string; assigneeIds: string[] }>, asker: BoardCaller) =>
      assign(args, asker, (ids, id) => ids.add(id)),
    removeTodoAssignees: (args: Args<{ todoId: string; assigneeIds: string[] }>, asker: BoardCaller) =>
      assign(args, asker, (ids, id) => ids.delete(id)),
    createComment({ input }: Args<{ html: string; categoryId: string }>, asker: BoardCaller) {
      const card = cardIn(asker, input.categoryId);
      return shownComment(store.addComment(card.id, input.html, textOf(input.html), tokenUserId), asker);
    },
  };

  return { ...queries, ...mutations };
}
