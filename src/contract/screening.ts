/** Group D: the route to the screening platform. */
import { z } from 'zod';
import { forwardUrl } from '../config/upstreams';
import { isAbsent, isObject, text as readText } from '../domain/formats';
import type { Detail, JsonObject } from '../domain/lead';
import { givenQuestions, hasList, isNumbered, mostQuestions, numberedTexts, questionsOf } from '../domain/screening';
import { endpoint } from './endpoint';
import { leadErrors } from './errors';
import {
  body,
  contact,
  credential,
  date,
  digits,
  email,
  integer,
  number,
  personName,
  reachable,
  required,
  text,
  textOrNumber,
  type Refine,
} from './fields';
import { optionalSchema } from './json-schema';

const expectedQuestions = 'must be a list of {question, answer}';

const words = { type: ['string', 'number', 'null'] };
const pair = { type: 'object', properties: { question: words, answer: words } };
const questions = z
  .unknown()
  .optional()
  .meta(
    optionalSchema({
      type: 'array',
      items: pair,
      maxItems: mostQuestions,
      description: 'the answered questions; or question_1, answer_1, …',
    }),
  );

const rightQuestions: Refine = (record, wrong) => {
  const given = givenQuestions(record);
  if (given.length > mostQuestions) return wrong('questions', `there can be at most ${mostQuestions} questions`);
  if (!isAbsent(record.questions) && !Array.isArray(record.questions)) return wrong('questions', expectedQuestions);
  for (const { path, value } of given) {
    const texts = isObject(value) ? [value.question, value.answer] : undefined;
    if (!texts) wrong(path, expectedQuestions);
    else if (texts.some((one) => !isAbsent(one) && readText(one) === undefined)) wrong(path, 'question and answer must be text');
  }
};

const keyNames = ['key', 'apiKey', 'x-api-key'] as const;

/** Brings the names of the key to one. Numbered questions and answers keep their names, so that a redrive can mend one of them. */
const unified = (record: JsonObject) => ({
  ...Object.fromEntries(keyNames.map((name) => [name, undefined])),
  key: keyNames.map((name) => record[name]).find((key) => key !== undefined),
  ...(hasList(record) ? { questions: questionsOf(record) } : { ...numberedTexts(record), questions: undefined }),
});

/** A mended pair beside a stored list would change nothing. */
const pairsBesideList = (fields: JsonObject, mended: JsonObject): Detail[] =>
  !hasList(mended) || hasList(fields)
    ? []
    : Object.keys(fields)
        .filter(isNumbered)
        .map((name) => ({ field: `fields.${name}`, message: 'would change nothing: the lead came with a list. Mend questions instead' }));

export const screening = {
  sendPatient: endpoint({
    method: 'post',
    path: '/api/screening/send-patient',
    group: 'D. Screening platform',
    summary: 'Send a patient to the screening platform',
    carried: 'lead',
    errors: leadErrors,
    flow: 'screening',
    uses: (input) => [forwardUrl('screening', input), ...(input.key === undefined ? [['SCREENING_API_KEY'] as const] : [])],
    sameField: keyNames,
    withoutEffect: pairsBesideList,
    input: body(
      {
        key: credential({ description: "the platform's key; without one the server's own is used. It is in no answer" }),
        apiKey: credential({ description: 'the same under another name' }),
        'x-api-key': credential({ description: 'the same under another name' }),
        study_id: required(integer({ description: 'study of the platform' })),
        site_id: required(integer({ description: 'site of the platform' })),
        email: email({ description: 'e-mail; this or phone_number is required' }),
        first_name: required(personName({ description: 'first name' })),
        last_name: required(personName({ description: 'last name' })),
        phone_number: digits({ description: 'phone; its digits alone are sent' }),
        date_of_birth: date({ description: 'birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future; sent as YYYY-MM-DD' }),
        postal_code: textOrNumber({ description: 'postal code' }),
        gender: text({ description: 'gender, sent as it is' }),
        sex: text({ description: 'the same, where gender is not given' }),
        race: text({ description: "in your own words; mapped to the platform's" }),
        ethnicity: text({ description: 'ethnicity, sent as it is' }),
        height: number({ description: 'height in height_unit, as a number or a number in text' }),
        height_unit: text({ description: 'in, unless given' }),
        weight: number({ description: 'weight in weight_unit, as a number or a number in text' }),
        weight_unit: text({ description: 'lb, unless given' }),
        recruitment_status: text({ description: 'in your own words; sent as Referral or, where they say so, Not eligible' }),
        questions,
      },
      [reachable('phone_number'), rightQuestions],
      unified,
    ).meta({ ...contact('phone_number'), patternProperties: { '^(question|answer)_[0-9]{1,9}$': { description: 'a numbered pair' } } }),
    output: z.object({ success: z.literal(true), message: z.string(), screeningResponse: z.record(z.string(), z.unknown()) }),
    example: {
      study_id: 1201,
      site_id: 33,
      first_name: 'Ann',
      last_name: 'Lee',
      email: 'ann.lee@example.org',
      phone_number: '(555) 201-3344',
      date_of_birth: '03/05/1980',
      postal_code: '33432',
      gender: 'Female',
      race: 'Caucasian',
      height: 65,
      weight: 140,
      recruitment_status: 'Qualified',
      questions: [{ question: 'Have you had eczema for more than a year?', answer: 'Yes' }],
    },
  }),
} as const;
