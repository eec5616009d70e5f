/** Written by `npm run reference` from src/contract. */
import type { Calls, None } from '../types.ts';

export type SendToLeadformsInput = {
  /** name of a known site, or its slug: fills key, form_code, account_id, location_id and source_url */
  site?: string | null;
  /** the same, where site is not given; part of the campaign name */
  location?: string | null;
  /** sponsor; part of the campaign name */
  sponsor?: string | null;
  /** protocol; part of the campaign name */
  protocol?: string | null;
  /** e-mail; this or phone_number is required */
  email?: string | null;
  /** phone, sent as it is */
  phone_number?: string | number | null;
  /** first name */
  first_name: string;
  /** last name */
  last_name: string;
  /** postal code */
  postal_code?: string | number | null;
  /** birth date, YYYY-MM-DD, real and not in the future */
  date_of_birth?: string | null;
  /** gender, sent as it is */
  gender?: string | null;
  /** such as Qualified */
  recruitment_status?: string | null;
  /** whether the person consents */
  i_agree?: boolean | null;
  /** where a photo is */
  patient_photo_url?: string | null;
  /** key of the form; the site's own where it is left out. It is in no answer */
  key?: string | null;
  /** the form; the site's own where it is left out */
  form_code?: string | number | null;
  /** the account; the site's own where it is left out */
  account_id?: number | string | null;
  /** the location; the site's own where it is left out */
  location_id?: string | number | null;
  /** the page the lead came from, sent as it is; the site's own where it is left out */
  source_url?: string | null;
  /** campaign; built from sponsor, protocol and location where it is left out */
  campaign_name?: string | null;
  /** question 1, in words */
  question_1?: string | null;
  /** its answer */
  answer_1?: string | number | null;
  /** question 2, in words */
  question_2?: string | null;
  /** its answer */
  answer_2?: string | number | null;
  /** question 3, in words */
  question_3?: string | null;
  /** its answer */
  answer_3?: string | number | null;
  /** question 4, in words */
  question_4?: string | null;
  /** its answer */
  answer_4?: string | number | null;
  /** question 5, in words */
  question_5?: string | null;
  /** its answer */
  answer_5?: string | number | null;
  /** question 6, in words */
  question_6?: string | null;
  /** its answer */
  answer_6?: string | number | null;
  /** question 7, in words */
  question_7?: string | null;
  /** its answer */
  answer_7?: string | number | null;
  /** question 8, in words */
  question_8?: string | null;
  /** its answer */
  answer_8?: string | number | null;
  /** question 9, in words */
  question_9?: string | null;
  /** its answer */
  answer_9?: string | number | null;
  /** question 10, in words */
  question_10?: string | null;
  /** its answer */
  answer_10?: string | number | null;
  /** question 11, in words */
  question_11?: string | null;
  /** its answer */
  answer_11?: string | number | null;
  /** question 12, in words */
  question_12?: string | null;
  /** its answer */
  answer_12?: string | number | null;
  /** question 13, in words */
  question_13?: string | null;
  /** its answer */
  answer_13?: string | number | null;
  /** question 14, in words */
  question_14?: string | null;
  /** its answer */
  answer_14?: string | number | null;
  /** question 15, in words */
  question_15?: string | null;
  /** its answer */
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
  /** Send a lead to the lead forms of a site. */
  sendToLeadforms: calls.lead<SendToLeadformsInput, SendToLeadformsOutput>('/api/scr/send-to-leadforms'),
  /** The same in the sandbox variant; in bounce mode nothing is sent and the payload comes back. */
  sendToLeadformsSandbox: calls.lead<SendToLeadformsSandboxInput, SendToLeadformsSandboxOutput>('/api/scr-sandbox/send-to-leadforms'),
  /** The sites that are known, each with its configuration; of the key only whether it is set. */
  listLeadformsSites: calls.get<None, ListLeadformsSitesOutput>('/api/scr/sites'),
});
