/** Group E: defines the record that a lead passes from step to step, and how each route validates it. */
import { z } from 'zod';
import { ofAccount, type AccountSetting } from '../config/upstreams';
import { accountOf, firstSubjectId, isQuestion, patientId, type Flow } from '../domain/clinicsys';
import type { Endpoint } from './endpoint';
import {
  answer,
  contactSchema,
  credential,
  date,
  email,
  evenAfterFieldIssues,
  integer,
  longest,
  matching,
  oneOf,
  personName,
  phone,
  requireContact,
  required,
  text,
  textOrNumber,
  type Refine,
  url,
} from './fields';
import { requiredSchema, type JsonSchema } from './json-schema';

export const group = 'E. Site system';

export const uses =
  (...settings: AccountSetting[]): NonNullable<Endpoint['uses']> =>
  (input) =>
    settings.map((setting) => ofAccount(setting, accountOf(input)));
export const keyService = 'KEY_SERVICE_URL';
export const v1 = 'CLINICSYS_V1_APPLY_URL';
export const v2 = 'CLINICSYS_V2_URL';
export const account = () => oneOf(['ERG', 'Futuro'], { description: 'account of the site system; default ERG' });
export const instanceName = () =>
  matching(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores', {
    description: 'instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores',
  });

/** Text for the comment. The comment is cut at its maximum length. */
const commentText = (description: string) => text({ description, maxLength: longest.words });

const lead = {
  account: account(),
  StudyID: integer({ description: 'study of the site system' }),
  ReferrerID: integer({ description: 'referral source of the site system' }),
  instanceName: instanceName(),
  firstName: personName({ description: 'first name' }),
  lastName: personName({ description: 'last name' }),
  email: email({ description: 'e-mail' }),
  phone: phone({ description: 'phone in any punctuation; ten digits are sent as XXX-XXX-XXXX' }),
  dob: date({ description: 'birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future' }),
  sex: text({ description: 'm, f, male or female, sent as M or F; any other value is kept in the record and not sent' }),
  zipCode: textOrNumber({ description: 'postal code' }),
  weight: textOrNumber({ description: 'weight, for the comment' }),
  height: textOrNumber({ description: 'height, for the comment' }),
  ethnicity: commentText('ethnicity, for the comment'),
  race: commentText('race, for the comment'),
  condition: commentText('condition, for the comment; N/A if missing'),
  protocol: commentText('protocol, for the comment; N/A if missing'),
  recruitmentStatus: commentText('such as Qualified, for the comment'),
  photoUpload: url({ description: 'URL of a photo, for the comment' }),
};

type LeadField = keyof typeof lead;

/** A check of the whole record, and as much of it as JSON schema can express. */
interface Check {
  readonly refine: Refine;
  readonly schema: JsonSchema;
}

const anAnswer = answer();
const questionSchema = { patternProperties: { '^q[0-9]+$': anAnswer.meta() } };

const checkAnswers: Refine = (record, wrong) => {
  for (const name of Object.keys(record).filter(isQuestion))
    if (!anAnswer.safeParse(record[name]).success) wrong(name, 'must be Yes, No or null');
};

const hasContact: Check = { refine: requireContact('phone'), schema: contactSchema('phone') };

/** Builds the schema of a route: the fields of the record, of which `needed` are required, and further checks. */
export function recordSchema(flow: Flow, needed: readonly LeadField[], more: z.ZodRawShape = {}, check?: Check) {
  const fields = Object.fromEntries(
    Object.entries(lead).map(([name, type]) => [name, needed.includes(name as LeadField) ? required<unknown>(type) : type]),
  );
  const questions: Check[] = flow === 'with-prescreen' ? [{ refine: checkAnswers, schema: questionSchema }] : [];
  const reached = needed.includes('StudyID') && !needed.includes('email') ? [hasContact] : [];
  const checks = [...questions, ...reached, ...(check ? [check] : [])];
  const record = z.looseObject({ ...fields, ...more }).superRefine((value, context) => {
    const wrong = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message });
    for (const { refine } of checks) refine(value, wrong);
  }, evenAfterFieldIssues);
  return checks.length > 0 ? record.meta({ allOf: checks.map(({ schema }) => schema) }) : record;
}

export const neededToSend = ['instanceName', 'StudyID', 'ReferrerID', 'firstName', 'lastName'] as const;
/** The key is sent in a header, so it must be valid there. Otherwise the request would look like a failure of the upstream. */
export const key = required(credential({ description: 'access key, from get-api-key' }));

const foundSubject = {
  required: ['data'],
  properties: {
    data: {
      type: 'array',
      minItems: 1,
      prefixItems: [{ type: 'object', required: ['subjectId'], properties: { subjectId: requiredSchema(integer().meta()) } }],
    },
  },
};

export const emailChecked: Check = {
  refine: (record, wrong) => {
    if (typeof record.emailExists !== 'boolean') wrong('emailExists', 'must be true or false: run check-email first');
    else if (record.emailExists && firstSubjectId(record) === undefined) wrong('data', 'must contain the subject that check-email found');
  },
  schema: {
    required: ['emailExists'],
    properties: { emailExists: { type: 'boolean', description: 'the result of check-email' } },
    anyOf: [{ properties: { emailExists: { const: false } } }, foundSubject],
  },
};

export const hasPatient: Check = {
  refine: (record, wrong) => {
    if (patientId(record) === undefined) wrong('rtResponse.PatientID', 'is required: run send-to-rt first');
  },
  schema: {
    required: ['rtResponse'],
    properties: {
      rtResponse: {
        type: 'object',
        description: 'the result of send-to-rt',
        required: ['PatientID'],
        properties: { PatientID: requiredSchema(integer({ minimum: 1, pattern: '^\\s*0*[1-9][0-9]{0,14}\\s*$' }).meta()) },
      },
    },
  },
};
