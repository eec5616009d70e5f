/** Written by `npm run reference` from src/contract. */
import type { Calls } from '../types.ts';

export type SendPatientInput = {
  /** the platform's key; without one the server's own is used. It is in no answer */
  key?: string | null;
  /** the same under another name */
  apiKey?: string | null;
  /** the same under another name */
  'x-api-key'?: string | null;
  /** study of the platform */
  study_id: number | string;
  /** site of the platform */
  site_id: number | string;
  /** e-mail; this or phone_number is required */
  email?: string | null;
  /** first name */
  first_name: string;
  /** last name */
  last_name: string;
  /** phone; its digits alone are sent */
  phone_number?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future; sent as YYYY-MM-DD */
  date_of_birth?: string | null;
  /** postal code */
  postal_code?: string | number | null;
  /** gender, sent as it is */
  gender?: string | null;
  /** the same, where gender is not given */
  sex?: string | null;
  /** in your own words; mapped to the platform's */
  race?: string | null;
  /** ethnicity, sent as it is */
  ethnicity?: string | null;
  /** height in height_unit, as a number or a number in text */
  height?: number | string | null;
  /** in, unless given */
  height_unit?: string | null;
  /** weight in weight_unit, as a number or a number in text */
  weight?: number | string | null;
  /** lb, unless given */
  weight_unit?: string | null;
  /** in your own words; sent as Referral or, where they say so, Not eligible */
  recruitment_status?: string | null;
  /** the answered questions; or question_1, answer_1, … */
  questions?: readonly {
    question?: string | number | null;
    answer?: string | number | null;
  }[] | null;
  /** a numbered pair */
  [numbered: `question_${number}`]: unknown;
  /** a numbered pair */
  [numbered: `answer_${number}`]: unknown;
  [name: string]: unknown;
};

export type SendPatientOutput = {
  success: true;
  message: string;
  screeningResponse: Readonly<Record<string, unknown>>;
};

export const screeningPlatform = (calls: Calls) => ({
  /** Send a patient to the screening platform. */
  sendPatient: calls.lead<SendPatientInput, SendPatientOutput>('/api/screening/send-patient'),
});
