/** Group C: the routes of the lead forms, in production and as a sandbox variant, and the list of their sites. */
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
  contact,
  credential,
  email,
  integer,
  isoDay,
  longest,
  personName,
  prose,
  proseOrNumber,
  reachable,
  required,
  text,
  textOrNumber,
  type Refine,
  url,
} from './fields';
import { allGiven, oneGiven } from './json-schema';

const group = 'C. Lead forms';
const object = z.record(z.string(), z.unknown());

const pairs = Array.from({ length: mostQuestions }, (_, at) => [
  [`question_${at + 1}`, prose({ description: `question ${at + 1}, in words` })],
  [`answer_${at + 1}`, proseOrNumber({ description: 'its answer' })],
]).flat();

const atMostFifteen: Refine = (record, wrong) => {
  for (const [name, value] of Object.entries(record)) {
    const [, number] = /^(?:question|answer)_(\d+)$/.exec(name) ?? [];
    if (Number(number) > mostQuestions && !isAbsent(value)) wrong(name, `there can be at most ${mostQuestions} questions and answers`);
  }
};

const input = body(
  {
    site: text({ description: 'name of a known site, or its slug: fills key, form_code, account_id, location_id and source_url' }),
    location: text({ description: 'the same, where site is not given; part of the campaign name' }),
    sponsor: text({ description: 'sponsor; part of the campaign name' }),
    protocol: text({ description: 'protocol; part of the campaign name' }),
    email: email({ description: 'e-mail; this or phone_number is required' }),
    phone_number: textOrNumber({ description: 'phone, sent as it is', maxLength: longest.phone }),
    first_name: required(personName({ description: 'first name' })),
    last_name: required(personName({ description: 'last name' })),
    postal_code: textOrNumber({ description: 'postal code' }),
    date_of_birth: isoDay({ description: 'birth date, YYYY-MM-DD, real and not in the future' }),
    gender: text({ description: 'gender, sent as it is' }),
    recruitment_status: text({ description: 'such as Qualified' }),
    i_agree: boolean({ description: 'whether the person consents' }),
    patient_photo_url: url({ description: 'where a photo is' }),
    key: credential({ description: "key of the form; the site's own where it is left out. It is in no answer" }),
    form_code: textOrNumber({ description: "the form; the site's own where it is left out" }),
    account_id: integer({ description: "the account; the site's own where it is left out" }),
    location_id: textOrNumber({ description: "the location; the site's own where it is left out" }),
    source_url: text({
      maxLength: longest.url,
      description: "the page the lead came from, sent as it is; the site's own where it is left out",
    }),
    campaign_name: text({ description: 'campaign; built from sponsor, protocol and location where it is left out' }),
    ...Object.fromEntries(pairs),
  },
  [reachable('phone_number'), atMostFifteen],
).meta({ allOf: [contact('phone_number'), { anyOf: [oneGiven('site', 'location'), allGiven(filledFromSite)] }] });

const sent = z.object({ success: z.literal(true), message: z.string(), leadformsResponse: object });
const bounced = z.object({ success: z.literal(true), bounceMode: z.literal(true), message: z.string(), payload: object });

const send = (flow: ForwardFlow, path: string, summary: string, output: z.ZodType) =>
  endpoint({
    method: 'post',
    path,
    group,
    summary,
    carried: 'lead',
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
  sendToLeadforms: send('leadforms', '/api/scr/send-to-leadforms', 'Send a lead to the lead forms of a site', sent),
  sendToLeadformsSandbox: send(
    'leadforms-sandbox',
    '/api/scr-sandbox/send-to-leadforms',
    'The same in the sandbox variant; in bounce mode nothing is sent and the payload comes back',
    z.union([sent, bounced]),
  ),
  listLeadformsSites: endpoint({
    method: 'get',
    path: '/api/scr/sites',
    group,
    summary: 'The sites that are known, each with its configuration; of the key only whether it is set',
    carried: 'here',
    errors: [],
    tellsSandbox: true,
    input: z.object({}),
    output: z.object({ success: z.literal(true), count: z.int(), sites: z.array(site) }),
  }),
} as const;
