/** One person at a time: of two leads of the same person only one looks the e-mail up and sends, the other waits for its turn. */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { condition, ParentClosePolicy, sleep, startChild } from '@temporalio/workflow';
import type { LeadInput } from '../domain/lead';
import type { LeadRun } from './lead';

const pausesMs = [100, 200, 400, 800, 1_500, 3_000] as const;
const longestPauseMs = 5_000;

/** Holds the person's id for its parent, and ends with it. The engine lets one run hold an id: that is the lock. */
export async function personTurn(): Promise<void> {
  await condition(() => false);
}

/** True when this run holds the person's id, or at once when its own id is the person's; false when the time was up before. */
export async function myTurn(run: LeadRun, { turn }: LeadInput, giveUpAt = Infinity): Promise<boolean> {
  if (!turn) return true;
  for (let tries = 0; !(await taken(turn)); tries++) {
    if (Date.now() > giveUpAt) return false;
    run.timeline.become('waiting');
    await sleep(pausesMs[tries] ?? longestPauseMs);
  }
  run.timeline.become('running');
  return true;
}

async function taken(workflowId: string): Promise<boolean> {
  try {
    await startChild(personTurn, {
      workflowId,
      parentClosePolicy: ParentClosePolicy.TERMINATE,
      staticSummary: 'holds the turn of one person, and ends with its lead',
    });
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}
