/** Parses what a repeat of a lead without an Idempotency-Key gets, once the first lead has ended. */
import { durationMs } from './formats';
import { flows } from './lead';

/**
 * `send`: it is a new lead. `answer`: the identical body gets the first answer again. `ask`: another lead of the same person and study is
 * parked until a person decides.
 */
export type RepeatRule = 'send' | 'answer' | 'ask';

export interface Repeat {
  readonly rule: RepeatRule;
  readonly windowMs: number;
}

/** By flow. A flow that is absent sends each repeat. */
export type Repeats = Readonly<Partial<Record<string, Repeat>>>;

const shortestMs = 10_000;
const longestMs = 30 * 86_400_000;
const isFlow = (name: string): boolean => (flows as readonly string[]).includes(name);

const form = /^([a-z-]+):(send|answer|ask)(?:@(\d{1,7}[smhd]))?$/;

export const repeatsFormat = `must be flow:rule@window entries, separated by commas, each flow once: no-prescreen:answer@24h; the rules are send, answer and ask, the window is 10s to 30d, the flows are ${flows.join(', ')}`;

/** The message of a lead that is parked because it may be a repeat of `leadId`. */
export const possibleRepeat = (leadId: string): string =>
  `It may be a repeat of the lead ${leadId}, which is of the same person and study. Nothing was sent`;

/** Undefined if the text is not a valid list of rules. */
export function parseRepeats(written: string): Repeats | undefined {
  const repeats = new Map<string, Repeat>();
  for (const entry of written.split(',')) {
    const [, flow = '', rule, window] = form.exec(entry.trim()) ?? [];
    const windowMs = window === undefined ? undefined : durationMs(window);
    const isInRange = windowMs === undefined ? rule === 'send' : windowMs >= shortestMs && windowMs <= longestMs;
    if (!isFlow(flow) || repeats.has(flow) || !isInRange) return undefined;
    repeats.set(flow, { rule: rule as RepeatRule, windowMs: windowMs ?? 0 });
  }
  return Object.fromEntries(repeats);
}
