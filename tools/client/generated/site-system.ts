/** Written by `npm run reference` from src/contract. */
import type { Calls } from '../types.ts';

export type WithPrescreenInput = {
  /** account of the site system; default ERG */
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
  /** phone in any punctuation; ten digits are sent as XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female, sent as M or F; any other value is kept in the record and not sent */
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
  /** condition, for the comment; N/A if missing */
  condition?: string | null;
  /** protocol, for the comment; N/A if missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** URL of a photo, for the comment */
  photoUpload?: string | null;
  /** Yes or No in any case, true or false, 1 or 0; 2 means no answer */
  [numbered: `q${number}`]: 'Yes' | 'No' | true | false | 0 | 1 | 2 | null | undefined;
  [name: string]: unknown;
};

export type WithPrescreenOutput = {
  [name: string]: unknown;
};

export type WithPrescreenGetApiKeyInput = {
  /** account of the site system; default ERG */
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
  /** phone in any punctuation; ten digits are sent as XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female, sent as M or F; any other value is kept in the record and not sent */
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
  /** condition, for the comment; N/A if missing */
  condition?: string | null;
  /** protocol, for the comment; N/A if missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** URL of a photo, for the comment */
  photoUpload?: string | null;
  /** Yes or No in any case, true or false, 1 or 0; 2 means no answer */
  [numbered: `q${number}`]: 'Yes' | 'No' | true | false | 0 | 1 | 2 | null | undefined;
  [name: string]: unknown;
};

export type WithPrescreenGetApiKeyOutput = WithPrescreenOutput;

export type WithPrescreenCheckEmailInput = {
  /** account of the site system; default ERG */
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
  /** phone in any punctuation; ten digits are sent as XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female, sent as M or F; any other value is kept in the record and not sent */
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
  /** condition, for the comment; N/A if missing */
  condition?: string | null;
  /** protocol, for the comment; N/A if missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** URL of a photo, for the comment */
  photoUpload?: string | null;
  /** access key, from get-api-key */
  key: string;
  /** Yes or No in any case, true or false, 1 or 0; 2 means no answer */
  [numbered: `q${number}`]: 'Yes' | 'No' | true | false | 0 | 1 | 2 | null | undefined;
  [name: string]: unknown;
};

export type WithPrescreenCheckEmailOutput = WithPrescreenOutput;

export type WithPrescreenFormatDataInput = {
  /** account of the site system; default ERG */
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
  /** phone in any punctuation; ten digits are sent as XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female, sent as M or F; any other value is kept in the record and not sent */
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
  /** condition, for the comment; N/A if missing */
  condition?: string | null;
  /** protocol, for the comment; N/A if missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** URL of a photo, for the comment */
  photoUpload?: string | null;
  /** Yes or No in any case, true or false, 1 or 0; 2 means no answer */
  [numbered: `q${number}`]: 'Yes' | 'No' | true | false | 0 | 1 | 2 | null | undefined;
  [name: string]: unknown;
};

export type WithPrescreenFormatDataOutput = WithPrescreenOutput;

export type WithPrescreenSendToRtInput = {
  /** account of the site system; default ERG */
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
  /** phone in any punctuation; ten digits are sent as XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female, sent as M or F; any other value is kept in the record and not sent */
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
  /** condition, for the comment; N/A if missing */
  condition?: string | null;
  /** protocol, for the comment; N/A if missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** URL of a photo, for the comment */
  photoUpload?: string | null;
  /** access key, from get-api-key */
  key: string;
  /** Yes or No in any case, true or false, 1 or 0; 2 means no answer */
  [numbered: `q${number}`]: 'Yes' | 'No' | true | false | 0 | 1 | 2 | null | undefined;
  [name: string]: unknown;
};

export type WithPrescreenSendToRtOutput = WithPrescreenOutput;

export type WithPrescreenSendCommentsInput = {
  /** account of the site system; default ERG */
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
  /** phone in any punctuation; ten digits are sent as XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female, sent as M or F; any other value is kept in the record and not sent */
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
  /** condition, for the comment; N/A if missing */
  condition?: string | null;
  /** protocol, for the comment; N/A if missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** URL of a photo, for the comment */
  photoUpload?: string | null;
  /** access key, from get-api-key */
  key: string;
  /** the result of send-to-rt */
  rtResponse: {
    PatientID: number | string;
  };
  /** Yes or No in any case, true or false, 1 or 0; 2 means no answer */
  [numbered: `q${number}`]: 'Yes' | 'No' | true | false | 0 | 1 | 2 | null | undefined;
  [name: string]: unknown;
};

export type WithPrescreenSendCommentsOutput = WithPrescreenOutput;

export type NoPrescreenInput = {
  /** account of the site system; default ERG */
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
  /** phone in any punctuation; ten digits are sent as XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female, sent as M or F; any other value is kept in the record and not sent */
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
  /** condition, for the comment; N/A if missing */
  condition?: string | null;
  /** protocol, for the comment; N/A if missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** URL of a photo, for the comment */
  photoUpload?: string | null;
  [name: string]: unknown;
};

export type NoPrescreenOutput = WithPrescreenOutput;

export type NoPrescreenGetApiKeyInput = {
  /** account of the site system; default ERG */
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
  /** phone in any punctuation; ten digits are sent as XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female, sent as M or F; any other value is kept in the record and not sent */
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
  /** condition, for the comment; N/A if missing */
  condition?: string | null;
  /** protocol, for the comment; N/A if missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** URL of a photo, for the comment */
  photoUpload?: string | null;
  [name: string]: unknown;
};

export type NoPrescreenGetApiKeyOutput = WithPrescreenOutput;

export type NoPrescreenCheckEmailInput = {
  /** account of the site system; default ERG */
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
  /** phone in any punctuation; ten digits are sent as XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female, sent as M or F; any other value is kept in the record and not sent */
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
  /** condition, for the comment; N/A if missing */
  condition?: string | null;
  /** protocol, for the comment; N/A if missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** URL of a photo, for the comment */
  photoUpload?: string | null;
  /** access key, from get-api-key */
  key: string;
  [name: string]: unknown;
};

export type NoPrescreenCheckEmailOutput = WithPrescreenOutput;

export type NoPrescreenFormatDataInput = {
  /** account of the site system; default ERG */
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
  /** phone in any punctuation; ten digits are sent as XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female, sent as M or F; any other value is kept in the record and not sent */
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
  /** condition, for the comment; N/A if missing */
  condition?: string | null;
  /** protocol, for the comment; N/A if missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** URL of a photo, for the comment */
  photoUpload?: string | null;
  [name: string]: unknown;
};

export type NoPrescreenFormatDataOutput = WithPrescreenOutput;

export type NoPrescreenSendToRtInput = {
  /** account of the site system; default ERG */
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
  /** phone in any punctuation; ten digits are sent as XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female, sent as M or F; any other value is kept in the record and not sent */
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
  /** condition, for the comment; N/A if missing */
  condition?: string | null;
  /** protocol, for the comment; N/A if missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** URL of a photo, for the comment */
  photoUpload?: string | null;
  /** access key, from get-api-key */
  key: string;
  /** the result of check-email */
  emailExists: boolean;
  [name: string]: unknown;
};

export type NoPrescreenSendToRtOutput = WithPrescreenOutput;

export type NoPrescreenSendCommentsInput = {
  /** account of the site system; default ERG */
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
  /** phone in any punctuation; ten digits are sent as XXX-XXX-XXXX */
  phone?: string | number | null;
  /** birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future */
  dob?: string | null;
  /** m, f, male or female, sent as M or F; any other value is kept in the record and not sent */
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
  /** condition, for the comment; N/A if missing */
  condition?: string | null;
  /** protocol, for the comment; N/A if missing */
  protocol?: string | null;
  /** such as Qualified, for the comment */
  recruitmentStatus?: string | null;
  /** URL of a photo, for the comment */
  photoUpload?: string | null;
  /** access key, from get-api-key */
  key: string;
  /** the result of send-to-rt */
  rtResponse: {
    PatientID: number | string;
  };
  [name: string]: unknown;
};

export type NoPrescreenSendCommentsOutput = WithPrescreenOutput;

export type GetSubjectsInput = {
  /** account of the site system; default ERG */
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
  /** account of the site system; default ERG */
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
  /** account of the site system; default ERG */
  account?: 'ERG' | 'Futuro' | null;
  /** return only data of this site */
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
  /** account of the site system; default ERG */
  account?: 'ERG' | 'Futuro' | null;
  /** name of the site, as listed by /api/clinicsys/toolkit/sites */
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
  /** Send a lead through all steps, with its prescreen answers. */
  withPrescreen: calls.lead<WithPrescreenInput, WithPrescreenOutput>('/api/clinicsys/with-prescreen'),
  /** Fetch the access key (one step of with-prescreen). */
  withPrescreenGetApiKey: calls.keyed<WithPrescreenGetApiKeyInput, WithPrescreenGetApiKeyOutput>('POST', '/api/clinicsys/with-prescreen/get-api-key'),
  /** Look up the e-mail (one step of with-prescreen). */
  withPrescreenCheckEmail: calls.keyed<WithPrescreenCheckEmailInput, WithPrescreenCheckEmailOutput>('POST', '/api/clinicsys/with-prescreen/check-email'),
  /** Format phone, date of birth, sex and answers (one step of with-prescreen). */
  withPrescreenFormatData: calls.keyed<WithPrescreenFormatDataInput, WithPrescreenFormatDataOutput>('POST', '/api/clinicsys/with-prescreen/format-data'),
  /** Send the lead to the site system (one step of with-prescreen). */
  withPrescreenSendToRt: calls.lead<WithPrescreenSendToRtInput, WithPrescreenSendToRtOutput>('/api/clinicsys/with-prescreen/send-to-rt'),
  /** Send the comment (one step of with-prescreen). */
  withPrescreenSendComments: calls.lead<WithPrescreenSendCommentsInput, WithPrescreenSendCommentsOutput>('/api/clinicsys/with-prescreen/send-comments'),
  /** Send a lead through all steps, without prescreen questions. */
  noPrescreen: calls.lead<NoPrescreenInput, NoPrescreenOutput>('/api/clinicsys/no-prescreen'),
  /** Fetch the access key (one step of no-prescreen). */
  noPrescreenGetApiKey: calls.keyed<NoPrescreenGetApiKeyInput, NoPrescreenGetApiKeyOutput>('POST', '/api/clinicsys/no-prescreen/get-api-key'),
  /** Look up the e-mail (one step of no-prescreen). */
  noPrescreenCheckEmail: calls.keyed<NoPrescreenCheckEmailInput, NoPrescreenCheckEmailOutput>('POST', '/api/clinicsys/no-prescreen/check-email'),
  /** Format phone, date of birth, sex and answers (one step of no-prescreen). */
  noPrescreenFormatData: calls.keyed<NoPrescreenFormatDataInput, NoPrescreenFormatDataOutput>('POST', '/api/clinicsys/no-prescreen/format-data'),
  /** Send the lead to the site system (one step of no-prescreen). */
  noPrescreenSendToRt: calls.lead<NoPrescreenSendToRtInput, NoPrescreenSendToRtOutput>('/api/clinicsys/no-prescreen/send-to-rt'),
  /** Send the comment (one step of no-prescreen). */
  noPrescreenSendComments: calls.lead<NoPrescreenSendCommentsInput, NoPrescreenSendCommentsOutput>('/api/clinicsys/no-prescreen/send-comments'),
  /** Look up a subject by e-mail. */
  getSubjects: calls.keyed<GetSubjectsInput, GetSubjectsOutput>('POST', '/api/clinicsys/toolkit/get-subjects'),
  /** Get the patient statuses report of a subject. */
  getPatientStatuses: calls.keyed<GetPatientStatusesInput, GetPatientStatusesOutput>('POST', '/api/clinicsys/toolkit/get-patient-statuses'),
  /** List the sites. */
  listSites: calls.get<ListSitesInput, ListSitesOutput>('/api/clinicsys/toolkit/sites'),
  /** List the studies. */
  listStudies: calls.get<ListStudiesInput, ListStudiesOutput>('/api/clinicsys/toolkit/studies'),
  /** List the interview questions. */
  listInterviewQuestions: calls.get<ListInterviewQuestionsInput, ListInterviewQuestionsOutput>('/api/clinicsys/toolkit/interview-questions'),
  /** List the referral sources of a site. */
  listReferralSources: calls.get<ListReferralSourcesInput, ListReferralSourcesOutput>('/api/clinicsys/toolkit/referral-sources/{siteName}'),
  /** List the sites. */
  getSites: calls.keyed<GetSitesInput, GetSitesOutput>('POST', '/api/clinicsys/toolkit/get-sites'),
  /** List the studies. */
  getStudies: calls.keyed<GetStudiesInput, GetStudiesOutput>('POST', '/api/clinicsys/toolkit/get-studies'),
  /** List the interview questions. */
  getInterviewQuestions: calls.keyed<GetInterviewQuestionsInput, GetInterviewQuestionsOutput>('POST', '/api/clinicsys/toolkit/get-interview-questions'),
  /** List the referral sources of a site. */
  getReferralSources: calls.keyed<GetReferralSourcesInput, GetReferralSourcesOutput>('POST', '/api/clinicsys/toolkit/get-referral-sources'),
});
