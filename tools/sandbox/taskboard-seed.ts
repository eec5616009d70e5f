/** Creates the initial data of the simulated task board, and generates more data. */
import { sandboxBoard } from '../../src/config/sandbox-urls';
import { htmlOf } from '../../src/domain/taskboard-text';
import { positionStep, type BoardStore, type BoardUser } from './taskboard-store';

const users: readonly BoardUser[] = [
  { id: 'user-1', fullName: 'Dana Cole', email: 'dana@example.org' },
  { id: 'user-2', fullName: 'Sam Reyes', email: 'sam@example.org' },
  { id: 'user-3', fullName: 'Sam Okafor', email: 'sam.okafor@example.org' },
  { id: 'user-4', fullName: 'Lee (Night.Shift)', email: 'lee+night@example.org' },
];

/** The user of the token, who writes the comments. */
export const tokenUserId = 'user-1';

const columns = ['Up Next', 'Pending', 'In Progress', 'Completed'] as const;
const templateCards: readonly (readonly [(typeof columns)[number], string, string])[] = [
  ['Up Next', 'Send the welcome e-mail', 'Use the letter [https://example.org/letters/welcome]\nSign it with your own name.'],
  ['Up Next', 'Call the site', 'Ask for the visit dates.'],
  ['Pending', 'Wait for the ethics approval', ''],
  ['In Progress', 'Recruitment campaign', 'The plan: https://example.org/plan'],
];

export function seedBoard(store: BoardStore): void {
  for (const user of users) store.users.set(user.id, { ...user });
  const template = store.addProject({
    id: sandboxBoard.TASKBOARD_TEMPLATE_PROJECT_ID,
    name: 'Study workspace template',
    description: 'Every new study starts from this',
    isTemplate: true,
  });
  const ids = columns.map((title, index) => store.addList(template.id, title, (index + 1) * positionStep, idOf('list', title)).id);
  for (const [column, title, text] of templateCards) {
    const more = title === 'Call the site' ? checklist : {};
    store.addCard(ids[columns.indexOf(column)] ?? '', { id: idOf('todo', title), title, html: htmlOf(text), text, ...more });
  }
}

/** Fixed ids, so that examples can name them. */
const idOf = (kind: string, title: string) => `${kind}-${title.toLowerCase().replaceAll(' ', '-')}`;

const checklist = {
  userIds: ['user-2'],
  checklists: [
    {
      id: 'checklist-1',
      title: 'Before the call',
      position: positionStep,
      checklistItems: [
        { id: 'item-2', title: 'Note the questions', done: false, position: 2 * positionStep, duedAt: null, userIds: [] },
        { id: 'item-1', title: 'Read the protocol', done: true, position: positionStep, duedAt: null, userIds: ['user-2'] },
      ],
    },
  ],
  files: [{ id: 'file-1', uid: 'uid-file-1', name: 'protocol.pdf', size: 48_213, type: 'application/pdf', extension: 'pdf' }],
};

const words = 'subject visit consent site screening dose diary callback weekend protocol coordinator eligible travel sample follow'.split(
  ' ',
);

/** Generates varied text, the same on every run. */
function proseOf(bytes: number, seed: number): string {
  let state = seed + 1;
  let text = '';
  while (text.length < bytes) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += `${words[state % words.length]} ${state % 9_973}${state % 7 === 0 ? '. ' : ' '}`;
  }
  return text.slice(0, bytes).trim();
}

export type Fill = { projects: number; users: number; cards: number; comments: number; bytes: number };

/** Adds this many items: the cards on a new board, the comments on its first card. */
export function fillBoard(store: BoardStore, { projects, users: people, cards, comments, bytes }: Fill) {
  for (let at = 1; at <= people; at++) {
    const id = `user-filled-${at}`;
    store.users.set(id, { id, fullName: `Filled User ${at}`, email: `filled-${at}@example.org` });
  }
  for (let at = 1; at <= projects; at++) store.addProject({ name: `Filled project ${String(at).padStart(4, '0')}` });
  const board = store.addProject({ name: 'Filled board' });
  const lists = columns.map((title, index) => store.addList(board.id, title, (index + 1) * positionStep).id);
  const made = Array.from({ length: cards }, (_, index) => {
    const text = proseOf(bytes, index);
    const position = (index + 1) * positionStep;
    return store.addCard(lists[index % lists.length] ?? '', { title: `Filled card ${index + 1}`, text, html: htmlOf(text), position }).id;
  });
  for (let at = 1; made[0] && at <= comments; at++) store.addComment(made[0], `<p>Comment ${at}</p>`, `Comment ${at}`, tokenUserId);
  return { projectId: board.id, todoListIds: lists, todoId: made[0] };
}
