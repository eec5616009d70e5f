/** The routes of a redrive of many leads: count, start at a set rate, read its report, stop. */
import { z } from 'zod';
import { count, countedOnly, filterOf, listed, ratePerS, reportOf, state, whole } from './bulk';
import { endpoint } from './endpoint';
import { orderErrors } from './errors';
import { required, text } from './fields';
import { correctedFields, group, notThere, reason } from './leads';

const redriveId = required(text({ description: 'the redrive, as its start named it' }));
const report = reportOf('started');
const redrive = listed.extend({ redriveId: z.string(), failedToStart: whole.optional() });
const started = z.object({ success: z.literal(true), redriveId: z.string(), state, count: whole, statusUrl: z.string() });

export const redrives = {
  startRedrive: endpoint({
    method: 'post',
    path: '/api/redrives',
    group,
    summary: 'Send the failed leads that a filter matches again; without count they are only counted',
    carried: 'here',
    errors: orderErrors,
    audited: 'redrive-many',
    input: z.strictObject({
      filter: filterOf('failed'),
      reason,
      fields: correctedFields("corrected input fields for each of them, under the names of the leads' own routes"),
      notThere,
      ratePerS,
      count,
    }),
    output: countedOnly,
    accepted: started,
    example: { filter: { flow: 'no-prescreen', instanceName: 'erg-oct' }, reason: 'The instance was down' },
  }),
  listRedrives: endpoint({
    method: 'get',
    path: '/api/redrives',
    group,
    summary: 'Redrives of many leads, newest first',
    carried: 'here',
    errors: ['NOT_ACCEPTED'],
    scope: 'operator',
    input: z.object({}),
    output: z.object({ success: z.literal(true), count: whole, redrives: z.array(redrive) }),
  }),
  getRedrive: endpoint({
    method: 'get',
    path: '/api/redrives/{redriveId}',
    group,
    summary: 'How far a redrive is, and what became of each lead',
    carried: 'here',
    errors: ['NOT_FOUND', 'NOT_ACCEPTED'],
    scope: 'operator',
    input: z.object({ redriveId, ...report.page }),
    output: redrive.required({ done: true, failedToStart: true }).extend(report.results),
  }),
  stopRedrive: endpoint({
    method: 'post',
    path: '/api/redrives/{redriveId}/stop',
    group,
    summary: 'Stop between two leads; what is started goes on, the rest stays failed',
    carried: 'here',
    errors: ['NOT_FOUND', 'WRONG_STATE', 'NOT_ACCEPTED'],
    audited: 'redrive-stop',
    input: z.strictObject({ redriveId, reason }),
    output: z.object({ success: z.literal(true), redriveId: z.string(), state }),
    example: { reason: 'The instance is down again' },
  }),
} as const;
