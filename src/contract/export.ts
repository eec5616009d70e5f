/** Defines the route that exports leads as a CSV file. */
import { z } from 'zod';
import { states } from '../domain/lead';
import { endpoint } from './endpoint';
import { oneOf } from './fields';
import { group, leadTerms } from './leads';

export const leadExport = {
  exportLeads: endpoint({
    method: 'get',
    path: '/api/leads.csv',
    group,
    summary:
      'Export the leads that the filter matches as a CSV file, newest attempt first, with the reason why each is stalled; personal data only with clear=true',
    handledBy: 'api',
    errors: ['NOT_ACCEPTED'],
    scope: 'operator',
    input: z.object({
      state: oneOf(states, { description: 'return only leads in this state' }),
      ...leadTerms,
      clear: oneOf(['true', 'false'], { description: 'true: include name, e-mail and phone; the audit trail records the export' }),
    }),
    output: z.string().describe('the first row has the column names'),
    download: 'text/csv',
  }),
} as const;
