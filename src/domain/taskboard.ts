/** Defines the objects of the task board (projects, lists, cards, users), sorts them, and finds users by name. */
import { isAbsent } from './formats';

/** The names of the headers that carry the credentials, by TASKBOARD_HEADER_STYLE. */
export const boardHeaders = {
  bloo: { tokenId: 'X-Bloo-Token-ID', secret: 'X-Bloo-Token-Secret', company: 'X-Bloo-Company-ID', project: 'X-Bloo-Project-ID' },
  blue: { tokenId: 'blue-token-id', secret: 'blue-token-secret', company: 'blue-org-id', project: 'blue-workspace-id' },
} as const;

export interface Project {
  readonly id: string;
  readonly uid: string;
  readonly name: string;
  readonly description: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface List {
  readonly id: string;
  readonly title: string;
  readonly position: number;
  readonly todosCount: number;
}

export interface User {
  readonly id: string;
  readonly fullName: string;
  readonly email: string;
}

export interface Card {
  readonly id: string;
  readonly uid: string;
  readonly title: string;
  readonly text: string;
  readonly done: boolean;
  readonly duedAt: string | null;
  readonly users: readonly User[];
  readonly todoList: { readonly id: string; readonly title: string };
}

/** One page of a list. `bytes` is an upper limit of its size. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly more: boolean;
  readonly bytes: number;
}

/** The project that a write goes to, if it is known. */
export interface InProject {
  readonly projectId?: string;
}

export type CloneMode = 'auto' | 'template' | 'copy';

/** Settings that a run of group A stores, so that its replays use the same. */
export interface BoardRules {
  readonly timeoutMs: number;
  readonly cloneMode: CloneMode;
  readonly cloneTimeoutMs: number;
  readonly clonePollMs: number;
}

export const pageSizes = { projects: 100, cards: 500, users: 200, comments: 100 } as const;
export const mostItems = 10_000;

/** The distance at which the upstream places a new list after the last one. */
const positionStep = 65_535;

export const inOrder = <T extends { readonly position: number }>(lists: readonly T[]): T[] =>
  lists.toSorted((one, other) => one.position - other.position);

/** Compares times, not texts: a board may write fewer digits or another zone. */
export const inTime = <T extends { readonly createdAt: string }>(comments: readonly T[]): T[] =>
  comments.toSorted((one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt));

export const nextPosition = (lists: readonly { readonly position: number }[]): number =>
  (lists.length === 0 ? 0 : Math.max(...lists.map(({ position }) => position))) + positionStep;

/** The lists in order, each with its cards in the order given. */
export function withCards(lists: readonly List[], cards: readonly Card[]) {
  const byList = new Map<string, Card[]>(lists.map(({ id }) => [id, []]));
  for (const card of cards) byList.get(card.todoList.id)?.push(card);
  return inOrder(lists).map((list) => ({
    ...list,
    todos: (byList.get(list.id) ?? []).map(({ id, title, text, done, duedAt, users }) => ({ id, title, text, done, duedAt, users })),
  }));
}

const folded = (text: string) => text.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();

/** Compares names without case, spacing and Unicode form. */
export const sameName = (one: string, other: string): boolean => folded(one) === folded(other);

export const nameKey = folded;

/** The users whose name or e-mail contains the text; all users without one. */
export function usersMatching(users: readonly User[], search?: string): readonly User[] {
  if (isAbsent(search)) return users;
  const wanted = folded(search ?? '');
  return users.filter(({ fullName, email }) => folded(fullName).includes(wanted) || folded(email).includes(wanted));
}

/**
 * The users that match a name. A name with `@` must be the exact e-mail. Otherwise exact full names are preferred to names that contain it.
 */
export function usersNamed(users: readonly User[], name: string): readonly User[] {
  const wanted = folded(name);
  if (name.includes('@')) return users.filter(({ email }) => folded(email) === wanted);
  const exact = users.filter(({ fullName }) => folded(fullName) === wanted);
  return exact.length > 0 ? exact : users.filter(({ fullName }) => folded(fullName).includes(wanted));
}

export const assignActions = { assign: 'assign', add: 'assign', unassign: 'unassign', remove: 'unassign' } as const;
export type AssignAction = (typeof assignActions)[keyof typeof assignActions];
