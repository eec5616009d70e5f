/**
 * Defines the result of an activity that a hold or a pause kept from its upstream. Nothing was sent and the lead waits, so the activity has
 * not failed: it completes, and the run reads its result as a try that was not sent.
 */
import type { HoldNotice } from './hold';
import type { AttemptNote } from './outcome';

export interface KeptBackNote extends AttemptNote {
  readonly held: HoldNotice;
}

export interface KeptBack {
  readonly notSent: KeptBackNote;
}

/** Returns the note of a try that was kept back. No other activity has a result with this field. */
export function keptBackIn(result: unknown): KeptBackNote | undefined {
  const { notSent }: Partial<KeptBack> = typeof result === 'object' && result !== null ? result : {};
  return notSent;
}
