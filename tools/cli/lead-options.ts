/** Declares arguments and options that several lead commands share. */
import type { Argument, Option } from './command';

export const leadId: Argument = { name: 'leadId', about: "the lead's id, from the header X-Lead-Id" };

export const attempt = {
  type: 'string',
  value: 'number',
  about: 'an attempt of a redriven lead; the newest by default',
} as const satisfies Option;

export const clear = { type: 'boolean', about: 'show personal data' } as const satisfies Option;

export const reason = {
  type: 'string',
  value: 'text',
  required: true,
  about: 'why; stored encrypted with the run and on the audit trail',
} as const satisfies Option;
