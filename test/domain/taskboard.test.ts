import { moment } from '../../src/contract/taskboard-fields';
import type { Attempt } from '../../src/domain/outcome';
import { nextPosition, usersCalled, usersLike, withCards, type Card } from '../../src/domain/taskboard';
import { boardOutcome, saysAlreadyInList } from '../../src/domain/taskboard-answers';

const user = (id: string, fullName: string, email = '') => ({ id, fullName, email });
const people = [
  user('1', 'Ann Lee', 'ann@x.example'),
  user('2', 'Ann', ''),
  user('3', 'Joann Leeds', 'joann@x.example'),
  user('4', 'Bo (x.*)'),
];
const ids = (users: readonly { id: string }[]) => users.map(({ id }) => id).join('');

describe('users', () => {
  it.each([
    ['ann lee', '1'],
    ['ANN', '2'],
    ['lee', '13'],
    ['leeds', '3'],
    ['ann@X.example', '1'],
    ['@x.example', ''],
    ['x.*', '4'],
    ['.', '4'],
    ['nobody', ''],
  ])('called %j: %s', (called, expected) => expect(ids(usersCalled(people, called))).toBe(expected));

  it.each([
    [undefined, '1234'],
    ['ann', '123'],
    ['X.EXAMPLE', '13'],
    ['.*)', '4'],
    ['^', ''],
  ])('like %j: %s', (search, expected) => expect(ids(usersLike(people, search))).toBe(expected));
});

it('a new column goes behind the last one, whatever the order', () => {
  expect(nextPosition([])).toBe(65_535);
  expect(nextPosition([{ position: 9.5 }, { position: 2 }])).toBe(65_544.5);
});

it('cards of a column that is gone are left out', () => {
  const card = (id: string, list: string) => ({ id, todoList: { id: list, title: '' }, users: [] }) as unknown as Card;
  const lists = [
    { id: 'b', title: 'B', position: 2, todosCount: 1 },
    { id: 'a', title: 'A', position: 1, todosCount: 0 },
  ];
  expect(withCards(lists, [card('1', 'b'), card('2', 'gone')]).map(({ id, todos }) => [id, ids(todos)])).toEqual([
    ['a', ''],
    ['b', '1'],
  ]);
});

describe('a due date', () => {
  it.each([
    ['2026-12-01', '2026-12-01T00:00:00.000Z'],
    ['2026-12-01T09:30', '2026-12-01T09:30:00.000Z'],
    ['2026-12-01T09:30:15.5Z', '2026-12-01T09:30:15.500Z'],
    ['2026-12-01T09:30:00+0530', '2026-12-01T04:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['2026-02-29', undefined],
    ['2026-12-01T25:00', undefined],
    ['12/01/2026', undefined],
    ['tomorrow', undefined],
  ])('%s', (written, expected) => expect(moment(written)).toBe(expected));
});

describe('an answer of the task board', () => {
  const answered = (body: unknown, status = 200, retryAfterMs?: number): Attempt => ({ saw: 'answer', status, body, retryAfterMs });
  const error = (code: string | undefined, message = 'words') =>
    answered({ errors: [{ message, ...(code && { extensions: { code } }) }], data: null });
  const failure = (attempt: Attempt) => {
    const outcome = boardOutcome(attempt);
    if (!('failure' in outcome)) throw new Error('no failure');
    return outcome.failure;
  };

  it.each([
    ['TODO_NOT_FOUND', 'REFUSED', 'NOT_FOUND'],
    ['USER_NOT_FOUND', 'REFUSED', 'USER_NOT_FOUND'],
    ['BAD_USER_INPUT', 'REFUSED', 'VALIDATION_ERROR'],
    ['FORBIDDEN', 'REFUSED', 'FORBIDDEN'],
    ['PROJECT_LIMIT_REACHED', 'REFUSED', 'UPSTREAM_REJECTED'],
    ['SOMETHING_ELSE', 'REFUSED', 'UPSTREAM_REJECTED'],
    ['UNAUTHENTICATED', 'REFUSED', 'UPSTREAM_ERROR'],
    ['GRAPHQL_VALIDATION_FAILED', 'REFUSED', 'UPSTREAM_ERROR'],
    ['INTERNAL_SERVER_ERROR', 'UNKNOWN', undefined],
    ['SERVICE_UNAVAILABLE', 'UNKNOWN', undefined],
    ['BAD_GATEWAY', 'UNKNOWN', undefined],
    ['TIMEOUT', 'UNKNOWN', undefined],
    ['GATEWAY_TIMEOUT', 'UNKNOWN', undefined],
    ['DATABASE_ERROR', 'UNKNOWN', undefined],
    [undefined, 'UNKNOWN', undefined],
  ])('%s', (code, type, expected) => expect(failure(error(code))).toMatchObject({ type, ...(expected && { code: expected }) }));

  it('rate limits say how long', () => {
    expect(failure(answered({ error: 'RATE_LIMITED', retryAfter: 12 }, 429))).toMatchObject({
      type: 'NOT_SENT',
      limited: true,
      retryAfterMs: 12_000,
    });
    expect(failure(answered({ retryAfter: 12 }, 429, 3_000))).toMatchObject({ retryAfterMs: 3_000 });
  });

  it('what is not an answer is unknown', () => {
    for (const attempt of [answered(undefined), answered({}), answered({ data: null }), answered({ data: {} }, 500), answered({}, 302)])
      expect(failure(attempt).type).toBe('UNKNOWN');
    expect(failure({ saw: 'no-answer', reason: 'x', timedOut: true })).toMatchObject({ type: 'UNKNOWN', code: 'UPSTREAM_TIMEOUT' });
    expect(failure({ saw: 'no-connection', reason: 'x' }).type).toBe('NOT_SENT');
    expect(boardOutcome(answered({ data: { todo: null } }))).toEqual({ data: { todo: null } });
  });

  it('two refusals are told by their words', () => {
    expect(failure(error(undefined, 'Oops! Another')).copyRuns).toBe(true);
    expect(failure(error(undefined, 'Boom')).copyRuns).toBe(false);
    expect(saysAlreadyInList(failure(error('TODO_ALREADY_IN_LIST')))).toBe(true);
  });
});
