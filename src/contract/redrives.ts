/** Defines the routes of a redrive of many failed or waiting leads: count, start, list, get and stop. */
import { z } from 'zod';
import { count, countResult, filterOf, orderSummary, ratePerS, reportOf, state, whole } from './bulk';
import { endpoint } from './endpoint';
import { orderErrors } from './errors';
import { required, text } from './fields';
import { correctedFields, group, notThere, reason } from './leads';

const redriveId = required(text({ description: 'the id that the start of the redrive returned' }));
const report = reportOf('started');
const redrive = orderSummary.extend({ redriveId: z.string(), failedToStart: whole.optional() });
const started = z.object({ success: z.literal(true), redriveId: z.string(), state, count: whole, statusUrl: z.string() });

export const redrives = {
  startRedrive: endpoint({
    method: 'post',
    path: '/api/redrives',
    group,
    summary: 'Redrive the failed leads that a filter matches, or waiting ones with corrected fields; without count, only count them',
    handledBy: 'api',
    errors: orderErrors,
    audited: 'redrive-many',
    input: z.strictObject({
      filter: filterOf('failed', 'waiting'),
      reason,
      fields: correctedFields("corrected input fields for all of them, named as in the leads' routes; required for waiting leads"),
      notThere,
      ratePerS,
      count,
    }),
    output: countResult,
    accepted: started,
    example: { filter: { flow: 'no-prescreen', instanceName: 'erg-oct' }, reason: 'The instance was down' },
  }),
  listRedrives: endpoint({
    method: 'get',
    path: '/api/redrives',
    group,
    summary: 'List redrives of many leads, newest first',
    handledBy: 'api',
    errors: ['NOT_ACCEPTED'],
    scope: 'operator',
    input: z.object({}),
    output: z.object({ success: z.literal(true), count: whole, redrives: z.array(redrive) }),
  }),
  getRedrive: endpoint({
    method: 'get',
    path: '/api/redrives/{redriveId}',
    group,
    summary: 'Get the progress of a redrive, and the outcome of each lead',
    handledBy: 'api',
    errors: ['NOT_FOUND', 'NOT_ACCEPTED'],
    scope: 'operator',
    input: z.object({ redriveId, ...report.page }),
    output: redrive.required({ done: true, failedToStart: true }).extend(report.results),
  }),
  stopRedrive: endpoint({
    method: 'post',
    path: '/api/redrives/{redriveId}/stop',
    group,
    summary: 'Stop a redrive; leads that are already started continue, the others are unchanged',
    handledBy: 'api',
    errors: ['NOT_FOUND', 'WRONG_STATE', 'NOT_ACCEPTED'],
    audited: 'redrive-stop',
    input: z.strictObject({ redriveId, reason }),
    output: z.object({ success: z.literal(true), redriveId: z.string(), state }),
    example: { reason: 'The instance is down again' },
  }),
} as const;
