/** What can be asked of and told to a run: a lead's, the line before an upstream that is held, and a redrive of many leads. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Erased } from '../domain/erase';
import type { Heard, HoldReport, Place } from '../domain/hold';
import type { Decision, LeadReport, State } from '../domain/lead';
import type { RedriveReport } from '../domain/redrive';

export const reportQuery = defineQuery<LeadReport>('report');
export const decideUpdate = defineUpdate<State, [Decision]>('decide');
/** A held lead's turn has come. */
export const goSignal = defineSignal('go');

export const joinSignal = defineSignal<[Place]>('join');
export const heardSignal = defineSignal<[{ readonly runId: string; readonly heard: Heard }]>('heard');
export const holdQuery = defineQuery<HoldReport>('hold');

/** The same person once more: what began until now is erased, too. */
export const eraseSignal = defineSignal('erase');
export const erasedQuery = defineQuery<Erased>('erased');

/** How far a redrive is, with the results from one place to another. */
export const progressQuery = defineQuery<RedriveReport, [from: number, upTo: number]>('progress');
export const stopSignal = defineSignal<[reason: string]>('stop');
