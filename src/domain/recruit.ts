/** Maps leads of group B: makes the recruitment system's patient from a caller's lead, and reads its answers. */
import { date, isObject, monthDate, present, sex, text, Wrong } from './formats';
import { refusedInside, type Forwarder } from './forward';
import type { JsonObject } from './lead';
import { by, caller, mapped, type Mapped, type Row } from './mapping';

export const environments = ['sandbox', 'us', 'canada', 'australia', 'europe'] as const;

const contact = 'patientInfo.patientContact';
const referral = 'patientInfo.patientReferralSource';

const rows: readonly Row<{ readonly body: JsonObject }>[] = [
  ['siteId', caller('siteId')],
  ['patientInfo.status', by('rule', () => 'AVAILABLE')],
  ['patientInfo.birthDate', caller('dob', birthDate)],
  ['patientInfo.sex', caller('sex', spelledOut)],
  [`${contact}.firstName`, caller('firstName')],
  [`${contact}.lastName`, caller('lastName')],
  [`${contact}.email`, caller('email')],
  [`${contact}.cellPhone`, caller('phone')],
  [`${contact}.homePhone`, caller('homePhone')],
  [`${contact}.workPhone`, caller('workPhone')],
  [`${contact}.postalCode`, caller('postalCode')],
  [`${referral}.patientReferralSourceCategoryKey`, caller('patientReferralSourceCategoryKey')],
  [`${referral}.patientReferralSourceKey`, caller('patientReferralSourceKey')],
  ['studies', by('caller', ({ body }) => studies(body))],
];

export const recruitPayload = (body: JsonObject): Mapped => mapped(rows, { body });

function birthDate(dob: string): string | undefined {
  const read = date(dob);
  return read instanceof Wrong ? undefined : monthDate(read);
}

function spelledOut(given: string): string {
  const known = sex(given);
  if (!known) return given.toUpperCase();
  return known === 'M' ? 'MALE' : 'FEMALE';
}

/** The statuses belong to a study, so they are left out without one. */
function studies({ studyId, subjectStatus, recruitmentStatus }: JsonObject): readonly JsonObject[] | undefined {
  return studyId === undefined ? undefined : [present({ studyId, subjectStatus, recruitmentStatus })];
}

export const recruit: Forwarder = {
  who: 'The recruitment system',
  credential: 'bearerToken',
  payloadField: 'recruitPayload',
  responseField: 'recruitResponse',
  read(body) {
    if (refusedInside(body)) return { refused: true };
    if (!isObject(body) || !isObject(body.patientInfo)) return undefined;
    const patientId = text(body.patientInfo.patientId);
    return patientId ? { accepted: { response: body, patientId } } : undefined;
  },
  confirmed: (patientId) => ({ patientInfo: { patientId } }),
};
