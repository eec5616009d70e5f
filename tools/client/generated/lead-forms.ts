/** Written by `npm run reference` from src/contract. */
import type { Calls, None } from '../types.ts';

export type SendToLeadformsInput = {
  /** name or slug of a configured site, which supplies key, form_code, account_id, location_id and source_url */
  site?: string | null;
  /** used as site if that is absent; part of the campaign name */
  location?: string | null;
  /** sponsor; part of the campaign name */
  sponsor?: string | null;
  /** protocol; part of the campaign name */
  protocol?: string | null;
  /** e-mail; this or phone_number is required */
  email?: string | null;
  /** phone, sent unchanged */
  phone_number?: string | number | null;
  /** first name */
  first_name: string;
  /** last name */
  last_name: string;
  /** postal code */
  postal_code?: string | number | null;
  /** birth date, YYYY-MM-DD, real and not in the future */
  date_of_birth?: string | null;
  /** gender, sent unchanged */
  gender?: string | null;
  /** such as Qualified */
  recruitment_status?: string | null;
  /** true: the person consents */
  i_agree?: boolean | null;
  /** URL of a photo */
  patient_photo_url?: string | null;
  /** key of the form; default: the key of the site. No answer contains it */
  key?: string | null;
  /** code of the form; default: that of the site */
  form_code?: string | number | null;
  /** id of the account; default: that of the site */
  account_id?: number | string | null;
  /** the location; the site's own where it is left out */
  location_id?: string | number | null;
  /** the page that the lead came from, sent unchanged; default: that of the site */
  source_url?: string | null;
  /** campaign; default: built from sponsor, protocol and location */
  campaign_name?: string | null;
  /** question 1, as text */
  question_1?: string | null;
  /** the answer to it */
  answer_1?: string | number | null;
  /** question 2, as text */
  question_2?: string | null;
  /** the answer to it */
  answer_2?: string | number | null;
  /** question 3, as text */
  question_3?: string | null;
  /** the answer to it */
  answer_3?: string | number | null;
  /** question 4, as text */
  question_4?: string | null;
  /** the answer to it */
  answer_4?: string | number | null;
  /** question 5, as text */
  question_5?: string | null;
  /** the answer to it */
  answer_5?: string | number | null;
  /** question 6, as text */
  question_6?: string | null;
  /** the answer to it */
  answer_6?: string | number | null;
  /** question 7, as text */
  question_7?: string | null;
  /** the answer to it */
  answer_7?: string | number | null;
  /** question 8, as text */
  question_8?: string | null;
  /** the answer to it */
  answer_8?: string | number | null;
  /** question 9, as text */
  question_9?: string | null;
  /** the answer to it */
  answer_9?: string | number | null;
  /** question 10, as text */
  question_10?: string | null;
  /** the answer to it */
  answer_10?: string | number | null;
  /** question 11, as text */
  question_11?: string | null;
  /** the answer to it */
  answer_11?: string | number | null;
  /** question 12, as text */
  question_12?: string | null;
  /** the answer to it */
  answer_12?: string | number | null;
  /** question 13, as text */
  question_13?: string | null;
  /** the answer to it */
  answer_13?: string | number | null;
  /** question 14, as text */
  question_14?: string | null;
  /** the answer to it */
  answer_14?: string | number | null;
  /** question 15, as text */
  question_15?: string | null;
  /** the answer to it */
  answer_15?: string | number | null;
  [name: string]: unknown;
};

export type SendToLeadformsOutput = {
  success: true;
  message: string;
  leadformsResponse: Readonly<Record<string, unknown>>;
};

export type SendToLeadformsSandboxInput = SendToLeadformsInput;

export type SendToLeadformsSandboxOutput = {
  success: true;
  message: string;
  leadformsResponse: Readonly<Record<string, unknown>>;
} | {
  success: true;
  bounceMode: true;
  message: string;
  payload: Readonly<Record<string, unknown>>;
};

export type ListLeadformsSitesOutput = {
  success: true;
  count: number;
  sites: readonly {
    slug: string;
    name: string;
    key: 'set' | 'unset';
    form_code: string;
    account_id: number;
    location_id: string;
    source_url: string;
  }[];
};

export const leadForms = (calls: Calls) => ({
  /** Send a lead to the lead form of a site. */
  sendToLeadforms: calls.lead<SendToLeadformsInput, SendToLeadformsOutput>('/api/scr/send-to-leadforms'),
  /** Send a lead to the sandbox variant of the lead forms; in bounce mode, return the payload without sending it. */
  sendToLeadformsSandbox: calls.lead<SendToLeadformsSandboxInput, SendToLeadformsSandboxOutput>('/api/scr-sandbox/send-to-leadforms'),
  /** List the configured sites; of a key, only whether it is set. */
  listLeadformsSites: calls.get<None, ListLeadformsSitesOutput>('/api/scr/sites'),
});
