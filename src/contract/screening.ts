/** Group D: the screening platform. */
import { z } from 'zod';
import { isAbsent, isObject, text as readText } from '../domain/formats';
import { givenQuestions, mostQuestions, questionsOf } from '../domain/screening';
import { forwardUrl } from '../needs';
import { endpoint } from './endpoint';
import { body, credential, date, digits, email, integer, number, reachable, required, text, textOrNumber, type Refine } from './fields';

const expectedQuestions = 'must be a list of {question, answer}';

const pair = { type: 'object', properties: { question: { type: 'string' }, answer: { type: 'string' } } };
const questions = z.unknown().optional().meta({ type: 'array', items: pair, description: 'or question_1, answer_1, …' });

const rightQuestions: Refine = (record, wrong) => {
  const given = givenQuestions(record);
  if (given.length > mostQuestions) wrong('questions', `there can be at most ${mostQuestions} questions`);
  if (!isAbsent(record.questions) && !Array.isArray(record.questions)) return wrong('questions', expectedQuestions);
  for (const { path, value } of given) {
    const texts = isObject(value) ? [value.question, value.answer] : undefined;
    if (!texts) wrong(path, expectedQuestions);
    else if (texts.some((one) => !isAbsent(one) && readText(one) === undefined)) wrong(path, 'question and answer must be text');
  }
};

/** One name for the key, whichever was used; the numbered pairs as a list. */
const unified = (record: Parameters<typeof questionsOf>[0]) => ({
  key: record.key ?? record.apiKey ?? record['x-api-key'],
  apiKey: undefined,
  'x-api-key': undefined,
  questions: questionsOf(record),
});

export const screening = {
  sendPatient: endpoint({
    method: 'post',
    path: '/api/screening/send-patient',
    group: 'D. Screening platform',
    summary: 'Send a patient to the screening platform',
    carried: 'lead',
    flow: 'screening',
    uses: (input) => [forwardUrl('screening', input), ...(input.key === undefined ? [['SCREENING_API_KEY'] as const] : [])],
    input: body(
      {
        key: credential(),
        apiKey: credential(),
        'x-api-key': credential(),
        study_id: required(integer()),
        site_id: required(integer()),
        email: email(),
        first_name: required(text()),
        last_name: required(text()),
        phone_number: digits(),
        date_of_birth: date(),
        postal_code: textOrNumber(),
        gender: text(),
        sex: text(),
        race: text(),
        ethnicity: text(),
        height: number(),
        height_unit: text(),
        weight: number(),
        weight_unit: text(),
        recruitment_status: text(),
        questions,
      },
      [reachable('phone_number'), rightQuestions],
      unified,
    ),
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
