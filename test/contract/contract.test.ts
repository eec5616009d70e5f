import * as fc from 'fast-check';
import { z } from 'zod';
import { endpoints, endpointTable } from '../../src/contract';
import { instant, integer, personName, required } from '../../src/contract/fields';
import * as workflows from '../../src/workflows';

describe('a field', () => {
  it.each([
    ['999999999999999', 999_999_999_999_999, true],
    ['9007199254740991', 9_007_199_254_740_991, false],
    ['-9007199254740991', -9_007_199_254_740_991, false],
  ])('a whole number is taken or refused alike as text (%s) and as a number', (text, number, isTaken) => {
    expect([text, number].map((given) => integer().safeParse(given).success)).toEqual([isTaken, isTaken]);
  });

  it.each([[{ toString: true }], [{ valueOf: 1, toString: 'x' }], [[5]], [true]])(
    'what is no number is refused as a whole number: %j',
    (given) => expect(integer().safeParse(given).error?.issues[0]?.message).toBe('must be a whole number'),
  );

  it.each([
    ['2026-02-28', true],
    ['2028-02-29T23:59:59+14:00', true],
    ['2026-02-29', false],
    ['2026-02-31', false],
    ['2026-04-31T10:00Z', false],
    [' 2026-11-31 ', false],
  ])('a moment is of a day that there is: %s', (written, isTaken) => expect(instant().safeParse(written).success).toBe(isTaken));

  it.each([
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20T09:30', '2026-11-20T09:30:00.000Z'],
    ['2026-11-20 09:30:15', '2026-11-20T09:30:15.000Z'],
    ['2026-11-20T09:30+02:00', '2026-11-20T07:30:00.000Z'],
  ])('a moment without a zone is one of UTC, wherever the machine is: %s', (written, read) =>
    expect(instant().safeParse(written).data).toBe(read),
  );

  it.each([
    ['Ann', true],
    ['Null', true],
    ['null', false],
    [' [object Object] ', false],
    ['  ', false],
    ['', false],
  ])('a required name that reads %j is taken or refused alike by the reference', (given, isTaken) => {
    const name = required(personName());
    const { pattern } = name.meta() as { readonly pattern: string };
    expect([name.safeParse(given).success, new RegExp(pattern, 'u').test(given)]).toEqual([isTaken, isTaken]);
  });
});

describe('the forwarders', () => {
  const rows = {
    sendToRecruit: endpoints.sendToRecruit,
    sendToLeadforms: endpoints.sendToLeadforms,
    sendPatient: endpoints.sendPatient,
  } as const;
  const problemsOf = (input: z.ZodType, body: unknown) =>
    Object.fromEntries((input.safeParse(body).error?.issues ?? []).map(({ path, message }) => [path.join('.'), message]));
  const names = Object.keys(rows) as (keyof typeof rows)[];

  describe.each(names)('%s', (name) => {
    const { input, example } = rows[name];
    const known = Object.keys(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }).properties ?? {});

    it('accepts its example', () => expect(input.safeParse(example).success).toBe(true));

    it('reads its own output unchanged', () => {
      const once = input.parse(example);
      expect(input.parse(once)).toEqual(once);
    });

    it('treats "" and null as absent in every field', () => {
      const base = input.parse(example) as Record<string, unknown>;
      const absent = Object.fromEntries(Object.keys(base).map((field) => [field, '']));
      const missing = Object.keys(problemsOf(input, {})).toSorted();
      expect(Object.keys(problemsOf(input, absent)).toSorted()).toEqual(missing);
      expect(Object.keys(problemsOf(input, Object.fromEntries(Object.keys(base).map((field) => [field, null])))).toSorted()).toEqual(
        missing,
      );
    });

    it('ignores unknown fields, including __proto__, and never throws', () =>
      fc.assert(
        fc.property(
          fc.dictionary(
            fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString', 'question_', 'q101')),
            fc.jsonValue(),
          ),
          (more) => {
            fc.pre(!Object.keys(more).some((field) => known.includes(field) || /^(question|answer)/.test(field)));
            const read = input.safeParse({ ...more, ...example });
            expect(read.data).toEqual(input.parse(example));
          },
        ),
      ));

    it('keeps names in any Unicode, and trims them', () =>
      fc.assert(
        fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (given) => {
          fc.pre(given.trim() !== '');
          const field = name === 'sendToRecruit' ? 'firstName' : 'first_name';
          expect(input.parse({ ...example, [field]: given })).toMatchObject({ [field]: given.trim() });
        }),
      ));

    it('reports all invalid fields at once, without their values', () => {
      const wrong = { email: 'no-address', [name === 'sendToRecruit' ? 'dob' : 'date_of_birth']: '02/30/1980' };
      const problems = problemsOf(input, { ...example, ...wrong });
      expect(Object.keys(problems).toSorted()).toEqual(Object.keys(wrong).toSorted());
      expect(JSON.stringify(Object.values(problems))).not.toMatch(/no-address|1980/);
    });
  });

  describe('single fields', () => {
    const recruit = (more: object) => problemsOf(rows.sendToRecruit.input, { ...rows.sendToRecruit.example, ...more });
    const forms = (more: object) => problemsOf(rows.sendToLeadforms.input, { ...rows.sendToLeadforms.example, ...more });
    const patient = (more: object) => problemsOf(rows.sendPatient.input, { ...rows.sendPatient.example, ...more });

    it('the environment, in any case, or the list of them', () => {
      expect(rows.sendToRecruit.input.parse({ ...rows.sendToRecruit.example, environment: ' Europe ' })).toMatchObject({
        environment: 'europe',
      });
      expect(recruit({ environment: 'mars' })).toEqual({ environment: 'must be one of sandbox, us, canada, australia, europe' });
    });
    it.each(['Bearer abc', 'tökn', 'x'.repeat(4097)])('a token that cannot go into a header: %s', (bearerToken) =>
      expect(Object.keys(recruit({ bearerToken }))).toEqual(['bearerToken']),
    );
    it('ids as numbers, but not those that JSON cannot hold', () => {
      expect(rows.sendToRecruit.input.parse({ ...rows.sendToRecruit.example, siteId: 1263 })).toMatchObject({ siteId: '1263' });
      expect(Object.keys(recruit({ siteId: 2 ** 60 }))).toEqual(['siteId']);
    });
    it.each(['sendToRecruit', 'sendToLeadforms', 'sendPatient'] as const)('an e-mail or a phone: %s', (name) => {
      const { input, example } = rows[name];
      expect(Object.keys(problemsOf(input, { ...example, email: '', phone: null, phone_number: ' ' }))).toEqual(['email']);
    });
    it('sixteen questions, unless the sixteenth is empty', () => {
      expect(forms({ question_16: 'x' })).toEqual({ question_16: 'there can be at most 15 questions and answers' });
      expect(Object.keys(forms({ answer_99: 'x', question_016: 'y' }))).toEqual(['answer_99', 'question_016']);
      expect(forms({ question_16: '', answer_16: null, question_15: 'x' })).toEqual({});
    });
    it('a date of birth of the lead forms is YYYY-MM-DD', () =>
      expect(Object.keys(forms({ date_of_birth: '03/05/1980' }))).toEqual(['date_of_birth']));
    it('booleans are booleans', () => expect(Object.keys(forms({ i_agree: 'yes' }))).toEqual(['i_agree']));
    it('numbers of the screening platform may be text', () => {
      expect(rows.sendPatient.input.parse({ ...rows.sendPatient.example, study_id: ' 7 ', height: '65.5' })).toMatchObject({
        study_id: 7,
        height: 65.5,
      });
      expect(Object.keys(patient({ study_id: '7.5', site_id: true, height: 'tall', weight: {} }))).toEqual([
        'study_id',
        'site_id',
        'height',
        'weight',
      ]);
    });
    it('a phone without digits', () => expect(Object.keys(patient({ phone_number: 'call me' }))).toEqual(['phone_number']));
    it('a key under any of its names, the first one that is given', () => {
      const keyOf = (more: object) => (rows.sendPatient.input.parse({ ...rows.sendPatient.example, ...more }) as { key?: string }).key;
      expect([
        keyOf({ 'x-api-key': 'c' }),
        keyOf({ apiKey: 'b', 'x-api-key': 'c' }),
        keyOf({ key: '', apiKey: 'b' }),
        keyOf({ key: 'a', apiKey: 'b' }),
        keyOf({}),
      ]).toEqual(['c', 'b', 'b', 'a', undefined]);
    });
    it.each([
      [{ questions: 'none' }, 'questions'],
      [{ questions: {} }, 'questions'],
      [{ questions: ['a'] }, 'questions.0'],
      [{ questions: [{ question: 'a' }, { question: {} }] }, 'questions.1'],
      [{ questions: undefined, question_3: ['x'] }, 'question_3'],
      [{ questions: Array.from({ length: 101 }, () => ({ question: 'a' })) }, 'questions'],
    ])('questions in another form: %#', (more, field) => expect(Object.keys(patient(more))).toEqual([field]));
  });
});

describe('the table of endpoints', () => {
  const byRun = endpointTable.filter(([, { handledBy }]) => handledBy !== 'api');

  it('has a workflow of the same name for every row that a run handles', () => {
    expect(byRun.map(([name]) => name).filter((name) => !(name in workflows))).toEqual([]);
  });

  it('has a flow for every lead route', () => expect(byRun.filter(([, { handledBy, flow }]) => handledBy === 'lead' && !flow)).toEqual([]));

  it('has each path only once', () => {
    const paths = endpointTable.map(([, { method, path }]) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
    expect(new Set(paths).size).toBe(paths.length);
  });
});
