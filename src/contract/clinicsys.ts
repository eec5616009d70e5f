/** Group E: the site-system flows, their single steps, and the toolkit. */
import { z } from 'zod';
import { accountOf, firstSubjectId, isQuestion, patientId, type Flow, type FlowStep } from '../domain/clinicsys';
import { isAbsent } from '../domain/formats';
import { ofAccount, type AccountSetting } from '../needs';
import { endpoint, type Endpoint } from './endpoint';
import {
  answer,
  contact,
  credential,
  date,
  email,
  evenAfterFieldIssues,
  integer,
  matching,
  oneOf,
  phone,
  required,
  text,
  textOrNumber,
  url,
  type Refine,
} from './fields';
import { requiredSchema, type JsonSchema } from './json-schema';

const group = 'E. Site system';

const uses =
  (...settings: AccountSetting[]): NonNullable<Endpoint['uses']> =>
  (input) =>
    settings.map((setting) => ofAccount(setting, accountOf(input)));
const keyService = 'KEY_SERVICE_URL';
const v1 = 'CLINICSYS_V1_APPLY_URL';
const v2 = 'CLINICSYS_V2_URL';
const account = () => oneOf(['ERG', 'Futuro'], { description: 'account of the site system; ERG when it is left out' });
const instanceName = () =>
  matching(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores', {
    description: 'instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores',
  });

const lead = {
  account: account(),
  StudyID: integer({ description: 'study of the site system' }),
  ReferrerID: integer({ description: 'referral source of the site system' }),
  instanceName: instanceName(),
  firstName: text({ description: 'first name' }),
  lastName: text({ description: 'last name' }),
  email: email({ description: 'e-mail' }),
  phone: phone({ description: 'phone in any punctuation; ten digits are written XXX-XXX-XXXX' }),
  dob: date({ description: 'birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future' }),
  sex: text({ description: 'm, f, male or female is sent as M or F; anything else stays in the record and is not sent' }),
  zipCode: textOrNumber({ description: 'postal code' }),
  weight: textOrNumber({ description: 'weight, for the comment' }),
  height: textOrNumber({ description: 'height, for the comment' }),
  ethnicity: text({ description: 'ethnicity, for the comment' }),
  race: text({ description: 'race, for the comment' }),
  condition: text({ description: 'condition, for the comment; N/A where it is missing' }),
  protocol: text({ description: 'protocol, for the comment; N/A where it is missing' }),
  recruitmentStatus: text({ description: 'such as Qualified, for the comment' }),
  photoUpload: url({ description: 'where a photo is, for the comment' }),
};

type LeadField = keyof typeof lead;

const object = z.record(z.string(), z.unknown());
const flowRecord = z.looseObject({}).meta({ description: 'The flow record: the input and what the steps added' });

/** A check of the whole record, and as much of it as JSON schema can say. */
interface Check {
  readonly refine: Refine;
  readonly schema: JsonSchema;
}

const questionSchema = { patternProperties: { '^q[0-9]+$': answer().meta() } };

const answersRight: Refine = (record, wrong) => {
  for (const name of Object.keys(record).filter(isQuestion))
    if (!answer().safeParse(record[name]).success) wrong(name, 'must be Yes, No or null');
};

const hasContact: Check = {
  refine: (record, wrong) => {
    if (isAbsent(record.email) && isAbsent(record.phone)) wrong('email', 'an e-mail or a phone is required');
  },
  schema: contact('phone'),
};

/** The record's known fields, those of them that this route needs, and whatever else it checks. */
function recordSchema(flow: Flow, needed: readonly LeadField[], more: z.ZodRawShape = {}, check?: Check) {
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

const toSend = ['instanceName', 'StudyID', 'ReferrerID', 'firstName', 'lastName'] as const;
/** It goes into a header: a key that cannot would fail as if the upstream had. */
const key = required(credential({ description: 'access key, from get-api-key' }));

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

const knowsWhetherEmailExists: Check = {
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

const hasPatient: Check = {
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

const exampleLead = {
  instanceName: 'erg-oct',
  StudyID: 12,
  ReferrerID: 7,
  firstName: 'Ann',
  lastName: 'Lee',
  email: 'ann.lee@example.org',
  phone: '(555) 201-3344',
  dob: '03/05/1980',
  sex: 'Female',
  zipCode: '33432',
  condition: 'Eczema',
  protocol: 'AD-301',
  recruitmentStatus: 'Qualified',
};

const prefix = (flow: Flow) => `/api/clinicsys/${flow}`;
const examples = { 'with-prescreen': { ...exampleLead, q101: 'Yes', q102: 'No', q103: null }, 'no-prescreen': exampleLead };

const orchestrator = (flow: Flow) =>
  endpoint({
    method: 'post',
    path: prefix(flow),
    group,
    summary: `Send a lead through all six steps, ${flow === 'with-prescreen' ? 'with its prescreen answers' : 'without prescreen questions'}`,
    carried: 'lead',
    flow,
    uses: uses(keyService, v1, v2),
    keepsInput: true,
    input: recordSchema(flow, [...toSend, 'email']),
    output: flowRecord,
    example: examples[flow],
  });

const keyed = { key: 'the-key-that-get-api-key-gave' };
const checked = { ...keyed, data: [], error: {}, meta: { totalItems: 0 }, emailExists: false };

interface SingleStep {
  readonly carried: 'lead' | 'call';
  readonly summary: string;
  readonly uses: Endpoint['uses'];
  /** What the steps before have added, for the example. */
  readonly before: Readonly<Record<string, unknown>>;
  input(flow: Flow): z.ZodType;
}

const singleSteps: Readonly<Record<FlowStep, SingleStep>> = {
  'get-api-key': {
    carried: 'call',
    summary: 'Fetch the access key',
    uses: uses(keyService),
    before: {},
    input: (flow) => recordSchema(flow, ['instanceName']),
  },
  'check-email': {
    carried: 'call',
    summary: 'Look the e-mail up',
    uses: uses(v2),
    before: keyed,
    input: (flow) => recordSchema(flow, ['instanceName', 'email'], { key }),
  },
  'format-data': {
    carried: 'call',
    summary: 'Format phone, date of birth, sex and answers',
    uses: uses(),
    before: {},
    input: (flow) => recordSchema(flow, []),
  },
  'send-to-rt': {
    carried: 'lead',
    summary: 'Send the lead to the site system',
    uses: uses(v1),
    before: checked,
    input: (flow) => recordSchema(flow, toSend, { key }, flow === 'no-prescreen' ? knowsWhetherEmailExists : undefined),
  },
  'send-comments': {
    carried: 'lead',
    summary: 'Send the comment',
    uses: uses(v2),
    before: { ...checked, rtResponse: { status: 0, PatientID: 139712, message: 'Patient added successfully' } },
    input: (flow) => recordSchema(flow, ['instanceName'], { key }, hasPatient),
  },
};

const step = <const Name extends FlowStep>(flow: Flow, name: Name) => {
  const { carried, summary, uses: needs, before, input } = singleSteps[name];
  return endpoint({
    method: 'post',
    path: `${prefix(flow)}/${name}`,
    group,
    summary: `${summary} (one step of ${flow})`,
    carried,
    flow,
    uses: needs,
    keepsInput: true,
    input: input(flow),
    output: flowRecord,
    example: { ...examples[flow], ...before },
  });
};

const found = z.object({ success: z.literal(true), data: z.array(object), error: object, meta: object });
const list = found.extend({ count: z.int() });
const listInput = z.object({
  instanceName: required(instanceName()),
  account: account(),
  siteName: text({ description: 'only of this site' }),
});
const siteListInput = listInput.extend({
  siteName: required(
    matching(/^(?!\.{1,2}$)/, 'must be the name of a site', {
      description: 'the site, as listed by sites',
      pattern: '^(?!\\s*\\.{1,2}\\s*$)[\\s\\S]*\\S',
    }),
  ),
});

const toolkit = (
  method: 'get' | 'post',
  path: string,
  summary: string,
  input: z.ZodType,
  output: z.ZodType,
  example: Readonly<Record<string, unknown>>,
) =>
  endpoint({
    method,
    path: `/api/clinicsys/toolkit/${path}`,
    group,
    summary,
    carried: 'call',
    uses: uses(keyService, v2),
    input,
    output,
    example,
  });

const instance = { instanceName: 'erg-oct' };
const site = { ...instance, siteName: 'Boca Raton Clinical Research' };

export const clinicsys = {
  withPrescreen: orchestrator('with-prescreen'),
  withPrescreenGetApiKey: step('with-prescreen', 'get-api-key'),
  withPrescreenCheckEmail: step('with-prescreen', 'check-email'),
  withPrescreenFormatData: step('with-prescreen', 'format-data'),
  withPrescreenSendToRt: step('with-prescreen', 'send-to-rt'),
  withPrescreenSendComments: step('with-prescreen', 'send-comments'),
  noPrescreen: orchestrator('no-prescreen'),
  noPrescreenGetApiKey: step('no-prescreen', 'get-api-key'),
  noPrescreenCheckEmail: step('no-prescreen', 'check-email'),
  noPrescreenFormatData: step('no-prescreen', 'format-data'),
  noPrescreenSendToRt: step('no-prescreen', 'send-to-rt'),
  noPrescreenSendComments: step('no-prescreen', 'send-comments'),
  getSubjects: toolkit(
    'post',
    'get-subjects',
    'Look a subject up by e-mail',
    z.object({
      account: account(),
      instanceName: required(instanceName()),
      email: required(email({ description: 'e-mail of the subject' })),
    }),
    found.extend({ emailExists: z.boolean() }),
    { ...instance, email: 'ann.lee@example.org' },
  ),
  getPatientStatuses: toolkit(
    'post',
    'get-patient-statuses',
    'The patient statuses report of a subject',
    z.object({
      account: account(),
      instanceName: required(instanceName()),
      subjectID: required(integer({ description: 'id of the subject' })),
    }),
    found,
    { ...instance, subjectID: 139712 },
  ),
  listSites: toolkit('get', 'sites', 'Sites', listInput, list, instance),
  listStudies: toolkit('get', 'studies', 'Studies', listInput, list, instance),
  listInterviewQuestions: toolkit('get', 'interview-questions', 'Interview questions', listInput, list, instance),
  listReferralSources: toolkit('get', 'referral-sources/{siteName}', 'Referral sources of a site', siteListInput, list, site),
  getSites: toolkit('post', 'get-sites', 'Sites', listInput, list, instance),
  getStudies: toolkit('post', 'get-studies', 'Studies', listInput, list, instance),
  getInterviewQuestions: toolkit('post', 'get-interview-questions', 'Interview questions', listInput, list, instance),
  getReferralSources: toolkit('post', 'get-referral-sources', 'Referral sources of a site', siteListInput, list, site),
} as const;
