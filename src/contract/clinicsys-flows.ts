/** Group E: defines the routes of the two site-system flows and of their single steps. */
import { z } from 'zod';
import type { Flow, FlowStep } from '../domain/clinicsys';
import { group, hasPatient, key, keyService, emailChecked, recordSchema, neededToSend, uses, v1, v2 } from './clinicsys-record';
import { endpoint, type Endpoint } from './endpoint';
import { leadErrors, runErrors, upstreamErrors } from './errors';

const flowRecord = z.looseObject({}).meta({ description: 'The flow record: the input and the fields that the steps added' });

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
    summary: `Send a lead through all steps, ${flow === 'with-prescreen' ? 'with its prescreen answers' : 'without prescreen questions'}`,
    handledBy: 'lead',
    errors: leadErrors,
    flow,
    uses: uses(keyService, v1, v2),
    keepsInput: true,
    input: recordSchema(flow, [...neededToSend, 'email']),
    output: flowRecord,
    example: examples[flow],
  });

const keyed = { key: 'the-key-that-get-api-key-gave' };
const checked = { ...keyed, data: [], error: {}, meta: { totalItems: 0 }, emailExists: false };

const callErrors = [...upstreamErrors, 'IDEMPOTENCY_KEY_REUSED'] as const;

interface SingleStep {
  readonly handledBy: 'lead' | 'call';
  readonly showsRecord?: true;
  readonly summary: string;
  readonly errors: Endpoint['errors'];
  readonly uses: Endpoint['uses'];
  /** Example values of the fields that earlier steps add. */
  readonly before: Readonly<Record<string, unknown>>;
  input(flow: Flow): z.ZodType;
}

const singleSteps: Readonly<Record<FlowStep, SingleStep>> = {
  'get-api-key': {
    handledBy: 'call',
    showsRecord: true,
    summary: 'Fetch the access key',
    errors: callErrors,
    uses: uses(keyService),
    before: {},
    input: (flow) => recordSchema(flow, ['instanceName']),
  },
  'check-email': {
    handledBy: 'call',
    showsRecord: true,
    summary: 'Look up the e-mail',
    errors: callErrors,
    uses: uses(v2),
    before: keyed,
    input: (flow) => recordSchema(flow, ['instanceName', 'email'], { key }),
  },
  'format-data': {
    handledBy: 'call',
    summary: 'Format phone, date of birth, sex and answers',
    errors: [...runErrors, 'IDEMPOTENCY_KEY_REUSED'],
    uses: uses(),
    before: {},
    input: (flow) => recordSchema(flow, []),
  },
  'send-to-rt': {
    handledBy: 'lead',
    summary: 'Send the lead to the site system',
    errors: leadErrors,
    uses: uses(v1),
    before: checked,
    input: (flow) => recordSchema(flow, neededToSend, { key }, flow === 'no-prescreen' ? emailChecked : undefined),
  },
  'send-comments': {
    handledBy: 'lead',
    summary: 'Send the comment',
    errors: leadErrors,
    uses: uses(v2),
    before: { ...checked, rtResponse: { status: 0, PatientID: 139712, message: 'Patient added successfully' } },
    input: (flow) => recordSchema(flow, ['instanceName'], { key }, hasPatient),
  },
};

const step = <const Name extends FlowStep>(flow: Flow, name: Name) => {
  const { handledBy, showsRecord, summary, errors, uses: needs, before, input } = singleSteps[name];
  return endpoint({
    method: 'post',
    path: `${prefix(flow)}/${name}`,
    group,
    summary: `${summary} (one step of ${flow})`,
    handledBy,
    errors,
    showsRecord,
    flow,
    step: name,
    uses: needs,
    keepsInput: true,
    input: input(flow),
    output: flowRecord,
    example: { ...examples[flow], ...before },
  });
};

export const clinicsysFlows = {
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
} as const;
