/** Group D: defines the route to the screening platform. */
import { z } from 'zod';
import { forwardUrl } from '../config/upstreams';
import { isAbsent, isObject, text as readText } from '../domain/formats';
import type { Detail, JsonObject } from '../domain/lead';
import { givenQuestions, hasList, isNumbered, mostQuestions, numberedTexts, questionsOf } from '../domain/screening';
import { endpoint } from './endpoint';
import { leadErrors } from './errors';
import {
  body,
  contactSchema,
  credential,
  date,
  digits,
  email,
  integer,
  number,
  personName,
  requireContact,
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
      description: 'the questions and answers; or use question_1, answer_1, …',
    }),
  );

const checkQuestions: Refine = (record, wrong) => {
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

/** Merges the aliases of the key. Numbered questions and answers keep their names, so that a redrive can correct a single one. */
const mergeAliases = (record: JsonObject) => ({
  ...Object.fromEntries(keyNames.map((name) => [name, undefined])),
  key: keyNames.map((name) => record[name]).find((key) => key !== undefined),
  ...(hasList(record) ? { questions: questionsOf(record) } : { ...numberedTexts(record), questions: undefined }),
});

/** Rejects a corrected pair if the stored body has a list, because the list would override it. */
const ineffectivePairs = (fields: JsonObject, mended: JsonObject): Detail[] =>
  !hasList(mended) || hasList(fields)
    ? []
    : Object.keys(fields)
        .filter(isNumbered)
        .map((name) => ({
          field: `fields.${name}`,
          message: 'would have no effect: the lead has a list of questions. Correct questions instead',
        }));

export const screening = {
  sendPatient: endpoint({
    method: 'post',
    path: '/api/screening/send-patient',
    group: 'D. Screening platform',
    summary: 'Send a patient to the screening platform',
    handledBy: 'lead',
    errors: leadErrors,
    flow: 'screening',
    uses: (input) => [forwardUrl('screening', input), ...(input.key === undefined ? [['SCREENING_API_KEY'] as const] : [])],
    sameField: keyNames,
    withoutEffect: ineffectivePairs,
    input: body(
      {
        key: credential({ description: "the platform's key; default: the key of the server. No answer contains it" }),
        apiKey: credential({ description: 'an alias of key' }),
        'x-api-key': credential({ description: 'an alias of key' }),
        study_id: required(integer({ description: 'study of the platform' })),
        site_id: required(integer({ description: 'site of the platform' })),
        email: email({ description: 'e-mail; this or phone_number is required' }),
        first_name: required(personName({ description: 'first name' })),
        last_name: required(personName({ description: 'last name' })),
        phone_number: digits({ description: 'phone; only its digits are sent' }),
        date_of_birth: date({ description: 'birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future; sent as YYYY-MM-DD' }),
        postal_code: textOrNumber({ description: 'postal code' }),
        gender: text({ description: 'gender, sent unchanged' }),
        sex: text({ description: 'used as gender if that is absent' }),
        race: text({ description: "race, as free text; mapped to the platform's values" }),
        ethnicity: text({ description: 'ethnicity, sent unchanged' }),
        height: number({ description: 'height in height_unit, as a number or a number in text' }),
        height_unit: text({ description: 'unit of height; default in' }),
        weight: number({ description: 'weight in weight_unit, as a number or a number in text' }),
        weight_unit: text({ description: 'unit of weight; default lb' }),
        recruitment_status: text({ description: 'status, as free text; sent as Referral, or as Not eligible if it says so' }),
        questions,
      },
      [requireContact('phone_number'), checkQuestions],
      mergeAliases,
    ).meta({
      ...contactSchema('phone_number'),
      patternProperties: { '^(question|answer)_[0-9]{1,9}$': { description: 'a numbered question or answer' } },
    }),
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
