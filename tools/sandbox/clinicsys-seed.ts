/** Declares the initial data of the simulated site system. */
export type SeedAccount = 'ERG' | 'Futuro';
export type SeedSite = { siteId: number; siteName: string; city: string; state: string };
export type Study = { studyId: number; studyName: string; protocol: string; siteName: string; status: string };
export type SeedQuestion = { questionId: number; studyId: number; siteName: string; question: string };
export type ReferralSource = { referrerId: number; name: string; siteName: string };
export type Subject = { subjectId: number; firstName: string; lastName: string; email: string; phone: string; dob: string };
export type PatientStatus = { subjectId: number; studyId: number; studyName: string; status: string; statusDate: string };

export type InstanceSeed = {
  account: SeedAccount;
  instanceName: string;
  sites: readonly SeedSite[];
  studies: readonly Study[];
  questions: readonly SeedQuestion[];
  referralSources: readonly ReferralSource[];
  subjects: readonly Subject[];
  statuses: readonly PatientStatus[];
};

const boca = 'Boca Raton Clinical Research';
const austin = 'Austin Skin Institute';
const tampa = 'Tampa Bay Trials';
const denver = 'Denver Metabolic Center';

export const instances: readonly InstanceSeed[] = [
  {
    account: 'ERG',
    instanceName: 'erg-oct',
    sites: [
      { siteId: 501, siteName: boca, city: 'Boca Raton', state: 'FL' },
      { siteId: 502, siteName: austin, city: 'Austin', state: 'TX' },
    ],
    studies: [
      { studyId: 12, studyName: 'Eczema in Adults', protocol: 'AD-301', siteName: boca, status: 'Enrolling' },
      { studyId: 13, studyName: 'Plaque Psoriasis', protocol: 'PSO-204', siteName: austin, status: 'Enrolling' },
      { studyId: 14, studyName: 'Chronic Hives', protocol: 'CSU-118', siteName: boca, status: 'Closed' },
    ],
    questions: [
      { questionId: 101, studyId: 12, siteName: boca, question: 'Have you had eczema for more than a year?' },
      { questionId: 102, studyId: 12, siteName: boca, question: 'Do you use a prescription cream?' },
      { questionId: 103, studyId: 12, siteName: boca, question: 'Can you come to six visits?' },
      { questionId: 111, studyId: 13, siteName: austin, question: 'Has a doctor told you that you have psoriasis?' },
    ],
    referralSources: [
      { referrerId: 7, name: 'Facebook', siteName: boca },
      { referrerId: 8, name: 'Web site', siteName: boca },
      { referrerId: 9, name: 'Physician', siteName: austin },
    ],
    subjects: [
      { subjectId: 139712, firstName: 'Ann', lastName: 'Lee', email: 'ann@example.org', phone: '555-201-3344', dob: '1980-03-05' },
      { subjectId: 139713, firstName: 'Bob', lastName: 'Ruiz', email: 'family@example.org', phone: '555-201-3350', dob: '1975-11-30' },
      { subjectId: 139714, firstName: 'Eva', lastName: 'Ruiz', email: 'family@example.org', phone: '555-201-3351', dob: '1978-01-17' },
    ],
    statuses: [
      { subjectId: 139712, studyId: 12, studyName: 'Eczema in Adults', status: 'Prescreened', statusDate: '2026-11-20' },
      { subjectId: 139712, studyId: 14, studyName: 'Chronic Hives', status: 'Screen failed', statusDate: '2026-06-02' },
      { subjectId: 139713, studyId: 13, studyName: 'Plaque Psoriasis', status: 'Enrolled', statusDate: '2026-10-11' },
    ],
  },
  {
    account: 'ERG',
    instanceName: 'erg-tampa',
    sites: [{ siteId: 511, siteName: tampa, city: 'Tampa', state: 'FL' }],
    studies: [{ studyId: 31, studyName: 'Migraine Prevention', protocol: 'MIG-410', siteName: tampa, status: 'Enrolling' }],
    questions: [{ questionId: 301, studyId: 31, siteName: tampa, question: 'Do you have four or more migraine days a month?' }],
    referralSources: [{ referrerId: 21, name: 'Radio', siteName: tampa }],
    subjects: [],
    statuses: [],
  },
  {
    account: 'Futuro',
    instanceName: 'futuro-main',
    sites: [{ siteId: 701, siteName: denver, city: 'Denver', state: 'CO' }],
    studies: [
      { studyId: 52, studyName: 'Type 2 Diabetes', protocol: 'T2D-550', siteName: denver, status: 'Enrolling' },
      { studyId: 53, studyName: 'Weight Management', protocol: 'OBE-221', siteName: denver, status: 'Enrolling' },
    ],
    questions: [
      { questionId: 501, studyId: 52, siteName: denver, question: 'Do you take metformin?' },
      { questionId: 502, studyId: 53, siteName: denver, question: 'Is your weight stable since three months?' },
    ],
    referralSources: [
      { referrerId: 41, name: 'Google', siteName: denver },
      { referrerId: 42, name: 'Friend', siteName: denver },
    ],
    subjects: [
      { subjectId: 240017, firstName: 'Mia', lastName: 'Okafor', email: 'mia@example.org', phone: '555-410-7788', dob: '1969-08-21' },
    ],
    statuses: [{ subjectId: 240017, studyId: 52, studyName: 'Type 2 Diabetes', status: 'Enrolled', statusDate: '2026-09-14' }],
  },
];
