/** Simulates the recruitment system: accepts a patient with studies; one path per region. */
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
import { csvExport, type ExportColumn } from './csv-export';
import { violatedRules, fieldOf, type FieldRule } from './field-rules';
import type { NextId } from './ids';

type Patient = {
  patientId: string;
  revision: number;
  region: string;
  siteId: string;
  email: string;
  leads: JsonBody[];
  createdAt: string;
  updatedAt: string;
};

const contact = 'patientInfo.patientContact';

const rules: readonly FieldRule[] = [
  { field: 'siteId', message: 'Site not found', holds: (value) => /^(?!(?:0|9999)$)[\w-]+$/.test(String(value ?? '')) },
  { field: 'patientInfo.status', message: 'must be AVAILABLE', holds: (value) => value === 'AVAILABLE' },
  { field: `${contact}.firstName`, message: 'is required', holds: (value) => filled(value) !== undefined },
  { field: `${contact}.lastName`, message: 'is required', holds: (value) => filled(value) !== undefined },
  {
    field: `${contact}.email`,
    message: 'email or cellPhone is required',
    holds: (value, body) => Boolean(value ?? fieldOf(body, `${contact}.cellPhone`)),
  },
  {
    field: 'patientInfo.birthDate',
    message: 'must be DD-MON-YYYY',
    holds: (value) => value === undefined || /^\d{2}-[A-Z]{3}-\d{4}$/.test(String(value)),
  },
  { field: 'patientInfo.sex', message: 'must be upper case', holds: (value) => value === undefined || /^[A-Z]+$/.test(String(value)) },
  {
    field: 'studies',
    message: 'Study not found',
    holds: (value) => value === undefined || studiesOf(value).every(({ studyId }) => filled(studyId) && studyId !== '9999'),
  },
];

const exportColumns: readonly ExportColumn[] = [
  'patientId',
  'revision',
  'region',
  'siteId',
  ['firstName', `${contact}.firstName`],
  ['lastName', `${contact}.lastName`],
  ['email', `${contact}.email`],
  ['cellPhone', `${contact}.cellPhone`],
  ['homePhone', `${contact}.homePhone`],
  ['workPhone', `${contact}.workPhone`],
  ['birthDate', 'patientInfo.birthDate'],
  ['status', 'patientInfo.status'],
  'createdAt',
  'updatedAt',
];

const studiesOf = (value: unknown): JsonBody[] => (Array.isArray(value) ? value.filter(isObject).map((study) => ({ ...study })) : [{}]);

const refusal = (errors: readonly JsonBody[]): SimulatedAnswer => ({ status: 400, body: { errors } });
const emailOf = ({ text }: SimulatedRequest): string => filled(fieldOf(jsonObject(text) ?? {}, `${contact}.email`)) ?? '';

export function createRecruitment(nextId: NextId): Simulator {
  let patients: Patient[] = [];

  function take({ params, query, bearer, text }: SimulatedRequest, copies: Copies): SimulatedAnswer {
    if (!isAcceptedCredential(bearer)) return { status: 401, body: { message: 'Unauthorized' } };
    const body = jsonObject(text);
    if (!body) return refusal([{ field: '', message: 'The body is not a JSON object' }]);
    const noClient = query.get('client_id') ? [] : [{ field: 'client_id', message: 'is required' }];
    const errors = [...noClient, ...violatedRules(rules, body)];
    if (errors.length > 0) return refusal(errors);

    const created = createPatient(params.region ?? '', body);
    const patient = findSame(created) ?? created;
    const stored = Array.from({ length: copies }, (_, at) => (at === 0 ? patient : createPatient(patient.region, body)));
    for (const one of stored) addRevision(one, body);
    const { patientId, siteId } = patient;
    const revision = stored.length > 0 ? patient.revision : patient.revision + 1;
    const studies = studiesOf(body.studies ?? []).map((study) => ({ ...study, subjectId: String(nextId()) }));
    const patientInfo = { patientId, ...(body.patientInfo as JsonBody) };
    return { status: 200, body: { siteId, revision, patientInfo, ...(studies.length > 0 && { studies }) } };
  }

  function createPatient(region: string, body: JsonBody): Patient {
    const email = String(fieldOf(body, `${contact}.email`) ?? '').toLowerCase();
    const now = new Date().toISOString();
    return {
      patientId: String(nextId()),
      revision: 0,
      region,
      siteId: String(body.siteId),
      email,
      leads: [],
      createdAt: now,
      updatedAt: now,
    };
  }

  /** The same e-mail at the same site of a region is the same patient with a new revision. */
  const findSame = ({ region, siteId, email }: Patient): Patient | undefined =>
    patients.find((one) => email && one.region === region && one.siteId === siteId && one.email === email);

  function addRevision(patient: Patient, body: JsonBody): void {
    if (!patients.includes(patient)) patients.push(patient);
    patient.leads.push(body);
    patient.revision = patient.leads.length;
    patient.updatedAt = new Date().toISOString();
  }

  const call: SimulatedCall = {
    name: 'recruit',
    method: 'post',
    path: '/recruitment/:region/api/v1/patient',
    about: 'accepts a patient in a region',
    readsSentinelsFrom: '`email`',
    sentinelTexts: (request) => [emailOf(request)],
    answer: take,
    errorBody: (status, message) => (status === 401 ? { message: 'Unauthorized' } : { errors: [{ field: '', message }] }),
    refused: { status: 200, body: { errors: [{ field: 'siteId', message: 'Site not found' }] } },
    essential: ['siteId', 'patientInfo'],
  };
  return {
    name: 'recruitment',
    calls: [call],
    state: () => patients,
    csv: () =>
      csvExport(
        exportColumns,
        patients.map(({ leads, ...patient }) => ({ ...leads.at(-1), ...patient })),
      ),
    revokeKeys: () => 0,
    reset: () => void (patients = []),
  };
}
