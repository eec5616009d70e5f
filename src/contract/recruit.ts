/** Group B: defines the route to the recruitment system. */
import { z } from 'zod';
import { forwardUrl } from '../config/upstreams';
import { environments } from '../domain/recruit';
import { endpoint } from './endpoint';
import { leadErrors } from './errors';
import {
  body,
  contactSchema,
  credential,
  date,
  email,
  integer,
  oneOf,
  personName,
  phone,
  requireContact,
  required,
  text,
  textOrNumber,
} from './fields';

const object = z.record(z.string(), z.unknown());

export const recruit = {
  sendToRecruit: endpoint({
    method: 'post',
    path: '/api/recruit/send-to-recruit',
    group: 'B. Recruitment system',
    summary: 'Send a lead to the recruitment system',
    handledBy: 'lead',
    errors: leadErrors,
    flow: 'recruit',
    uses: (input) => [forwardUrl('recruit', input)],
    input: body(
      {
        bearerToken: required(credential({ description: 'token of the environment, without the word Bearer. No answer contains it' })),
        clientId: required(textOrNumber({ description: 'client of the recruitment system' })),
        siteId: required(textOrNumber({ description: 'site of the recruitment system' })),
        environment: required(oneOf(environments, { description: 'environment that receives the lead, in any case' })),
        firstName: required(personName({ description: 'first name' })),
        lastName: required(personName({ description: 'last name' })),
        email: email({ description: 'e-mail; this or phone is required' }),
        phone: phone({ description: 'mobile number in any punctuation; ten digits are sent as XXX-XXX-XXXX' }),
        dob: date({ description: 'birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future' }),
        sex: text({ description: 'Male or Female; M and F are sent as words' }),
        postalCode: textOrNumber({ description: 'postal code' }),
        homePhone: phone({ description: 'in the same form as phone' }),
        workPhone: phone({ description: 'in the same form as phone' }),
        studyId: textOrNumber({
          description: 'study of the recruitment system; without it, subjectStatus and recruitmentStatus are not sent',
        }),
        subjectStatus: text({ description: 'such as INTERESTED or ENROLLED' }),
        recruitmentStatus: text({ description: 'such as INTERESTED or PROSPECT' }),
        patientReferralSourceCategoryKey: integer({ description: 'category of the referral source' }),
        patientReferralSourceKey: integer({ description: 'the referral source' }),
      },
      [requireContact('phone')],
    ).meta(contactSchema('phone')),
    output: z.object({ success: z.literal(true), recruitPayload: object, recruitResponse: object }),
    example: {
      bearerToken: 'sandbox-token',
      clientId: '4711',
      siteId: '1263',
      environment: 'sandbox',
      firstName: 'Ann',
      lastName: 'Lee',
      email: 'ann.lee@example.org',
      phone: '(555) 201-3344',
      dob: '03/05/1980',
      sex: 'Female',
      postalCode: '33432',
      studyId: '1541',
      subjectStatus: 'INTERESTED',
      recruitmentStatus: 'PROSPECT',
      patientReferralSourceCategoryKey: 5,
      patientReferralSourceKey: 32836,
    },
  }),
} as const;
