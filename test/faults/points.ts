/** Declares the points at which a fault strikes: a call that the simulator holds, before or after it stores the request. */
import { flows, isSite, newLead, sendCall, siteFlows, type FlowName, type TestLead } from './lead';
import { randomOf } from './random';
import type { ReceivedRequest } from './upstream';

export interface FaultPoint {
  readonly step: string;
  /** Empty: the fault strikes while the leads are sent. */
  readonly calls: readonly string[];
  /** The fault strikes after the answer, because the next step has no call. */
  readonly answered?: true;
}

const forwarders = flows.filter((flow) => !isSite(flow));

export const points: readonly FaultPoint[] = [
  { step: 'on arrival', calls: [] },
  { step: 'get-api-key', calls: ['key'] },
  { step: 'check-email', calls: ['lookup'] },
  { step: 'format-data', calls: ['lookup'], answered: true },
  { step: 'send-to-rt', calls: ['v1'] },
  { step: 'send-comments', calls: ['comment'] },
  { step: 'send (B, C, D)', calls: forwarders.map((flow) => sendCall[flow]) },
];

export const flowOf = (call: string): FlowName => flows.find((flow) => sendCall[flow] === call) ?? 'no-prescreen';

export interface PlannedLead {
  readonly lead: TestLead;
  readonly isReached: (seen: readonly ReceivedRequest[]) => boolean;
}

/** For half of the leads the fault strikes before the upstream stores the request, for half after. */
export function leadsAt({ calls, answered }: FaultPoint, count: number, group: string): PlannedLead[] {
  const random = randomOf(group, 'calls');
  return Array.from({ length: count }, (_, at) => {
    if (calls.length === 0) return { lead: newLead({ flow: random.pick(flows), group }), isReached: () => true };
    const call = random.pick(calls);
    const flow = flowOf(call);
    const sentinels = answered ? [] : [`${call}-hold${at % 2 ? '-after' : ''}-once`];
    return plannedLead(newLead({ flow: isSite(flow) ? random.pick(siteFlows) : flow, sentinels, group }), call, answered);
  });
}

export const plannedLead = (lead: TestLead, call: string, answered = false): PlannedLead => ({
  lead,
  isReached: (seen) =>
    seen.some((one) => one.call === call && (one.answered !== null || !answered) && `${one.url} ${one.body}`.includes(lead.tag)),
});
