/** The route that writes leads into a CSV file. */
import { z } from 'zod';
import { states } from '../domain/lead';
import { endpoint } from './endpoint';
import { oneOf } from './fields';
import { group, leadTerms } from './leads';

export const exported = {
  exportLeads: endpoint({
    method: 'get',
    path: '/api/leads.csv',
    group,
    summary: 'All leads that the filter matches, newest attempt first, as a CSV file; it shows no person without clear=true',
    carried: 'here',
    errors: ['NOT_ACCEPTED'],
    scope: 'operator',
    input: z.object({
      state: oneOf(states, { description: 'only leads in this state' }),
      ...leadTerms,
      clear: oneOf(['true', 'false'], { description: 'true: with name, e-mail and phone, and that is recorded' }),
    }),
    output: z.string().describe('the first row names the columns'),
    gives: 'text/csv',
  }),
} as const;
