/** Maps leads of group B: makes the recruitment system's patient from a caller's lead, and reads its answers. */
import { date, isObject, monthDate, withoutUndefined, sex, text, InvalidValue } from './formats';
import { isRefusalBody, type Forwarder } from './forward';
import type { JsonObject } from './lead';
import { fromOrigin, fromCaller, mapFields, type MappedPayload, type MappingRow } from './mapping';
import { notAnObject, unclear } from './outcome';

export const environments = ['sandbox', 'us', 'canada', 'australia', 'europe'] as const;

const contact = 'patientInfo.patientContact';
const referral = 'patientInfo.patientReferralSource';

const rows: readonly MappingRow<{ readonly body: JsonObject }>[] = [
  ['siteId', fromCaller('siteId')],
  ['patientInfo.status', fromOrigin('rule', () => 'AVAILABLE')],
  ['patientInfo.birthDate', fromCaller('dob', birthDate)],
  ['patientInfo.sex', fromCaller('sex', sexInWords)],
  [`${contact}.firstName`, fromCaller('firstName')],
  [`${contact}.lastName`, fromCaller('lastName')],
  [`${contact}.email`, fromCaller('email')],
  [`${contact}.cellPhone`, fromCaller('phone')],
  [`${contact}.homePhone`, fromCaller('homePhone')],
  [`${contact}.workPhone`, fromCaller('workPhone')],
  [`${contact}.postalCode`, fromCaller('postalCode')],
  [`${referral}.patientReferralSourceCategoryKey`, fromCaller('patientReferralSourceCategoryKey')],
  [`${referral}.patientReferralSourceKey`, fromCaller('patientReferralSourceKey')],
  ['studies', fromOrigin('caller', ({ body }) => studies(body))],
];

export const recruitPayload = (body: JsonObject): MappedPayload => mapFields(rows, { body });

function birthDate(dob: string): string | undefined {
  const read = date(dob);
  return read instanceof InvalidValue ? undefined : monthDate(read);
}

function sexInWords(given: string): string {
  const known = sex(given);
  if (!known) return given.toUpperCase();
  return known === 'M' ? 'MALE' : 'FEMALE';
}

/** The statuses belong to a study, so they are left out without one. */
function studies({ studyId, subjectStatus, recruitmentStatus }: JsonObject): readonly JsonObject[] | undefined {
  return studyId === undefined ? undefined : [withoutUndefined({ studyId, subjectStatus, recruitmentStatus })];
}

export const recruit: Forwarder = {
  who: 'The recruitment system',
  credential: 'bearerToken',
  payloadField: 'recruitPayload',
  responseField: 'recruitResponse',
  read(body) {
    if (isRefusalBody(body)) return { refused: true };
    if (!isObject(body)) return notAnObject;
    if (!isObject(body.patientInfo)) return unclear(body.patientInfo, 'patientInfo', 'an object');
    const patientId = text(body.patientInfo.patientId);
    return patientId
      ? { accepted: { response: body, patientId } }
      : unclear(body.patientInfo.patientId, 'patientInfo.patientId', 'a text or a number');
  },
  confirmed: (patientId) => ({ patientInfo: { patientId } }),
};
