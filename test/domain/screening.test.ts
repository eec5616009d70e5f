import * as fc from 'fast-check';
import { questionsOf, screening, screeningPayload } from '../../src/domain/screening';

const noMaps = { race: {}, recruitment_status: {} };
const payloadOf = (body: Record<string, unknown>, maps = noMaps) => screeningPayload({ body, maps }).payload;

describe('race', () => {
  it.each([
    ['Pacific Islander', 'Native Hawaiian or Other Pacific Islander'],
    ['Native Hawaiian', 'Native Hawaiian or Other Pacific Islander'],
    ['Asian/Pacific Islander', 'Native Hawaiian or Other Pacific Islander'],
    ['American Indian', 'American Indian or Alaska Native'],
    ['ALASKA native', 'American Indian or Alaska Native'],
    ['native american', 'American Indian or Alaska Native'],
    ['White', 'White'],
    ['Caucasian', 'White'],
    ['Black', 'Black or African American'],
    ['African American', 'Black or African American'],
    ['Asian', 'Asian'],
    ['South asian', 'Asian'],
    ['Native Hawaiian or Other Pacific Islander', 'Native Hawaiian or Other Pacific Islander'],
    ['American Indian or Alaska Native', 'American Indian or Alaska Native'],
    ['Black or African American', 'Black or African American'],
    ['Not Reported', 'Not Reported'],
    ['Prefer not to say', 'Not Reported'],
    ['constructor', 'Not Reported'],
    ['__proto__', 'Not Reported'],
  ])('%s is sent as %s', (race, expected) => expect(payloadOf({ race }).race).toBe(expected));
  it('that is absent stays absent', () => expect(payloadOf({})).not.toHaveProperty('race'));
});

describe('recruitment status', () => {
  it.each([
    ['DNQ', 'Not eligible'],
    ['Not Qualified', 'Not eligible'],
    ['not eligible', 'Not eligible'],
    ['Ineligible', 'Not eligible'],
    ['Disqualified', 'Not eligible'],
    ['disqualification', 'Not eligible'],
    ['Screen Failed', 'Not eligible'],
    ['Does not qualify', 'Not eligible'],
    ['Qualified', 'Referral'],
    ['Referral', 'Referral'],
    ['anything', 'Referral'],
  ])('%s is sent as %s', (recruitment_status, expected) => expect(payloadOf({ recruitment_status }).recruitment_status).toBe(expected));
  it('that is absent stays absent', () => expect(payloadOf({})).not.toHaveProperty('recruitment_status'));
});

describe('the screening payload', () => {
  it('takes an operator’s own words first, whatever their case', () =>
    expect(
      payloadOf(
        { race: 'Caucasian', recruitment_status: 'ON HOLD' },
        { race: { caucasian: 'W' }, recruitment_status: { 'on hold': 'Not eligible' } },
      ),
    ).toMatchObject({
      race: 'W',
      recruitment_status: 'Not eligible',
    }));

  it('always has units, and its gender from gender, else from sex', () => {
    expect(payloadOf({ sex: 'Male' })).toEqual({ gender: 'Male', height_unit: 'in', weight_unit: 'lb' });
    expect(payloadOf({ gender: 'X', sex: 'Male', height_unit: 'cm' })).toMatchObject({ gender: 'X', height_unit: 'cm' });
  });

  it('says where each value came from', () =>
    expect(screeningPayload({ body: { study_id: 1, race: 'White', weight_unit: 'kg' }, maps: noMaps }).origins).toEqual({
      study_id: 'caller',
      race: 'rule',
      height_unit: 'default',
      weight_unit: 'caller',
    }));

  it('holds no key, and a numbered pair as a question', () =>
    expect(payloadOf({ key: 'k', apiKey: 'k', 'x-api-key': 'k', question_1: 'a', unknown: 1 })).toEqual({
      height_unit: 'in',
      weight_unit: 'lb',
      questions: [{ question: 'a' }],
    }));

  it.each(['1980-03-05', '03/05/1980'])('writes the date %s as YYYY-MM-DD', (date_of_birth) =>
    expect(payloadOf({ date_of_birth }).date_of_birth).toBe('1980-03-05'),
  );
});

describe('questions', () => {
  it('come in the order of their numbers', () =>
    expect(questionsOf({ question_10: 'j', answer_10: 'J', answer_2: 'B', question_2: 'b', question_1: ' a ', answer_1: 1 })).toEqual([
      { question: 'a', answer: '1' },
      { question: 'b', answer: 'B' },
      { question: 'j', answer: 'J' },
    ]));
  it('of the list win over the numbered ones; an empty list does not', () => {
    expect(questionsOf({ questions: [{ question: 'a', answer: 'A', more: 1 }], question_1: 'x' })).toEqual([
      { question: 'a', answer: 'A' },
    ]);
    expect(questionsOf({ questions: [], question_1: 'x' })).toEqual([{ question: 'x' }]);
  });
  it('that are empty are no questions', () => expect(questionsOf({ question_1: '', answer_1: null })).toBeUndefined());
  it('are read from names of that form alone, whatever else there is', () =>
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.oneof(fc.string(), fc.constantFrom('__proto__', 'question_', 'question_x', 'answer_1a', 'Question_1', 'questions_1')),
          fc.string(),
        ),
        (body) => {
          const isPart = (name: string) => /^(question|answer)_\d{1,9}$/.test(name) || name === 'questions';
          fc.pre(!Object.keys(body).some(isPart));
          expect(questionsOf(body)).toBeUndefined();
        },
      ),
    ));
});

describe('an answer of the screening platform', () => {
  it.each([{ success: true, id: 50123 }, { id: 50123 }, { success: true, id: 50123, errors: { race: ['unknown'] } }])(
    'is accepted with an id: %j',
    (body) => expect(screening.read(body)).toMatchObject({ accepted: { patientId: '50123' } }),
  );
  it('is a refusal where it says no', () => expect(screening.read({ success: false, id: 1 })).toEqual({ refused: true }));
  it.each([
    {},
    { success: true },
    { id: 1, errors: { study_id: ['…'] } },
    { success: 'false', id: 1 },
    { success: 0, id: 1 },
    [],
    'ok',
    null,
  ])('is nothing that we know: %j', (body) => expect(screening.read(body)).toBeUndefined());
});
