/** Written by `npm run reference` from src/contract. */
import type { Calls } from '../types.ts';

export type SendPatientInput = {
  /** the platform's key; default: the key of the server. No answer contains it */
  key?: string | null;
  /** an alias of key */
  apiKey?: string | null;
  /** an alias of key */
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
  /** phone; only its digits are sent */
  phone_number?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future; sent as YYYY-MM-DD */
  date_of_birth?: string | null;
  /** postal code */
  postal_code?: string | number | null;
  /** gender, sent unchanged */
  gender?: string | null;
  /** used as gender if that is absent */
  sex?: string | null;
  /** race, as free text; mapped to the platform's values */
  race?: string | null;
  /** ethnicity, sent unchanged */
  ethnicity?: string | null;
  /** height in height_unit, as a number or a number in text */
  height?: number | string | null;
  /** unit of height; default in */
  height_unit?: string | null;
  /** weight in weight_unit, as a number or a number in text */
  weight?: number | string | null;
  /** unit of weight; default lb */
  weight_unit?: string | null;
  /** status, as free text; sent as Referral, or as Not eligible if it says so */
  recruitment_status?: string | null;
  /** the questions and answers; or use question_1, answer_1, … */
  questions?: readonly {
    question?: string | number | null;
    answer?: string | number | null;
  }[] | null;
  /** a numbered question or answer */
  [numbered: `question_${number}`]: unknown;
  /** a numbered question or answer */
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
