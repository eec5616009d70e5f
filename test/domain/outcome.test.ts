import { fieldsNamed, outcomeOf, outcomeOfRead, type Attempt, type Reading } from '../../src/domain/outcome';

const read = (body: unknown): Reading<string> => {
  if (body === 'accepted') return { accepted: 'value' };
  return body === 'refused' ? { refused: true } : undefined;
};
const answer = (status: number, body?: unknown): Attempt => ({ saw: 'answer', status, body });

describe('what became of a request', () => {
  it.each<[string, Attempt, string]>([
    ['no connection', { saw: 'no-connection', reason: 'ECONNREFUSED' }, 'not-sent'],
    ['a connection that broke, or a time-out after connecting', { saw: 'no-answer', reason: 'ECONNRESET' }, 'unknown'],
    ['a 2xx in the success shape', answer(200, 'accepted'), 'delivered'],
    ['a 201 in the success shape', answer(201, 'accepted'), 'delivered'],
    ['a 2xx that says no', answer(200, 'refused'), 'refused'],
    ['a 2xx in another shape', answer(200, { ok: true }), 'unknown'],
    ['a 2xx that cannot be read', answer(200), 'unknown'],
    ['a redirect', answer(302, {}), 'unknown'],
    ['a parsed 400', answer(400, {}), 'refused'],
    ['a parsed 401', answer(401, {}), 'refused'],
    ['a parsed 422', answer(422, {}), 'refused'],
    ['a 4xx that cannot be read', answer(404), 'unknown'],
    ['a 429', answer(429, {}), 'not-sent'],
    ['a 429 that cannot be read', answer(429), 'not-sent'],
    ['a 500', answer(500, {}), 'unknown'],
    ['a 503', answer(503, {}), 'unknown'],
    ['a status that nobody knows', answer(799, 'accepted'), 'unknown'],
  ])('takes %s for what it proves', (_name, attempt, expected) => expect(outcomeOf(attempt, read).outcome).toBe(expected));

  it('keeps how long a limited upstream wants to be left alone', () =>
    expect(outcomeOf({ saw: 'answer', status: 429, retryAfterMs: 12_000 }, read)).toMatchObject({ limited: true, retryAfterMs: 12_000 }));
});

describe('what became of a read', () => {
  it.each([400, 401, 403, 404, 405, 422])('a %i alone refuses it, without words that could be read', (status) =>
    expect(outcomeOfRead(answer(status), read)).toEqual({ outcome: 'refused', status, body: {} }),
  );
  it('a refusal keeps its words', () => expect(outcomeOfRead(answer(422, { no: 1 }), read)).toMatchObject({ body: { no: 1 } }));
  it.each([
    [200, 'unknown'],
    [302, 'unknown'],
    [408, 'unknown'],
    [425, 'unknown'],
    [429, 'not-sent'],
    [500, 'unknown'],
    [503, 'unknown'],
  ])('a %i that cannot be read is %s, as for a send', (status, expected) =>
    expect(outcomeOfRead(answer(status), read).outcome).toBe(expected),
  );
});

const sent = { siteId: '1', email: '', dob: '', date_of_birth: '', firstName: '', id: 1 };

describe('the fields that a refusal names', () => {
  it.each([
    ['as a value', { errors: [{ field: 'siteId', message: 'Site not found' }] }, ['siteId']],
    ['as a name', { errors: { email: ['is taken'] } }, ['email']],
    ['in a sentence', { message: 'The Site ID is unknown' }, ['siteId']],
    ['in another spelling', 'date-of-birth: wrong', ['date_of_birth']],
    ['as several words', 'Your date of birth, please', ['date_of_birth']],
    ['several of them', 'email and dob', ['email', 'dob']],
    ['as a path', { loc: ['patientInfo.firstName'] }, ['firstName']],
  ])('are found %s', (_how, words, found) => expect(fieldsNamed(words, sent)).toEqual(found));

  it.each([['the e-mailer said no'], [{ id: 'x' }], [undefined], [null], [42]])('are none in %j', (words) =>
    expect(fieldsNamed(words, sent)).toEqual([]),
  );

  it('are looked for by the last part of every path', () =>
    expect(
      fieldsNamed('site id, study id, email, sex, patient info', {
        siteId: 1,
        patientInfo: { sex: 'M', contact: { email: '' } },
        studies: [{ studyId: 1 }],
      }),
    ).toEqual(['siteId', 'sex', 'email', 'studyId']));
});
