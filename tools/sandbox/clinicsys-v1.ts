/** Simulates V1 apply: accepts a lead as a form or as JSON and stores a patient. The key determines the instance. */
import { sandboxPaths } from '../../src/config/sandbox-urls';
import { jsonObject, type Copies, type SimulatedAnswer, type SimulatedCall, type SimulatedRequest } from './call';
import { patientsOf, type ClinicsysStore, type SimulatedInstance, type Patient } from './clinicsys-store';

type Fields = Record<string, string>;

const requireNumber = (name: string) => [
  { message: `${name} is required`, holds: (fields: Fields) => name in fields },
  { message: `${name} must be a number`, holds: (fields: Fields) => /^\d+$/.test(fields[name] ?? '') },
];
const requireField = (name: string) => ({ message: `${name} is required`, holds: (fields: Fields) => name in fields });
const requireFormat = (name: string, form: RegExp, message: string) => ({
  message,
  holds: (fields: Fields) => !(name in fields) || form.test(fields[name] ?? ''),
});

/** Checked in this order; the first violated rule determines the refusal. */
const rules = [
  ...requireNumber('StudyID'),
  ...requireNumber('ReferrerID'),
  requireField('FirstName'),
  requireField('LastName'),
  { message: 'Email or Phone is required', holds: (fields: Fields) => 'Email' in fields || 'Phone' in fields },
  requireFormat('DOB', /^\d{4}-\d{2}-\d{2}$/, 'DOB must be YYYY-MM-DD'),
  requireFormat('Sex', /^[MF]$/, 'Sex must be M or F'),
  { message: 'questions must be sent as questions[<id>], each 0, 1 or 2', holds: questionsAreRight },
];

export function v1Apply(store: ClinicsysStore): SimulatedCall {
  return {
    name: 'v1',
    method: 'post',
    path: sandboxPaths.CLINICSYS_V1_APPLY_URL,
    about: 'V1 apply: accepts a lead',
    readsSentinelsFrom: '`Email`, instance of the key',
    sentinelTexts: (request) => [readFields(request)?.Email ?? '', store.grantOf(request.bearer)?.instanceName ?? ''],
    answer: (request, copies) => apply(store, request, copies),
    errorBody: (status, message) => ({ status, message: status === 401 ? 'Unauthorized' : message }),
    refused: refusal('The lead was refused'),
    revoked: (request) => {
      store.revoke(request.bearer);
      return unauthorized;
    },
    essential: ['status', 'PatientID'],
  };
}

const unauthorized: SimulatedAnswer = { status: 401, body: { status: 401, message: 'Unauthorized' } };

function refusal(message: string): SimulatedAnswer {
  return { status: 200, body: { status: 1, message } };
}

function apply(store: ClinicsysStore, request: SimulatedRequest, copies: Copies): SimulatedAnswer {
  const grant = store.grantOf(request.bearer);
  if (!grant) return unauthorized;
  const fields = readFields(request);
  if (!fields) return { status: 400, body: { status: 400, message: 'The body is neither a form nor a JSON object of plain values' } };
  const broken = rules.find(({ holds }) => !holds(fields));
  if (broken) return refusal(broken.message);

  const [known] = fields.Email ? patientsOf(grant.instance, fields.Email) : [];
  const stored = Array.from({ length: copies }, (_, at) => (at === 0 && known) || store.addPatient(grant.instance, person(fields)));
  for (const patient of stored) {
    patient.applications.push(fields);
    addStudyStatus(grant.instance, patient, Number(fields.StudyID));
  }
  const patient = stored[0] ?? known ?? store.forgetPatient(grant.instance, person(fields));
  const message = known ? 'Patient updated successfully' : 'Patient added successfully';
  return { status: 200, body: { status: 0, PatientID: patient.subject.subjectId, message } };
}

function person({ FirstName = '', LastName = '', Email = '', Phone = '', DOB = '' }: Fields) {
  return { firstName: FirstName, lastName: LastName, email: Email, phone: Phone, dob: DOB };
}

function addStudyStatus(instance: SimulatedInstance, { subject, statuses }: Patient, studyId: number): void {
  if (statuses.some((status) => status.studyId === studyId)) return;
  const studyName = instance.studies.find((study) => study.studyId === studyId)?.studyName ?? `Study ${studyId}`;
  const statusDate = new Date().toISOString().slice(0, 10);
  statuses.push({ subjectId: subject.subjectId, studyId, studyName, status: 'New', statusDate });
}

function questionsAreRight(fields: Fields): boolean {
  const questions = Object.entries(fields).filter(([name]) => name.startsWith('questions'));
  return questions.every(([name, value]) => /^questions\[\d+\]$/.test(name) && /^[012]$/.test(value));
}

/** Reads the fields of either format; empty ones count as absent. Undefined if the body is unreadable. */
function readFields(request: SimulatedRequest): Fields | undefined {
  const present = readPairs(request)?.filter(([, value]) => value !== null && value !== '');
  const isPlain = present?.every(([, value]) => typeof value === 'string' || typeof value === 'number');
  return isPlain ? Object.fromEntries(present?.map(([name, value]) => [name, String(value)]) ?? []) : undefined;
}

function readPairs({ contentType, text }: SimulatedRequest): [string, unknown][] | undefined {
  if (contentType.startsWith('application/x-www-form-urlencoded')) return [...new URLSearchParams(text)];
  if (!contentType.startsWith('application/json')) return undefined;
  const body = jsonObject(text);
  return body && Object.entries(body);
}
