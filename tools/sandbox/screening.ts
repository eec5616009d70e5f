/** Simulates the screening platform: accepts a patient and answers with its id. */
import { isObject } from '../../src/domain/formats';
import {
  filled,
  jsonObject,
  type Copies,
  type SimulatedAnswer,
  type JsonBody,
  type SimulatedCall,
  type SimulatedRequest,
  type Simulator,
} from './call';
import { isAcceptedCredential } from './credentials';
import { csvExport } from './csv-export';
import { violatedRules, byField, isText, maybe, type FieldRule } from './field-rules';
import type { NextId } from './ids';

const unknownStudy = 9999;
const isId = (value: unknown) => Number.isInteger(value) && Number(value) > 0;
const maybeNumber = (value: unknown) => value === undefined || typeof value === 'number';
const races =
  /^(White|Asian|Black or African American|American Indian or Alaska Native|Native Hawaiian or Other Pacific Islander|Not Reported)$/;

const rules: readonly FieldRule[] = [
  { field: 'study_id', message: 'The selected study_id is invalid.', holds: (value) => isId(value) && value !== unknownStudy },
  { field: 'site_id', message: 'The selected site_id is invalid.', holds: isId },
  { field: 'first_name', message: 'The first_name field is required.', holds: isText },
  { field: 'last_name', message: 'The last_name field is required.', holds: isText },
  {
    field: 'email',
    message: 'The email or the phone_number field is required.',
    holds: (value, body) => isText(value ?? body.phone_number),
  },
  { field: 'phone_number', message: 'The phone_number must hold digits only.', holds: maybe(/^\d+$/) },
  { field: 'date_of_birth', message: 'The date_of_birth must be YYYY-MM-DD.', holds: maybe(/^\d{4}-\d{2}-\d{2}$/) },
  { field: 'race', message: 'The selected race is invalid.', holds: maybe(races) },
  { field: 'recruitment_status', message: 'The selected recruitment_status is invalid.', holds: maybe(/^(Referral|Not eligible)$/) },
  { field: 'height', message: 'The height must be a number.', holds: maybeNumber },
  { field: 'weight', message: 'The weight must be a number.', holds: maybeNumber },
  {
    field: 'questions',
    message: 'The questions must be a list of question and answer.',
    holds: (value) => value === undefined || (Array.isArray(value) && value.every(isObject)),
  },
];

const exportColumns = [
  'id',
  'study_id',
  'site_id',
  'first_name',
  'last_name',
  'email',
  'phone_number',
  'date_of_birth',
  'recruitment_status',
  'created_at',
];

const invalid = (errors: Record<string, string[]>): SimulatedAnswer => ({
  status: 422,
  body: { message: 'The given data was invalid.', errors },
});

export function createScreening(nextId: NextId): Simulator {
  let patients: JsonBody[] = [];

  function add({ apiKey, text }: SimulatedRequest, copies: Copies): SimulatedAnswer {
    if (!isAcceptedCredential(apiKey)) return { status: 401, body: { message: 'Unauthorized' } };
    const patient = jsonObject(text) ?? {};
    const broken = violatedRules(rules, patient);
    if (broken.length > 0) return invalid(byField(broken));
    const id = nextId();
    const stored = Array.from({ length: copies }, (_, at) => ({
      id: at === 0 ? id : nextId(),
      ...patient,
      created_at: new Date().toISOString(),
    }));
    patients.push(...stored);
    return { status: 201, body: { success: true, id, message: 'Patient created' } };
  }

  const call: SimulatedCall = {
    name: 'screening',
    method: 'post',
    path: '/screening/api/vip/patients',
    about: 'accepts a patient',
    readsSentinelsFrom: '`email`',
    sentinelTexts: ({ text }) => [filled(jsonObject(text)?.email) ?? ''],
    answer: add,
    errorBody: (status, message) => ({ message: status === 401 ? 'Unauthorized' : message }),
    refused: invalid({ study_id: ['The selected study_id is invalid.'] }),
    essential: ['success', 'id'],
  };
  return {
    name: 'screening',
    calls: [call],
    state: () => patients,
    csv: () => csvExport(exportColumns, patients),
    revokeKeys: () => 0,
    reset: () => void (patients = []),
  };
}
