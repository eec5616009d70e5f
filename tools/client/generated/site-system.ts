/** Written by `npm run reference` from src/contract. */
import type { Calls } from '../types.ts';

export type WithPrescreenInput = {
  /** account of the site system; ERG when it is left out */
  account?: 'ERG' | 'Futuro' | null;
  /** study of the site system */
  StudyID: number | string;
  /** referral source of the site system */
  ReferrerID: number | string;
  /** instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores */
  instanceName: string;
  /** first name */
  firstName: string;
  /** last name */
  lastName: string;
  /** e-mail */
  email: string;
  /** phone in any punctuation; ten digits are written XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female is sent as M or F; anything else stays in the record and is not sent */
  sex?: string | null;
  /** postal code */
  zipCode?: string | number | null;
  /** weight, for the comment */
  weight?: string | number | null;
  /** height, for the comment */
  height?: string | number | null;
  /** ethnicity, for the comment */
  ethnicity?: string | null;
  /** race, for the comment */
  race?: string | null;
  /** condition, for the comment; N/A where it is missing */
  condition?: string | null;
  /** protocol, for the comment; N/A where it is missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** where a photo is, for the comment */
  photoUpload?: string | null;
  /** Yes or No in any case, true or false, 1 or 0; 2 is no answer */
  [numbered: `q${number}`]: 'Yes' | 'No' | true | false | 0 | 1 | 2 | null | undefined;
  [name: string]: unknown;
};

export type WithPrescreenOutput = {
  [name: string]: unknown;
};

export type WithPrescreenGetApiKeyInput = {
  /** account of the site system; ERG when it is left out */
  account?: 'ERG' | 'Futuro' | null;
  /** study of the site system */
  StudyID?: number | string | null;
  /** referral source of the site system */
  ReferrerID?: number | string | null;
  /** instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores */
  instanceName: string;
  /** first name */
  firstName?: string | null;
  /** last name */
  lastName?: string | null;
  /** e-mail */
  email?: string | null;
  /** phone in any punctuation; ten digits are written XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female is sent as M or F; anything else stays in the record and is not sent */
  sex?: string | null;
  /** postal code */
  zipCode?: string | number | null;
  /** weight, for the comment */
  weight?: string | number | null;
  /** height, for the comment */
  height?: string | number | null;
  /** ethnicity, for the comment */
  ethnicity?: string | null;
  /** race, for the comment */
  race?: string | null;
  /** condition, for the comment; N/A where it is missing */
  condition?: string | null;
  /** protocol, for the comment; N/A where it is missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** where a photo is, for the comment */
  photoUpload?: string | null;
  /** Yes or No in any case, true or false, 1 or 0; 2 is no answer */
  [numbered: `q${number}`]: 'Yes' | 'No' | true | false | 0 | 1 | 2 | null | undefined;
  [name: string]: unknown;
};

export type WithPrescreenGetApiKeyOutput = WithPrescreenOutput;

export type WithPrescreenCheckEmailInput = {
  /** account of the site system; ERG when it is left out */
  account?: 'ERG' | 'Futuro' | null;
  /** study of the site system */
  StudyID?: number | string | null;
  /** referral source of the site system */
  ReferrerID?: number | string | null;
  /** instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores */
  instanceName: string;
  /** first name */
  firstName?: string | null;
  /** last name */
  lastName?: string | null;
  /** e-mail */
  email: string;
  /** phone in any punctuation; ten digits are written XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female is sent as M or F; anything else stays in the record and is not sent */
  sex?: string | null;
  /** postal code */
  zipCode?: string | number | null;
  /** weight, for the comment */
  weight?: string | number | null;
  /** height, for the comment */
  height?: string | number | null;
  /** ethnicity, for the comment */
  ethnicity?: string | null;
  /** race, for the comment */
  race?: string | null;
  /** condition, for the comment; N/A where it is missing */
  condition?: string | null;
  /** protocol, for the comment; N/A where it is missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** where a photo is, for the comment */
  photoUpload?: string | null;
  /** access key, from get-api-key */
  key: string;
  /** Yes or No in any case, true or false, 1 or 0; 2 is no answer */
  [numbered: `q${number}`]: 'Yes' | 'No' | true | false | 0 | 1 | 2 | null | undefined;
  [name: string]: unknown;
};

export type WithPrescreenCheckEmailOutput = WithPrescreenOutput;

export type WithPrescreenFormatDataInput = {
  /** account of the site system; ERG when it is left out */
  account?: 'ERG' | 'Futuro' | null;
  /** study of the site system */
  StudyID?: number | string | null;
  /** referral source of the site system */
  ReferrerID?: number | string | null;
  /** instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores */
  instanceName?: string | null;
  /** first name */
  firstName?: string | null;
  /** last name */
  lastName?: string | null;
  /** e-mail */
  email?: string | null;
  /** phone in any punctuation; ten digits are written XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female is sent as M or F; anything else stays in the record and is not sent */
  sex?: string | null;
  /** postal code */
  zipCode?: string | number | null;
  /** weight, for the comment */
  weight?: string | number | null;
  /** height, for the comment */
  height?: string | number | null;
  /** ethnicity, for the comment */
  ethnicity?: string | null;
  /** race, for the comment */
  race?: string | null;
  /** condition, for the comment; N/A where it is missing */
  condition?: string | null;
  /** protocol, for the comment; N/A where it is missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** where a photo is, for the comment */
  photoUpload?: string | null;
  /** Yes or No in any case, true or false, 1 or 0; 2 is no answer */
  [numbered: `q${number}`]: 'Yes' | 'No' | true | false | 0 | 1 | 2 | null | undefined;
  [name: string]: unknown;
};

export type WithPrescreenFormatDataOutput = WithPrescreenOutput;

export type WithPrescreenSendToRtInput = {
  /** account of the site system; ERG when it is left out */
  account?: 'ERG' | 'Futuro' | null;
  /** study of the site system */
  StudyID: number | string;
  /** referral source of the site system */
  ReferrerID: number | string;
  /** instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores */
  instanceName: string;
  /** first name */
  firstName: string;
  /** last name */
  lastName: string;
  /** e-mail */
  email?: string | null;
  /** phone in any punctuation; ten digits are written XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female is sent as M or F; anything else stays in the record and is not sent */
  sex?: string | null;
  /** postal code */
  zipCode?: string | number | null;
  /** weight, for the comment */
  weight?: string | number | null;
  /** height, for the comment */
  height?: string | number | null;
  /** ethnicity, for the comment */
  ethnicity?: string | null;
  /** race, for the comment */
  race?: string | null;
  /** condition, for the comment; N/A where it is missing */
  condition?: string | null;
  /** protocol, for the comment; N/A where it is missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** where a photo is, for the comment */
  photoUpload?: string | null;
  /** access key, from get-api-key */
  key: string;
  /** Yes or No in any case, true or false, 1 or 0; 2 is no answer */
  [numbered: `q${number}`]: 'Yes' | 'No' | true | false | 0 | 1 | 2 | null | undefined;
  [name: string]: unknown;
};

export type WithPrescreenSendToRtOutput = WithPrescreenOutput;

export type WithPrescreenSendCommentsInput = {
  /** account of the site system; ERG when it is left out */
  account?: 'ERG' | 'Futuro' | null;
  /** study of the site system */
  StudyID?: number | string | null;
  /** referral source of the site system */
  ReferrerID?: number | string | null;
  /** instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores */
  instanceName: string;
  /** first name */
  firstName?: string | null;
  /** last name */
  lastName?: string | null;
  /** e-mail */
  email?: string | null;
  /** phone in any punctuation; ten digits are written XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female is sent as M or F; anything else stays in the record and is not sent */
  sex?: string | null;
  /** postal code */
  zipCode?: string | number | null;
  /** weight, for the comment */
  weight?: string | number | null;
  /** height, for the comment */
  height?: string | number | null;
  /** ethnicity, for the comment */
  ethnicity?: string | null;
  /** race, for the comment */
  race?: string | null;
  /** condition, for the comment; N/A where it is missing */
  condition?: string | null;
  /** protocol, for the comment; N/A where it is missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** where a photo is, for the comment */
  photoUpload?: string | null;
  /** access key, from get-api-key */
  key: string;
  /** what send-to-rt gave */
  rtResponse: {
    PatientID: number | string;
  };
  /** Yes or No in any case, true or false, 1 or 0; 2 is no answer */
  [numbered: `q${number}`]: 'Yes' | 'No' | true | false | 0 | 1 | 2 | null | undefined;
  [name: string]: unknown;
};

export type WithPrescreenSendCommentsOutput = WithPrescreenOutput;

export type NoPrescreenInput = {
  /** account of the site system; ERG when it is left out */
  account?: 'ERG' | 'Futuro' | null;
  /** study of the site system */
  StudyID: number | string;
  /** referral source of the site system */
  ReferrerID: number | string;
  /** instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores */
  instanceName: string;
  /** first name */
  firstName: string;
  /** last name */
  lastName: string;
  /** e-mail */
  email: string;
  /** phone in any punctuation; ten digits are written XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female is sent as M or F; anything else stays in the record and is not sent */
  sex?: string | null;
  /** postal code */
  zipCode?: string | number | null;
  /** weight, for the comment */
  weight?: string | number | null;
  /** height, for the comment */
  height?: string | number | null;
  /** ethnicity, for the comment */
  ethnicity?: string | null;
  /** race, for the comment */
  race?: string | null;
  /** condition, for the comment; N/A where it is missing */
  condition?: string | null;
  /** protocol, for the comment; N/A where it is missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** where a photo is, for the comment */
  photoUpload?: string | null;
  [name: string]: unknown;
};

export type NoPrescreenOutput = WithPrescreenOutput;

export type NoPrescreenGetApiKeyInput = {
  /** account of the site system; ERG when it is left out */
  account?: 'ERG' | 'Futuro' | null;
  /** study of the site system */
  StudyID?: number | string | null;
  /** referral source of the site system */
  ReferrerID?: number | string | null;
  /** instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores */
  instanceName: string;
  /** first name */
  firstName?: string | null;
  /** last name */
  lastName?: string | null;
  /** e-mail */
  email?: string | null;
  /** phone in any punctuation; ten digits are written XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female is sent as M or F; anything else stays in the record and is not sent */
  sex?: string | null;
  /** postal code */
  zipCode?: string | number | null;
  /** weight, for the comment */
  weight?: string | number | null;
  /** height, for the comment */
  height?: string | number | null;
  /** ethnicity, for the comment */
  ethnicity?: string | null;
  /** race, for the comment */
  race?: string | null;
  /** condition, for the comment; N/A where it is missing */
  condition?: string | null;
  /** protocol, for the comment; N/A where it is missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** where a photo is, for the comment */
  photoUpload?: string | null;
  [name: string]: unknown;
};

export type NoPrescreenGetApiKeyOutput = WithPrescreenOutput;

export type NoPrescreenCheckEmailInput = {
  /** account of the site system; ERG when it is left out */
  account?: 'ERG' | 'Futuro' | null;
  /** study of the site system */
  StudyID?: number | string | null;
  /** referral source of the site system */
  ReferrerID?: number | string | null;
  /** instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores */
  instanceName: string;
  /** first name */
  firstName?: string | null;
  /** last name */
  lastName?: string | null;
  /** e-mail */
  email: string;
  /** phone in any punctuation; ten digits are written XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female is sent as M or F; anything else stays in the record and is not sent */
  sex?: string | null;
  /** postal code */
  zipCode?: string | number | null;
  /** weight, for the comment */
  weight?: string | number | null;
  /** height, for the comment */
  height?: string | number | null;
  /** ethnicity, for the comment */
  ethnicity?: string | null;
  /** race, for the comment */
  race?: string | null;
  /** condition, for the comment; N/A where it is missing */
  condition?: string | null;
  /** protocol, for the comment; N/A where it is missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** where a photo is, for the comment */
  photoUpload?: string | null;
  /** access key, from get-api-key */
  key: string;
  [name: string]: unknown;
};

export type NoPrescreenCheckEmailOutput = WithPrescreenOutput;

export type NoPrescreenFormatDataInput = {
  /** account of the site system; ERG when it is left out */
  account?: 'ERG' | 'Futuro' | null;
  /** study of the site system */
  StudyID?: number | string | null;
  /** referral source of the site system */
  ReferrerID?: number | string | null;
  /** instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores */
  instanceName?: string | null;
  /** first name */
  firstName?: string | null;
  /** last name */
  lastName?: string | null;
  /** e-mail */
  email?: string | null;
  /** phone in any punctuation; ten digits are written XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female is sent as M or F; anything else stays in the record and is not sent */
  sex?: string | null;
  /** postal code */
  zipCode?: string | number | null;
  /** weight, for the comment */
  weight?: string | number | null;
  /** height, for the comment */
  height?: string | number | null;
  /** ethnicity, for the comment */
  ethnicity?: string | null;
  /** race, for the comment */
  race?: string | null;
  /** condition, for the comment; N/A where it is missing */
  condition?: string | null;
  /** protocol, for the comment; N/A where it is missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** where a photo is, for the comment */
  photoUpload?: string | null;
  [name: string]: unknown;
};

export type NoPrescreenFormatDataOutput = WithPrescreenOutput;

export type NoPrescreenSendToRtInput = {
  /** account of the site system; ERG when it is left out */
  account?: 'ERG' | 'Futuro' | null;
  /** study of the site system */
  StudyID: number | string;
  /** referral source of the site system */
  ReferrerID: number | string;
  /** instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores */
  instanceName: string;
  /** first name */
  firstName: string;
  /** last name */
  lastName: string;
  /** e-mail */
  email?: string | null;
  /** phone in any punctuation; ten digits are written XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female is sent as M or F; anything else stays in the record and is not sent */
  sex?: string | null;
  /** postal code */
  zipCode?: string | number | null;
  /** weight, for the comment */
  weight?: string | number | null;
  /** height, for the comment */
  height?: string | number | null;
  /** ethnicity, for the comment */
  ethnicity?: string | null;
  /** race, for the comment */
  race?: string | null;
  /** condition, for the comment; N/A where it is missing */
  condition?: string | null;
  /** protocol, for the comment; N/A where it is missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** where a photo is, for the comment */
  photoUpload?: string | null;
  /** access key, from get-api-key */
  key: string;
  /** what check-email found */
  emailExists: boolean;
  [name: string]: unknown;
};

export type NoPrescreenSendToRtOutput = WithPrescreenOutput;

export type NoPrescreenSendCommentsInput = {
  /** account of the site system; ERG when it is left out */
  account?: 'ERG' | 'Futuro' | null;
  /** study of the site system */
  StudyID?: number | string | null;
  /** referral source of the site system */
  ReferrerID?: number | string | null;
  /** instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores */
  instanceName: string;
  /** first name */
  firstName?: string | null;
  /** last name */
  lastName?: string | null;
  /** e-mail */
  email?: string | null;
  /** phone in any punctuation; ten digits are written XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female is sent as M or F; anything else stays in the record and is not sent */
  sex?: string | null;
  /** postal code */
  zipCode?: string | number | null;
  /** weight, for the comment */
  weight?: string | number | null;
  /** height, for the comment */
  height?: string | number | null;
  /** ethnicity, for the comment */
  ethnicity?: string | null;
  /** race, for the comment */
  race?: string | null;
  /** condition, for the comment; N/A where it is missing */
  condition?: string | null;
  /** protocol, for the comment; N/A where it is missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** where a photo is, for the comment */
  photoUpload?: string | null;
  /** access key, from get-api-key */
  key: string;
  /** what send-to-rt gave */
  rtResponse: {
    PatientID: number | string;
  };
  [name: string]: unknown;
};

export type NoPrescreenSendCommentsOutput = WithPrescreenOutput;

export type GetSubjectsInput = {
  /** account of the site system; ERG when it is left out */
  account?: 'ERG' | 'Futuro' | null;
  /** instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores */
  instanceName: string;
  /** e-mail of the subject */
  email: string;
};

export type GetSubjectsOutput = {
  success: true;
  data: readonly Readonly<Record<string, unknown>>[];
  error: Readonly<Record<string, unknown>>;
  meta: Readonly<Record<string, unknown>>;
  emailExists: boolean;
};

export type GetPatientStatusesInput = {
  /** account of the site system; ERG when it is left out */
  account?: 'ERG' | 'Futuro' | null;
  /** instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores */
  instanceName: string;
  /** id of the subject */
  subjectID: number | string;
};

export type GetPatientStatusesOutput = {
  success: true;
  data: readonly Readonly<Record<string, unknown>>[];
  error: Readonly<Record<string, unknown>>;
  meta: Readonly<Record<string, unknown>>;
};

export type ListSitesInput = {
  /** instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores */
  instanceName: string;
  /** account of the site system; ERG when it is left out */
  account?: 'ERG' | 'Futuro' | null;
  /** only of this site */
  siteName?: string | null;
};

export type ListSitesOutput = {
  success: true;
  data: readonly Readonly<Record<string, unknown>>[];
  error: Readonly<Record<string, unknown>>;
  meta: Readonly<Record<string, unknown>>;
  count: number;
};

export type ListStudiesInput = ListSitesInput;

export type ListStudiesOutput = ListSitesOutput;

export type ListInterviewQuestionsInput = ListSitesInput;

export type ListInterviewQuestionsOutput = ListSitesOutput;

export type ListReferralSourcesInput = {
  /** instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores */
  instanceName: string;
  /** account of the site system; ERG when it is left out */
  account?: 'ERG' | 'Futuro' | null;
  /** the site, as listed by sites */
  siteName: string;
};

export type ListReferralSourcesOutput = ListSitesOutput;

export type GetSitesInput = ListSitesInput;

export type GetSitesOutput = ListSitesOutput;

export type GetStudiesInput = ListSitesInput;

export type GetStudiesOutput = ListSitesOutput;

export type GetInterviewQuestionsInput = ListSitesInput;

export type GetInterviewQuestionsOutput = ListSitesOutput;

export type GetReferralSourcesInput = ListReferralSourcesInput;

export type GetReferralSourcesOutput = ListSitesOutput;

export const siteSystem = (calls: Calls) => ({
  /** Send a lead through the whole chain, with its prescreen answers. */
  withPrescreen: calls.lead<WithPrescreenInput, WithPrescreenOutput>('/api/clinicsys/with-prescreen'),
  /** Fetch the access key (one step of with-prescreen). */
  withPrescreenGetApiKey: calls.keyed<WithPrescreenGetApiKeyInput, WithPrescreenGetApiKeyOutput>('POST', '/api/clinicsys/with-prescreen/get-api-key'),
  /** Look the e-mail up (one step of with-prescreen). */
  withPrescreenCheckEmail: calls.keyed<WithPrescreenCheckEmailInput, WithPrescreenCheckEmailOutput>('POST', '/api/clinicsys/with-prescreen/check-email'),
  /** Format phone, date of birth, sex and answers (one step of with-prescreen). */
  withPrescreenFormatData: calls.keyed<WithPrescreenFormatDataInput, WithPrescreenFormatDataOutput>('POST', '/api/clinicsys/with-prescreen/format-data'),
  /** Send the lead to the site system (one step of with-prescreen). */
  withPrescreenSendToRt: calls.lead<WithPrescreenSendToRtInput, WithPrescreenSendToRtOutput>('/api/clinicsys/with-prescreen/send-to-rt'),
  /** Send the comment (one step of with-prescreen). */
  withPrescreenSendComments: calls.lead<WithPrescreenSendCommentsInput, WithPrescreenSendCommentsOutput>('/api/clinicsys/with-prescreen/send-comments'),
  /** Send a lead through the whole chain, without prescreen questions. */
  noPrescreen: calls.lead<NoPrescreenInput, NoPrescreenOutput>('/api/clinicsys/no-prescreen'),
  /** Fetch the access key (one step of no-prescreen). */
  noPrescreenGetApiKey: calls.keyed<NoPrescreenGetApiKeyInput, NoPrescreenGetApiKeyOutput>('POST', '/api/clinicsys/no-prescreen/get-api-key'),
  /** Look the e-mail up (one step of no-prescreen). */
  noPrescreenCheckEmail: calls.keyed<NoPrescreenCheckEmailInput, NoPrescreenCheckEmailOutput>('POST', '/api/clinicsys/no-prescreen/check-email'),
  /** Format phone, date of birth, sex and answers (one step of no-prescreen). */
  noPrescreenFormatData: calls.keyed<NoPrescreenFormatDataInput, NoPrescreenFormatDataOutput>('POST', '/api/clinicsys/no-prescreen/format-data'),
  /** Send the lead to the site system (one step of no-prescreen). */
  noPrescreenSendToRt: calls.lead<NoPrescreenSendToRtInput, NoPrescreenSendToRtOutput>('/api/clinicsys/no-prescreen/send-to-rt'),
  /** Send the comment (one step of no-prescreen). */
  noPrescreenSendComments: calls.lead<NoPrescreenSendCommentsInput, NoPrescreenSendCommentsOutput>('/api/clinicsys/no-prescreen/send-comments'),
  /** Look a subject up by e-mail. */
  getSubjects: calls.keyed<GetSubjectsInput, GetSubjectsOutput>('POST', '/api/clinicsys/toolkit/get-subjects'),
  /** The patient statuses report of a subject. */
  getPatientStatuses: calls.keyed<GetPatientStatusesInput, GetPatientStatusesOutput>('POST', '/api/clinicsys/toolkit/get-patient-statuses'),
  /** Sites. */
  listSites: calls.get<ListSitesInput, ListSitesOutput>('/api/clinicsys/toolkit/sites'),
  /** Studies. */
  listStudies: calls.get<ListStudiesInput, ListStudiesOutput>('/api/clinicsys/toolkit/studies'),
  /** Interview questions. */
  listInterviewQuestions: calls.get<ListInterviewQuestionsInput, ListInterviewQuestionsOutput>('/api/clinicsys/toolkit/interview-questions'),
  /** Referral sources of a site. */
  listReferralSources: calls.get<ListReferralSourcesInput, ListReferralSourcesOutput>('/api/clinicsys/toolkit/referral-sources/{siteName}'),
  /** Sites. */
  getSites: calls.keyed<GetSitesInput, GetSitesOutput>('POST', '/api/clinicsys/toolkit/get-sites'),
  /** Studies. */
  getStudies: calls.keyed<GetStudiesInput, GetStudiesOutput>('POST', '/api/clinicsys/toolkit/get-studies'),
  /** Interview questions. */
  getInterviewQuestions: calls.keyed<GetInterviewQuestionsInput, GetInterviewQuestionsOutput>('POST', '/api/clinicsys/toolkit/get-interview-questions'),
  /** Referral sources of a site. */
  getReferralSources: calls.keyed<GetReferralSourcesInput, GetReferralSourcesOutput>('POST', '/api/clinicsys/toolkit/get-referral-sources'),
});
