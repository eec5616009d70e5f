/** Computes the answers of the simulated V2 to callers with a valid key. */
import { filled, jsonObject, type Copies, type SimulatedAnswer, type JsonBody, type SimulatedRequest } from './call';
import { patientsOf, type SimulatedInstance, type Patient } from './clinicsys-store';

const codes: Record<number, string> = {
  401: 'UNAUTHORIZED',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  422: 'VALIDATION_ERROR',
  429: 'RATE_LIMITED',
};

export function lookUp(instance: SimulatedInstance, { query }: SimulatedRequest): SimulatedAnswer {
  const email = query.get('email')?.trim();
  if (!email) return failure(422, 'email is required');
  return list(patientsOf(instance, email).map(({ subject }) => subject));
}

export function addComment(instance: SimulatedInstance, { params, text }: SimulatedRequest, copies: Copies): SimulatedAnswer {
  const patient = findAnswered(instance, params.id);
  if (!patient) return failure(404, 'Unknown subject');
  const comment = filled(jsonObject(text)?.comment);
  if (!comment) return failure(422, 'comment is required');
  patient.comments.push(...Array.from({ length: copies }, () => comment));
  return { status: 201, body: { data: { subjectId: patient.subject.subjectId, comment }, error: {}, links: {} } };
}

export function readComments(instance: SimulatedInstance, { params }: SimulatedRequest): SimulatedAnswer {
  const patient = findPatient(instance, params.id);
  if (!patient) return failure(404, 'Unknown subject');
  return list(patient.comments.map((comment) => ({ subjectId: patient.subject.subjectId, comment })));
}

export function reportStatuses(instance: SimulatedInstance, { query }: SimulatedRequest): SimulatedAnswer {
  const subjectId = query.get('subjectID') ?? '';
  if (!/^\d+$/.test(subjectId)) return failure(422, 'subjectID must be a number');
  const patient = findPatient(instance, subjectId);
  return patient ? list(patient.statuses) : failure(404, 'Unknown subject');
}

export function listReferrers({ sites, referralSources }: SimulatedInstance, { params }: SimulatedRequest): SimulatedAnswer {
  const isNamed = ({ siteName }: { siteName: string }) => siteName.toLowerCase() === params.siteName?.toLowerCase();
  return sites.some(isNamed) ? list(referralSources.filter(isNamed)) : failure(404, 'Unknown site');
}

export function ofSite<Item extends { siteName: string }>(items: readonly Item[], { query }: SimulatedRequest): Item[] {
  const siteName = query.get('siteName')?.trim().toLowerCase();
  return items.filter((item) => !siteName || item.siteName.toLowerCase() === siteName);
}

function findPatient(instance: SimulatedInstance | undefined, id: string | null | undefined): Patient | undefined {
  return instance?.patients.get(Number(id));
}

/** The patient that V1 answered with this id, stored or not. */
const findAnswered = (instance: SimulatedInstance | undefined, id: string | null | undefined): Patient | undefined =>
  findPatient(instance, id) ?? instance?.forgotten.get(Number(id));

export const emailOf = (instance: SimulatedInstance | undefined, id: string | null | undefined) =>
  findAnswered(instance, id)?.subject.email ?? '';

export function list(data: readonly unknown[]): SimulatedAnswer {
  return { status: 200, body: { data, error: {}, meta: { totalItems: data.length }, links: {} } };
}

export const failure = (status: number, message: string): SimulatedAnswer => ({ status, body: errorBody(status, message) });
export const unauthorized = () => failure(401, 'Invalid or expired key');

export function errorBody(status: number, message: string): JsonBody {
  return { data: null, error: { code: codes[status] ?? 'INTERNAL_ERROR', message }, meta: { totalItems: 0 }, links: {} };
}
