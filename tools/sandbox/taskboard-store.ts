/** Stores the data of the simulated task board in the order of creation. */
import { randomBytes } from 'node:crypto';

export type BoardUser = { id: string; fullName: string; email: string };
export type BoardProject = {
  id: string;
  uid: string;
  name: string;
  description: string | null;
  createdAt: string;
  updatedAt: string;
  isTemplate: boolean;
};
export type BoardList = { id: string; title: string; position: number; projectId: string };
export type ChecklistItem = { id: string; title: string; done: boolean; position: number; duedAt: string | null; userIds: string[] };
export type Checklist = { id: string; title: string; position: number; checklistItems: ChecklistItem[] };
export type BoardFile = { id: string; uid: string; name: string; size: number; type: string; extension: string };
export type BoardCard = {
  id: string;
  uid: string;
  title: string;
  html: string;
  text: string;
  done: boolean;
  startedAt: string | null;
  duedAt: string | null;
  position: number;
  listId: string;
  userIds: string[];
  checklists: Checklist[];
  files: BoardFile[];
};
export type BoardComment = { id: string; text: string; html: string; createdAt: string; todoId: string; userId: string };

export const positionStep = 65_535;

export type BoardStore = ReturnType<typeof emptyBoard>;

export function emptyBoard() {
  const users = new Map<string, BoardUser>();
  const projects = new Map<string, BoardProject>();
  const lists = new Map<string, BoardList>();
  const cards = new Map<string, BoardCard>();
  const comments = new Map<string, BoardComment[]>();
  const timers = new Set<NodeJS.Timeout>();
  let copiesUnderWay = 0;
  let lastAt = 0;

  const newId = (kind: string) => `${kind}-${randomBytes(9).toString('base64url')}`;

  /** Never returns the same time twice, so that the order by time is the order of creation. */
  function now(): string {
    lastAt = Math.max(Date.now(), lastAt + 1);
    return new Date(lastAt).toISOString();
  }

  const listsOf = (projectId: string) =>
    [...lists.values()].filter((list) => list.projectId === projectId).sort((one, other) => one.position - other.position);
  const cardsOf = (listId: string) =>
    [...cards.values()].filter((card) => card.listId === listId).sort((one, other) => one.position - other.position);
  const bottomOf = (listId: string) =>
    [...cards.values()].reduce((most, card) => (card.listId === listId ? Math.max(most, card.position) : most), 0);

  function addProject(fields: { name: string; description?: string | null; isTemplate?: boolean; id?: string }): BoardProject {
    const id = fields.id ?? newId('project');
    const at = now();
    const project = { id, uid: newId('uid'), description: null, isTemplate: false, createdAt: at, updatedAt: at, ...fields };
    const whole = { ...project, id, description: fields.description ?? null };
    projects.set(id, whole);
    return whole;
  }

  function addList(projectId: string, title: string, position: number, id = newId('list')): BoardList {
    const list = { id, title, position, projectId };
    lists.set(id, list);
    return list;
  }

  function addCard(listId: string, fields: Partial<BoardCard> & { title: string }): BoardCard {
    const card: BoardCard = {
      id: newId('todo'),
      uid: newId('uid'),
      html: '',
      text: '',
      done: false,
      startedAt: null,
      duedAt: null,
      position: fields.position ?? bottomOf(listId) + positionStep,
      userIds: [],
      checklists: [],
      files: [],
      ...fields,
      listId,
    };
    cards.set(card.id, card);
    return card;
  }

  function addComment(todoId: string, html: string, text: string, userId: string): BoardComment {
    const comment = { id: newId('comment'), html, text, createdAt: now(), todoId, userId };
    comments.set(todoId, [...(comments.get(todoId) ?? []), comment]);
    return comment;
  }

  /** Copies a project completely. */
  function copy(source: BoardProject, name: string): BoardProject {
    const project = addProject({ name, description: source.description });
    for (const list of listsOf(source.id)) {
      const target = addList(project.id, list.title, list.position);
      for (const { id: _, uid: __, ...card } of cardsOf(list.id)) addCard(target.id, structuredClone(card));
    }
    return project;
  }

  function copyLater(source: BoardProject, name: string, delayMs: number, counted: boolean): void {
    if (counted) copiesUnderWay++;
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (counted) copiesUnderWay--;
      copy(source, name);
    }, delayMs).unref();
    timers.add(timer);
  }

  function reset(): void {
    for (const timer of timers) clearTimeout(timer);
    timers.clear();
    copiesUnderWay = 0;
    for (const table of [users, projects, lists, cards, comments]) table.clear();
  }

  /** The data for people, without texts. */
  const state = () => ({
    users: users.size,
    projects: [...projects.values()].map(({ id, name, description }) => ({
      id,
      name,
      description,
      lists: listsOf(id).map((list) => ({
        id: list.id,
        title: list.title,
        position: list.position,
        cards: cardsOf(list.id).map((card) => ({
          id: card.id,
          title: card.title,
          done: card.done,
          duedAt: card.duedAt,
          users: card.userIds,
          comments: comments.get(card.id)?.length ?? 0,
        })),
      })),
    })),
  });

  return {
    users,
    projects,
    lists,
    cards,
    comments,
    newId,
    now,
    listsOf,
    cardsOf,
    addProject,
    addList,
    addCard,
    addComment,
    copyLater,
    isCopying: () => copiesUnderWay > 0,
    reset,
    state,
  };
}
