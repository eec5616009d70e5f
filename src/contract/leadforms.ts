/** Group C: lead forms, in production and in a sandbox variant, and the sites whose configuration fills them. */
import { z } from 'zod';
import { isAbsent } from '../domain/formats';
import { mostQuestions } from '../domain/leadforms';
import type { ForwardFlow } from '../domain/forward';
import { forwardUrl } from '../needs';
import { endpoint } from './endpoint';
import { body, boolean, credential, email, integer, isoDay, reachable, required, text, textOrNumber, url, type Refine } from './fields';

const group = 'C. Lead forms';
const object = z.record(z.string(), z.unknown());

const pairs = Array.from({ length: mostQuestions }, (_, at) => [
  [`question_${at + 1}`, text()],
  [`answer_${at + 1}`, textOrNumber()],
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
    sponsor: text(),
    protocol: text(),
    email: email(),
    phone_number: textOrNumber(),
    first_name: required(text()),
    last_name: required(text()),
    postal_code: textOrNumber(),
    date_of_birth: isoDay(),
    gender: text(),
    recruitment_status: text(),
    i_agree: boolean(),
    patient_photo_url: url(),
    key: credential(),
    form_code: textOrNumber(),
    account_id: integer(),
    location_id: textOrNumber(),
    source_url: url(),
    campaign_name: text(),
    ...Object.fromEntries(pairs),
  },
  [reachable('phone_number'), atMostFifteen],
);

const sent = z.object({ success: z.literal(true), message: z.string(), leadformsResponse: object });
const bounced = z.object({ success: z.literal(true), bounceMode: z.literal(true), message: z.string(), payload: object });

const send = (flow: ForwardFlow, path: string, summary: string, output: z.ZodType) =>
  endpoint({
    method: 'post',
    path,
    group,
    summary,
    carried: 'lead',
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
    input: z.object({}),
    output: z.object({ success: z.literal(true), count: z.int(), sites: z.array(site) }),
  }),
} as const;
