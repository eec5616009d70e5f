/** The signals, queries and updates that runs take: a lead, a hold, an erasure, and a redrive of many leads. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Erased } from '../domain/erase';
import type { Heard, HoldReport, Place } from '../domain/hold';
import type { Decision, LeadReport, State } from '../domain/lead';
import type { RedriveReport } from '../domain/redrive';

export const reportQuery = defineQuery<LeadReport>('report');
export const decideUpdate = defineUpdate<State, [Decision]>('decide');
/** Tells a lead in the waiting line that it may go. */
export const goSignal = defineSignal('go');

export const joinSignal = defineSignal<[Place]>('join');
export const heardSignal = defineSignal<[{ readonly runId: string; readonly heard: Heard }]>('heard');
export const holdQuery = defineQuery<HoldReport>('hold');

/** The erasure was requested again: it also covers the runs that began until now. */
export const eraseSignal = defineSignal('erase');
export const erasedQuery = defineQuery<Erased>('erased');

/** The progress of a redrive, with the results in the given range. */
export const progressQuery = defineQuery<RedriveReport, [from: number, upTo: number]>('progress');
export const stopSignal = defineSignal<[reason: string]>('stop');
