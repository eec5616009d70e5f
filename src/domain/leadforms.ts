/** Maps leads of group C: makes the form from a caller's lead and its site's configuration, and reads the lead-form system's answers. */
import { isAbsent, isObject, slugOf } from './formats';
import { secretPlaceholder, noSuccess, readSuccess, type Forwarder } from './forward';
import type { JsonObject } from './lead';
import { fromOrigin, fromCaller, mapFields, type MappedPayload, type MappingRow } from './mapping';
import { notAnObject } from './outcome';

/** A site's configuration without its key, which only the sending activity reads. */
export interface Site {
  readonly slug: string;
  readonly name: string;
  readonly form_code: string;
  readonly account_id: number;
  readonly location_id: string;
  readonly source_url: string;
}

export interface LeadformsSetup {
  readonly body: JsonObject;
  readonly site?: Site;
  readonly campaignTemplate: string;
  /** The key is sent in the body, not in a header. */
  readonly keyInBody: boolean;
}

export const filledFromSite = ['key', 'form_code', 'account_id', 'location_id', 'source_url'] as const;
export const mostQuestions = 15;

const siteRow = (name: Exclude<keyof Site, 'slug' | 'name'>): MappingRow<LeadformsSetup> => [
  name,
  fromCaller(name),
  fromOrigin('site configuration', ({ site }) => site?.[name]),
];
const callerRow = (name: string): MappingRow<LeadformsSetup> => [name, fromCaller(name)];
const pairs = Array.from({ length: mostQuestions }, (_, at) => [`question_${at + 1}`, `answer_${at + 1}`]).flat();

const rows: readonly MappingRow<LeadformsSetup>[] = [
  [
    'key',
    fromOrigin('caller', ({ body, keyInBody }) => (keyInBody && body.key !== undefined ? secretPlaceholder : undefined)),
    fromOrigin('site configuration', ({ keyInBody }) => (keyInBody ? secretPlaceholder : undefined)),
  ],
  siteRow('form_code'),
  siteRow('account_id'),
  siteRow('location_id'),
  siteRow('source_url'),
  ['campaign_name', fromCaller('campaign_name'), fromOrigin('rule', campaignName)],
  callerRow('first_name'),
  callerRow('last_name'),
  callerRow('email'),
  callerRow('phone_number'),
  callerRow('postal_code'),
  callerRow('date_of_birth'),
  callerRow('gender'),
  callerRow('recruitment_status'),
  callerRow('i_agree'),
  callerRow('patient_photo_url'),
  ...pairs.map(callerRow),
];

/** Makes the payload. `key` is concealed; the sending activity fills in the real one. */
export const leadformsPayload = (setup: LeadformsSetup): MappedPayload => mapFields(rows, setup);

/** Undefined without a sponsor, a protocol or a place. The place is the configured site's name, or else the caller's value. */
function campaignName({ body, site, campaignTemplate }: LeadformsSetup): string | undefined {
  const words = { sponsor: body.sponsor, protocol: body.protocol, location: site?.name ?? body.location ?? body.site };
  if (Object.values(words).some(isAbsent)) return undefined;
  return campaignTemplate.replace(/\{(sponsor|protocol|location)\}/g, (_, name: keyof typeof words) => String(words[name]));
}

/** The slugs of a site, with `&` left out or written as "and": `skin-beauty-center` and `skin-and-beauty-center` are one. */
export const slugsOf = ({ slug, name }: Pick<Site, 'slug' | 'name'>): readonly string[] => [
  ...new Set([slug, slugOf(name), slugOf(name.replaceAll('&', ' and '))]),
];

export const leadforms: Forwarder = {
  who: 'The lead-form system',
  credential: 'key',
  responseField: 'leadformsResponse',
  read(body) {
    if (!isObject(body)) return notAnObject;
    if (readSuccess(body) === false) return { refused: true };
    return readSuccess(body) ? { accepted: { response: body } } : noSuccess;
  },
  confirmed: (submission_id) => ({ success: true, submission_id }),
};
