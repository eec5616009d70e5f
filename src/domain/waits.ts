/** What an open run waits for. The run's report, the API, and the call stack in the Temporal UI use the same words. */
import type { Destination } from './hold';

export const waitKinds = ['retry', 'hold', 'person-lock', 'look-up', 'decision'] as const;
type WaitKind = (typeof waitKinds)[number];

export interface Wait {
  readonly what: WaitKind;
  readonly words: string;
  readonly nextTryAt?: string;
  /** Of a hold: the upstream, and its instance if it has any. */
  readonly upstream?: Destination['upstream'];
  readonly instance?: string;
}

const words: Readonly<Record<Exclude<WaitKind, 'hold'>, string>> = {
  retry: 'Waits for its next try',
  'person-lock': 'Waits for another lead of the same person',
  'look-up': 'Waits for its next look-up in the upstream',
  decision: "Waits for a person's decision",
};

export const waitFor = (what: keyof typeof words, nextTryMs?: number): Wait => ({
  what,
  words: words[what],
  ...(nextTryMs !== undefined && { nextTryAt: new Date(nextTryMs).toISOString() }),
});

export const waitAtHold = ({ upstream, instance }: Destination): Wait => ({
  what: 'hold',
  words: `Waits in the line of ${nameOf({ upstream, instance })}, which is held`,
  upstream,
  ...(instance && { instance }),
});

export const nameOf = ({ upstream, instance }: Destination): string => [upstream, instance].filter(Boolean).join(' ');

/** A moment for a sentence; empty if it is not known. */
export const untilWords = ({ nextTryAt }: Pick<Wait, 'nextTryAt'>): string => (nextTryAt ? `, until ${nextTryAt}` : '');
