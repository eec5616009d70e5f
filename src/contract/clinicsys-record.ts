/** Group E: the record that a lead passes from step to step: its fields, and the checks that each route makes of them. */
import { z } from 'zod';
import { ofAccount, type AccountSetting } from '../config/upstreams';
import { accountOf, firstSubjectId, isQuestion, patientId, type Flow } from '../domain/clinicsys';
import type { Endpoint } from './endpoint';
import {
  answer,
  contact,
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
  reachable,
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
export const account = () => oneOf(['ERG', 'Futuro'], { description: 'account of the site system; ERG when it is left out' });
export const instanceName = () =>
  matching(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores', {
    description: 'instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores',
  });

/** A part of the comment, which is cut where it gets too long. */
const words = (description: string) => text({ description, maxLength: longest.words });

const lead = {
  account: account(),
  StudyID: integer({ description: 'study of the site system' }),
  ReferrerID: integer({ description: 'referral source of the site system' }),
  instanceName: instanceName(),
  firstName: personName({ description: 'first name' }),
  lastName: personName({ description: 'last name' }),
  email: email({ description: 'e-mail' }),
  phone: phone({ description: 'phone in any punctuation; ten digits are written XXX-XXX-XXXX' }),
  dob: date({ description: 'birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future' }),
  sex: text({ description: 'm, f, male or female is sent as M or F; anything else stays in the record and is not sent' }),
  zipCode: textOrNumber({ description: 'postal code' }),
  weight: textOrNumber({ description: 'weight, for the comment' }),
  height: textOrNumber({ description: 'height, for the comment' }),
  ethnicity: words('ethnicity, for the comment'),
  race: words('race, for the comment'),
  condition: words('condition, for the comment; N/A where it is missing'),
  protocol: words('protocol, for the comment; N/A where it is missing'),
  recruitmentStatus: words('such as Qualified, for the comment'),
  photoUpload: url({ description: 'where a photo is, for the comment' }),
};

type LeadField = keyof typeof lead;

/** A check of the whole record, and the part of it that a JSON schema can express. */
interface Check {
  readonly refine: Refine;
  readonly schema: JsonSchema;
}

const anAnswer = answer();
const questionSchema = { patternProperties: { '^q[0-9]+$': anAnswer.meta() } };

const answersRight: Refine = (record, wrong) => {
  for (const name of Object.keys(record).filter(isQuestion))
    if (!anAnswer.safeParse(record[name]).success) wrong(name, 'must be Yes, No or null');
};

const hasContact: Check = { refine: reachable('phone'), schema: contact('phone') };

/** The schema of a route: the record's fields, with those in `needed` required, and further checks. */
export function recordSchema(flow: Flow, needed: readonly LeadField[], more: z.ZodRawShape = {}, check?: Check) {
  const fields = Object.fromEntries(
    Object.entries(lead).map(([name, type]) => [name, needed.includes(name as LeadField) ? required<unknown>(type) : type]),
  );
  const questions: Check[] = flow === 'with-prescreen' ? [{ refine: answersRight, schema: questionSchema }] : [];
  const reached = needed.includes('StudyID') && !needed.includes('email') ? [hasContact] : [];
  const checks = [...questions, ...reached, ...(check ? [check] : [])];
  const record = z.looseObject({ ...fields, ...more }).superRefine((value, context) => {
    const wrong = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message });
    for (const { refine } of checks) refine(value, wrong);
  }, evenAfterFieldIssues);
  return checks.length > 0 ? record.meta({ allOf: checks.map(({ schema }) => schema) }) : record;
}

export const toSend = ['instanceName', 'StudyID', 'ReferrerID', 'firstName', 'lastName'] as const;
/** The key is sent in a header. A key that cannot be would fail as if the upstream had failed. */
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

export const knowsWhetherEmailExists: Check = {
  refine: (record, wrong) => {
    if (typeof record.emailExists !== 'boolean') wrong('emailExists', 'must be true or false: run check-email first');
    else if (record.emailExists && firstSubjectId(record) === undefined) wrong('data', 'must hold the subject that check-email found');
  },
  schema: {
    required: ['emailExists'],
    properties: { emailExists: { type: 'boolean', description: 'what check-email found' } },
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
        description: 'what send-to-rt gave',
        required: ['PatientID'],
        properties: { PatientID: requiredSchema(integer({ minimum: 1, pattern: '^\\s*0*[1-9][0-9]{0,14}\\s*$' }).meta()) },
      },
    },
  },
};
