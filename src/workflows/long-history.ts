/** When a run continues as new. */
import { workflowInfo } from '@temporalio/workflow';

/** A longer history is replayed slowly, and the engine ends a run at fifty times as many events. */
const longHistory = 1_000;

export const isLong = (): boolean => workflowInfo().historyLength > longHistory || workflowInfo().continueAsNewSuggested;
