/** Group B: the recruitment system. */
import { z } from 'zod';
import { environments } from '../domain/recruit';
import { forwardUrl } from '../needs';
import { endpoint } from './endpoint';
import { body, credential, date, email, integer, oneOf, phone, reachable, required, text, textOrNumber } from './fields';

const object = z.record(z.string(), z.unknown());

export const recruit = {
  sendToRecruit: endpoint({
    method: 'post',
    path: '/api/recruit/send-to-recruit',
    group: 'B. Recruitment system',
    summary: 'Send a lead to the recruitment system of a region',
    carried: 'lead',
    flow: 'recruit',
    uses: (input) => [forwardUrl('recruit', input)],
    input: body(
      {
        bearerToken: required(credential()),
        clientId: required(textOrNumber()),
        siteId: required(textOrNumber()),
        environment: required(oneOf(environments)),
        firstName: required(text()),
        lastName: required(text()),
        email: email(),
        phone: phone(),
        dob: date(),
        sex: text({ description: 'Male or Female' }),
        postalCode: textOrNumber(),
        homePhone: phone(),
        workPhone: phone(),
        studyId: textOrNumber(),
        subjectStatus: text({ description: 'such as INTERESTED or ENROLLED' }),
        recruitmentStatus: text({ description: 'such as INTERESTED or PROSPECT' }),
        patientReferralSourceCategoryKey: integer(),
        patientReferralSourceKey: integer(),
      },
      [reachable('phone')],
    ),
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
