/** Written by `npm run reference` from src/contract. */
import type { Calls } from '../types.ts';

export type SendToRecruitInput = {
  /** token of the environment, without the word Bearer. No answer contains it */
  bearerToken: string;
  /** client of the recruitment system */
  clientId: string | number;
  /** site of the recruitment system */
  siteId: string | number;
  /** environment that receives the lead, in any case */
  environment: 'sandbox' | 'us' | 'canada' | 'australia' | 'europe';
  /** first name */
  firstName: string;
  /** last name */
  lastName: string;
  /** e-mail; this or phone is required */
  email?: string | null;
  /** mobile number in any punctuation; ten digits are sent as XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** Male or Female; M and F are sent as words */
  sex?: string | null;
  /** postal code */
  postalCode?: string | number | null;
  /** in the same form as phone */
  homePhone?: string | number | null;
  /** in the same form as phone */
  workPhone?: string | number | null;
  /** study of the recruitment system; without it, subjectStatus and recruitmentStatus are not sent */
  studyId?: string | number | null;
  /** such as INTERESTED or ENROLLED */
  subjectStatus?: string | null;
  /** such as INTERESTED or PROSPECT */
  recruitmentStatus?: string | null;
  /** category of the referral source */
  patientReferralSourceCategoryKey?: number | string | null;
  /** the referral source */
  patientReferralSourceKey?: number | string | null;
  [name: string]: unknown;
};

export type SendToRecruitOutput = {
  success: true;
  recruitPayload: Readonly<Record<string, unknown>>;
  recruitResponse: Readonly<Record<string, unknown>>;
};

export const recruitmentSystem = (calls: Calls) => ({
  /** Send a lead to the recruitment system. */
  sendToRecruit: calls.lead<SendToRecruitInput, SendToRecruitOutput>('/api/recruit/send-to-recruit'),
});
