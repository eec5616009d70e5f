/** What can be asked of and told to a lead's run. */
import { defineQuery, defineUpdate } from '@temporalio/workflow';
import type { Decision, LeadReport, State } from '../domain/lead';

export const reportQuery = defineQuery<LeadReport>('report');
export const decideUpdate = defineUpdate<State, [Decision]>('decide');
