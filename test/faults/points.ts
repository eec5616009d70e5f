/**
 * The points of a lead's way at which a fault strikes: a call that the simulator keeps waiting, before or after it has stored the
 * request.
 */
import { flows, isSite, newLead, sendCall, siteFlows, type FlowName, type Lead } from './lead';
import { randomOf } from './random';
import type { Seen } from './upstream';

export interface Point {
  readonly step: string;
  /** None: it strikes while the leads come in. */
  readonly calls: readonly string[];
  /** The fault strikes when the call was answered: what comes next has no call of its own. */
  readonly answered?: true;
}

const forwarders = flows.filter((flow) => !isSite(flow));

export const points: readonly Point[] = [
  { step: 'at once', calls: [] },
  { step: 'get-api-key', calls: ['key'] },
  { step: 'check-email', calls: ['lookup'] },
  { step: 'format-data', calls: ['lookup'], answered: true },
  { step: 'send-to-rt', calls: ['v1'] },
  { step: 'send-comments', calls: ['comment'] },
  { step: 'send (B, C, D)', calls: forwarders.map((flow) => sendCall[flow]) },
];

export const flowOf = (call: string): FlowName => flows.find((flow) => sendCall[flow] === call) ?? 'no-prescreen';

export interface Waiting {
  readonly lead: Lead;
  readonly isReached: (seen: readonly Seen[]) => boolean;
}

/** Half of them stand before the upstream has stored anything, half after. */
export function leadsAt({ calls, answered }: Point, count: number, group: string): Waiting[] {
  const random = randomOf(group, 'calls');
  return Array.from({ length: count }, (_, at) => {
    if (calls.length === 0) return { lead: newLead({ flow: random.pick(flows), group }), isReached: () => true };
    const call = random.pick(calls);
    const flow = flowOf(call);
    const sentinels = answered ? [] : [`${call}-hold${at % 2 ? '-after' : ''}-once`];
    return waiting(newLead({ flow: isSite(flow) ? random.pick(siteFlows) : flow, sentinels, group }), call, answered);
  });
}

export const waiting = (lead: Lead, call: string, answered = false): Waiting => ({
  lead,
  isReached: (seen) =>
    seen.some((one) => one.call === call && (one.answered !== null || !answered) && `${one.url} ${one.body}`.includes(lead.tag)),
});
