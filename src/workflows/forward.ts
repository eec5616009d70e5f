/**
 * Runs the flows of groups B, C and D: sends a prepared lead once. These upstreams have no look-up, so a lead with an unknown outcome is
 * parked.
 */
import { errorContextOf, successBody, type ForwardFlow } from '../domain/forward';
import { forwarders, upstreamOf } from '../domain/forwarders';
import type { JsonObject, LeadReport } from '../domain/lead';
import type { LeadInput } from '../domain/lead-input';
import { runOf } from './lead';
import { once } from './proxies';

const notSentMessage = 'This is what would be sent. Nothing was sent';

export const forward =
  (flow: ForwardFlow) =>
  async (lead: LeadInput): Promise<LeadReport> => {
    const forwarder = forwarders[flow];
    const run = runOf(lead, flow, ['send']);
    const { payload, origins, site, bounce } = lead.prepared ?? { payload: {}, origins: {} };
    if (lead.dryRun) return run.end('delivered', { success: true, dryRun: true, message: notSentMessage, payload, origins });
    if (bounce) return run.end('skipped', { success: true, bounceMode: true, message: notSentMessage, payload });

    await run.askIfRepeat();
    const answer = (message: string, response: JsonObject) => successBody(forwarder, message, payload, response);
    const result = await run.runStep<JsonObject>({
      name: 'send',
      upstream: upstreamOf[flow],
      attempt: async (attempt) => {
        const { rules, body } = lead;
        const { forwardLead } = once(`send to ${flow}`, { rules, upstream: upstreamOf[flow], timeoutMs: rules.timeoutMs }, attempt);
        const sent = await forwardLead(flow, body, { payload, site, bypassHold: attempt.bypassHold });
        run.timeline.patientHash = sent.patientHash;
        return answer(`${forwarder.who} accepted the lead`, sent.response);
      },
      errorContext: ({ body }) => errorContextOf(forwarder, payload, body),
      confirmed: (upstreamId) => {
        const response = { ...forwarder.confirmed(upstreamId), message: 'Confirmed by a person', confirmed: true };
        return answer('A person confirmed that the lead arrived', response);
      },
    });
    return run.end('delivered', result);
  };
