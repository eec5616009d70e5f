/** Group E: defines the toolkit routes, which look up data in the site system. */
import { z } from 'zod';
import { account, group, instanceName, keyService, uses, v2 } from './clinicsys-record';
import { endpoint } from './endpoint';
import { upstreamErrors } from './errors';
import { email, integer, matching, required, text } from './fields';

const object = z.record(z.string(), z.unknown());
const found = z.object({ success: z.literal(true), data: z.array(object), error: object, meta: object });
const list = found.extend({ count: z.int() });
const listInput = z.object({
  instanceName: required(instanceName()),
  account: account(),
  siteName: text({ description: 'return only data of this site' }),
});
const siteListInput = listInput.extend({
  siteName: required(
    matching(/^(?!\.{1,2}$)/, 'must be the name of a site', {
      description: 'name of the site, as listed by /api/clinicsys/toolkit/sites',
      pattern: '^(?!\\s*\\.{1,2}\\s*$)[\\s\\S]*\\S',
    }),
  ),
});

const toolkit = (
  method: 'get' | 'post',
  path: string,
  summary: string,
  input: z.ZodType,
  output: z.ZodType,
  example: Readonly<Record<string, unknown>>,
  showsRecord?: true,
) =>
  endpoint({
    method,
    path: `/api/clinicsys/toolkit/${path}`,
    group,
    summary,
    handledBy: 'call',
    errors: method === 'get' ? upstreamErrors : [...upstreamErrors, 'IDEMPOTENCY_KEY_REUSED'],
    uses: uses(keyService, v2),
    input,
    output,
    example,
    showsRecord,
  });

const instance = { instanceName: 'erg-oct' };
const site = { ...instance, siteName: 'Boca Raton Clinical Research' };

export const clinicsysToolkit = {
  getSubjects: toolkit(
    'post',
    'get-subjects',
    'Look up a subject by e-mail',
    z.object({
      account: account(),
      instanceName: required(instanceName()),
      email: required(email({ description: 'e-mail of the subject' })),
    }),
    found.extend({ emailExists: z.boolean() }),
    { ...instance, email: 'ann.lee@example.org' },
    true,
  ),
  getPatientStatuses: toolkit(
    'post',
    'get-patient-statuses',
    'Get the patient statuses report of a subject',
    z.object({
      account: account(),
      instanceName: required(instanceName()),
      subjectID: required(integer({ description: 'id of the subject' })),
    }),
    found,
    { ...instance, subjectID: 139712 },
    true,
  ),
  listSites: toolkit('get', 'sites', 'List the sites', listInput, list, instance),
  listStudies: toolkit('get', 'studies', 'List the studies', listInput, list, instance),
  listInterviewQuestions: toolkit('get', 'interview-questions', 'List the interview questions', listInput, list, instance),
  listReferralSources: toolkit('get', 'referral-sources/{siteName}', 'List the referral sources of a site', siteListInput, list, site),
  getSites: toolkit('post', 'get-sites', 'List the sites', listInput, list, instance),
  getStudies: toolkit('post', 'get-studies', 'List the studies', listInput, list, instance),
  getInterviewQuestions: toolkit('post', 'get-interview-questions', 'List the interview questions', listInput, list, instance),
  getReferralSources: toolkit('post', 'get-referral-sources', 'List the referral sources of a site', siteListInput, list, site),
} as const;
