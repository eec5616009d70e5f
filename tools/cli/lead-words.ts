/** Arguments and options that several lead commands share. */
import type { Argument, Option } from './command';

export const leadId: Argument = { name: 'leadId', about: "the lead's id, as the answer's X-Lead-Id says" };

export const attempt = {
  type: 'string',
  value: 'number',
  about: 'one attempt of a lead that was sent again; without it the newest',
} as const satisfies Option;

export const clear = { type: 'boolean', about: 'show personal data, too' } as const satisfies Option;

export const reason = {
  type: 'string',
  value: 'text',
  needed: true,
  about: 'why, in your own words; kept with the run, so write no personal data',
} as const satisfies Option;
