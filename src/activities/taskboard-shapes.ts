/**
 * Converts the task board's objects to the gateway's own, and keeps only the fields that the gateway promises. A board may send more fields
 * than requested, and null for an empty text or list.
 */
import { inOrder, type Card, type List, type Project, type User } from '../domain/taskboard';
import { cardHtml } from '../domain/taskboard-text';
import type { Operations } from './generated/taskboard-operations';

type Result<Name extends keyof Operations> = Operations[Name]['result'];
type UpstreamProject = NonNullable<Result<'GetProject'>['project']>;
type UpstreamCard = NonNullable<Result<'GetTodo'>['todo']>;
type UpstreamChecklist = UpstreamCard['checklists'][number];
type UpstreamComment = Result<'ListComments'>['commentList']['comments'][number];
type Someone = Pick<User, 'id' | 'fullName'>;

const orEmpty = (text: string | null): string => text ?? '';
const orNone = <T>(list: readonly T[] | null): readonly T[] => list ?? [];

export const projectOf = ({ id, uid, name, description, createdAt, updatedAt }: UpstreamProject): Project => ({
  id,
  uid,
  name,
  description: orEmpty(description),
  createdAt,
  updatedAt,
});

export const listOf = ({ id, title, position, todosCount }: List): List => ({ id, title, position, todosCount });

export const userOf = ({ id, fullName, email }: User): User => ({ id, fullName: orEmpty(fullName), email: orEmpty(email) });

const someoneOf = ({ id, fullName }: Someone): Someone => ({ id, fullName: orEmpty(fullName) });

export const cardOf = ({ id, uid, title, text, done, duedAt, users, todoList }: Card): Card => ({
  id,
  uid,
  title,
  text: orEmpty(text),
  done,
  duedAt,
  users: orNone(users).map(userOf),
  todoList: { id: todoList.id, title: todoList.title },
});

export function cardDetailOf({ html, commentCount, checklists, files, ...card }: UpstreamCard) {
  const shown = cardHtml(orEmpty(html));
  return {
    ...cardOf(card),
    users: orNone(card.users).map(someoneOf),
    html: shown.html,
    commentCount,
    checklists: inOrder(orNone(checklists)).map(checklistOf),
    links: shown.links,
    files: orNone(files).map(({ id, uid, name, size, type, extension }) => ({ id, uid, name, size, type, extension })),
  };
}

const checklistOf = ({ id, title, position, checklistItems }: UpstreamChecklist) => ({
  id,
  title,
  position,
  checklistItems: inOrder(orNone(checklistItems)).map(itemOf),
});

const itemOf = ({ id, title, done, position, duedAt, users }: UpstreamChecklist['checklistItems'][number]) => ({
  id,
  title,
  done,
  position,
  duedAt,
  users: orNone(users).map(someoneOf),
});

export const commentOf = ({ id, text, createdAt, user }: UpstreamComment) => ({
  id,
  text: orEmpty(text),
  createdAt,
  user: someoneOf(user),
});
