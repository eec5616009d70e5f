/** Group C: defines the routes that send to the lead forms, in production and in the sandbox variant, and the route that lists their sites. */
import { z } from 'zod';
import { forwardUrl } from '../config/upstreams';
import { isAbsent } from '../domain/formats';
import type { ForwardFlow } from '../domain/forward';
import { filledFromSite, mostQuestions } from '../domain/leadforms';
import { endpoint } from './endpoint';
import { leadErrors } from './errors';
import {
  body,
  boolean,
  contactSchema,
  credential,
  email,
  integer,
  isoDay,
  longest,
  personName,
  prose,
  proseOrNumber,
  requireContact,
  required,
  text,
  textOrNumber,
  type Refine,
  url,
} from './fields';
import { requireAll, requireAny } from './json-schema';

const group = 'C. Lead forms';
const object = z.record(z.string(), z.unknown());

const pairs = Array.from({ length: mostQuestions }, (_, at) => [
  [`question_${at + 1}`, prose({ description: `question ${at + 1}, as text` })],
  [`answer_${at + 1}`, proseOrNumber({ description: 'the answer to it' })],
]).flat();

const limitQuestions: Refine = (record, wrong) => {
  for (const [name, value] of Object.entries(record)) {
    const [, number] = /^(?:question|answer)_(\d+)$/.exec(name) ?? [];
    if (Number(number) > mostQuestions && !isAbsent(value)) wrong(name, `there can be at most ${mostQuestions} questions and answers`);
  }
};

const input = body(
  {
    site: text({ description: 'name or slug of a configured site, which supplies key, form_code, account_id, location_id and source_url' }),
    location: text({ description: 'used as site if that is absent; part of the campaign name' }),
    sponsor: text({ description: 'sponsor; part of the campaign name' }),
    protocol: text({ description: 'protocol; part of the campaign name' }),
    email: email({ description: 'e-mail; this or phone_number is required' }),
    phone_number: textOrNumber({ description: 'phone, sent unchanged', maxLength: longest.phone }),
    first_name: required(personName({ description: 'first name' })),
    last_name: required(personName({ description: 'last name' })),
    postal_code: textOrNumber({ description: 'postal code' }),
    date_of_birth: isoDay({ description: 'birth date, YYYY-MM-DD, real and not in the future' }),
    gender: text({ description: 'gender, sent unchanged' }),
    recruitment_status: text({ description: 'such as Qualified' }),
    i_agree: boolean({ description: 'true: the person consents' }),
    patient_photo_url: url({ description: 'URL of a photo' }),
    key: credential({ description: 'key of the form; default: the key of the site. No answer contains it' }),
    form_code: textOrNumber({ description: 'code of the form; default: that of the site' }),
    account_id: integer({ description: 'id of the account; default: that of the site' }),
    location_id: textOrNumber({ description: "the location; the site's own where it is left out" }),
    source_url: text({
      maxLength: longest.url,
      description: 'the page that the lead came from, sent unchanged; default: that of the site',
    }),
    campaign_name: text({ description: 'campaign; default: built from sponsor, protocol and location' }),
    ...Object.fromEntries(pairs),
  },
  [requireContact('phone_number'), limitQuestions],
).meta({ allOf: [contactSchema('phone_number'), { anyOf: [requireAny('site', 'location'), requireAll(filledFromSite)] }] });

const sent = z.object({ success: z.literal(true), message: z.string(), leadformsResponse: object });
const bounced = z.object({ success: z.literal(true), bounceMode: z.literal(true), message: z.string(), payload: object });

const send = (flow: ForwardFlow, path: string, summary: string, output: z.ZodType) =>
  endpoint({
    method: 'post',
    path,
    group,
    summary,
    handledBy: 'lead',
    errors: leadErrors,
    flow,
    uses: (given) => [forwardUrl(flow, given)],
    input,
    output,
    example: {
      site: 'Skin Care - Boca Raton',
      sponsor: 'Acme',
      protocol: 'AD-301',
      first_name: 'Ann',
      last_name: 'Lee',
      email: 'ann.lee@example.org',
      phone_number: '(555) 201-3344',
      date_of_birth: '1980-03-05',
      gender: 'F',
      recruitment_status: 'Qualified',
      i_agree: true,
      question_1: 'Have you had eczema for more than a year?',
      answer_1: 'Yes',
    },
  });

const site = z.object({
  slug: z.string(),
  name: z.string(),
  key: z.enum(['set', 'unset']),
  form_code: z.string(),
  account_id: z.int(),
  location_id: z.string(),
  source_url: z.string(),
});

export const leadforms = {
  sendToLeadforms: send('leadforms', '/api/scr/send-to-leadforms', 'Send a lead to the lead form of a site', sent),
  sendToLeadformsSandbox: send(
    'leadforms-sandbox',
    '/api/scr-sandbox/send-to-leadforms',
    'Send a lead to the sandbox variant of the lead forms; in bounce mode, return the payload without sending it',
    z.union([sent, bounced]),
  ),
  listLeadformsSites: endpoint({
    method: 'get',
    path: '/api/scr/sites',
    group,
    summary: 'List the configured sites; of a key, only whether it is set',
    handledBy: 'api',
    errors: [],
    reportsSandbox: true,
    input: z.object({}),
    output: z.object({ success: z.literal(true), count: z.int(), sites: z.array(site) }),
  }),
} as const;
