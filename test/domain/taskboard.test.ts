import * as fc from 'fast-check';
import { dueDate } from '../../src/contract/taskboard-fields';
import type { HttpResult } from '../../src/domain/outcome';
import { nextPosition, usersNamed, usersMatching, withCards, type Card } from '../../src/domain/taskboard';
import { boardOutcome, isAlreadyInList } from '../../src/domain/taskboard-answers';
import { cardHtml, htmlOf, textOf } from '../../src/domain/taskboard-text';

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
  ])('named %j: %s', (called, expected) => expect(ids(usersNamed(people, called))).toBe(expected));

  it.each([
    [undefined, '1234'],
    ['ann', '123'],
    ['X.EXAMPLE', '13'],
    ['.*)', '4'],
    ['^', ''],
  ])('matching %j: %s', (search, expected) => expect(ids(usersMatching(people, search))).toBe(expected));
});

it('a new column is placed after the last one', () => {
  expect(nextPosition([])).toBe(65_535);
  expect(nextPosition([{ position: 9.5 }, { position: 2 }])).toBe(65_544.5);
});

it('cards of a deleted column are left out', () => {
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
    ['2026-12-01T09:30:00,250 +0530', '2026-12-01T04:00:00.250Z'],
    ['2026-12-01 09:30:00-05:00', '2026-12-01T14:30:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['2026-02-29', undefined],
    ['2026-12-01T25:00', undefined],
    ['2026-12-01 and more', undefined],
    ['12/01/2026', undefined],
    ['tomorrow', undefined],
  ])('%s', (written, expected) => expect(dueDate().safeParse(written).data).toBe(expected));
});

describe('an answer of the task board', () => {
  const answered = (body: unknown, status = 200, retryAfterMs?: number): HttpResult => ({ saw: 'answer', status, body, retryAfterMs });
  const error = (code: string | undefined, message = 'words') =>
    answered({ errors: [{ message, ...(code && { extensions: { code } }) }], data: null });
  const failure = (attempt: HttpResult) => {
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

  it('a rate limit keeps the Retry-After', () => {
    expect(failure(answered({ error: 'RATE_LIMITED', retryAfter: 12 }, 429))).toMatchObject({
      type: 'NOT_SENT',
      limited: true,
      retryAfterMs: 12_000,
    });
    expect(failure(answered({ retryAfter: 12 }, 429, 3_000))).toMatchObject({ retryAfterMs: 3_000 });
  });

  it('an unreadable answer is unknown', () => {
    for (const attempt of [answered(undefined), answered({}), answered({ data: null }), answered({ data: {} }, 500), answered({}, 302)])
      expect(failure(attempt).type).toBe('UNKNOWN');
    expect(failure({ saw: 'no-answer', reason: 'x', timedOut: true })).toMatchObject({ type: 'UNKNOWN', code: 'UPSTREAM_TIMEOUT' });
    expect(failure({ saw: 'no-connection', reason: 'x' }).type).toBe('NOT_SENT');
    expect(boardOutcome(answered({ data: { todo: null } }))).toEqual({ data: { todo: null } });
  });

  it('two refusals are recognised by their messages', () => {
    expect(failure(error(undefined, 'Oops! Another')).copyRuns).toBe(true);
    expect(failure(error(undefined, 'Boom')).copyRuns).toBe(false);
    expect(isAlreadyInList(failure(error('TODO_ALREADY_IN_LIST')))).toBe(true);
  });
});

describe('the texts of cards', () => {
  describe('text becomes HTML', () => {
    it.each([
      ['plain', '<p>plain</p>'],
      ['one\ntwo\r\nthree', '<p>one<br>two<br>three</p>'],
      ['<b>&"\'', '<p>&lt;b&gt;&amp;&quot;&#39;</p>'],
      ['', ''],
      ['the plan [https://a.example/x]', '<p><a href="https://a.example/x">the plan</a></p>'],
      ['Hello. See the plan [https://a.example] now', '<p>Hello. <a href="https://a.example">See the plan</a> now</p>'],
      ['first line\nlabel [http://a.example]', '<p>first line<br><a href="http://a.example">label</a></p>'],
      ['write to Ann [mailto:ann@example.org]', '<p><a href="mailto:ann@example.org">write to Ann</a></p>'],
      ['[https://a.example]', '<p><a href="https://a.example">https://a.example</a></p>'],
      ['a [https://a.example] b [https://b.example]', '<p><a href="https://a.example">a</a> <a href="https://b.example">b</a></p>'],
      ['read v1.2 of example.org [https://a.example]', '<p><a href="https://a.example">read v1.2 of example.org</a></p>'],
      ['see https://a.example/x?y=1&z=2.', '<p>see <a href="https://a.example/x?y=1&amp;z=2">https://a.example/x?y=1&amp;z=2</a>.</p>'],
      ['(https://a.example/a_(b))', '<p>(<a href="https://a.example/a_(b)">https://a.example/a_(b)</a>)</p>'],
      ['x [javascript:alert(1)] y', '<p>x [javascript:alert(1)] y</p>'],
      ['note [1] stays', '<p>note [1] stays</p>'],
      ['https://a.example [https://a.example]', '<p><a href="https://a.example">https://a.example</a></p>'],
      [
        'see https://b.example/x. the plan [https://a.example]',
        '<p>see <a href="https://b.example/x">https://b.example/x</a>. <a href="https://a.example">the plan</a></p>',
      ],
    ])('%j', (text, html) => expect(htmlOf(text)).toBe(html));

    it('text never becomes active HTML, and can be converted back', () => {
      const safe = fc.string({ unit: fc.constantFrom(...Array.from('ab <>&"\'/=\n[]()'), 'script', 'onload', 'href') });
      fc.assert(
        fc.property(safe, (text) => {
          const html = htmlOf(text);
          expect(html).not.toMatch(/<(?!\/?p>|br>)/);
          expect(textOf(html)).toBe(
            text
              .replace(/[^\S\n]+/g, ' ')
              .replace(/ ?\n ?/g, '\n')
              .replace(/\n{3,}/g, '\n\n')
              .trim(),
          );
        }),
      );
    });
  });

  describe('HTML becomes text and links', () => {
    it.each([
      [
        '<p>see <a href="https://a.example">the plan</a></p>',
        'see the plan [https://a.example]',
        [{ url: 'https://a.example', label: 'the plan' }],
      ],
      ['<p>a</p><p>b<br>c</p>', 'a\n\nb\nc', []],
      [
        '<a href="https://a.example">https://a.example</a>',
        'https://a.example',
        [{ url: 'https://a.example', label: 'https://a.example' }],
      ],
      ['<A HREF=https://a.example>x</A>', 'x [https://a.example]', [{ url: 'https://a.example', label: 'x' }]],
      [
        '<a href="https://a.example?a=1&amp;b=2"><b>bold</b> label</a>',
        'bold label [https://a.example?a=1&b=2]',
        [{ url: 'https://a.example?a=1&b=2', label: 'bold label' }],
      ],
      ['<a href="javascript:alert(1)">x</a><a href="java\nscript:alert(1)">y</a><a href="data:text/html,z">z</a>', 'xyz', []],
      ['<script>var a = "<a href=https://bad.example>x</a>"</script>ok', 'ok', []],
      ['<style>p{}</style>&lt;b&gt; &amp; &nbsp;x', '<b> & x', []],
      [
        '<a href="https://a.example">x</a> <a href="https://a.example">x</a>',
        'x [https://a.example] x [https://a.example]',
        [{ url: 'https://a.example', label: 'x' }],
      ],
      ['a<object><a href="https://a.example">x</a></object>b', 'ab', []],
      [
        '<a href="https://a.example">a <a href="https://b.example">b</a></a>',
        'a b [https://b.example] [https://a.example]',
        [
          { url: 'https://a.example', label: 'a b [https://b.example]' },
          { url: 'https://b.example', label: 'b' },
        ],
      ],
      ['unclosed <a href="https://a.example">x', 'unclosed x [https://a.example]', [{ url: 'https://a.example', label: 'x' }]],
    ])('%j', (html, text, links) => {
      expect(textOf(html)).toBe(text);
      expect(cardHtml(html).links).toEqual(links);
    });

    it('shows the escaped source of HTML that is nested too deeply', () => {
      const html = '<a href="https://a.example">'.repeat(10_000);
      expect(cardHtml(html)).toEqual({
        html: `<p>${html.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')}</p>`,
        links: [],
      });
      expect(textOf('<b>'.repeat(10_000))).toBe('');
      expect(textOf(`${'<b>'.repeat(90)}x`)).toBe('x');
    });

    it('keeps harmless HTML unchanged, and removes active content', () => {
      const harmless = '<p>Hi <a href="https://a.example" target=_blank>x</a> &amp; <img src="/x.png"></p>';
      expect(cardHtml(harmless).html).toBe(harmless);
      expect(cardHtml('<p onclick="x()">a<script>b</script><a href="javascript:c">d</a></p>').html).toBe('<p>a<a>d</a></p>');
    });
  });
});
