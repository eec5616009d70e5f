/** Checks that an export has the ids that the upstream has answered: another column of numbers may have the same name. */
import type { ForwardFlow } from '../../src/domain/forward';
import type { Leadgate } from '../client';
import type { Compared } from './compare-export';

/** These upstreams answer a lead with the id of its person, by which the service finds the lead. */
const answeringFlows: readonly ForwardFlow[] = ['recruit', 'screening'];
/** The most delivered leads that are looked up. */
const mostAsked = 5;

const isDelivered = ({ state, leadId, upstreamId }: Compared): boolean => state === 'delivered' && Boolean(leadId && upstreamId);

/** False if none of these delivered leads has the id of its row. */
async function hasTheirIds(leads: Leadgate['leads'], flow: ForwardFlow, found: readonly Compared[]): Promise<boolean> {
  const asked = found.filter(isDelivered).slice(0, mostAsked);
  for (const { leadId, upstreamId } of asked) {
    const { leads: withId } = await leads.listLeads({ flow, patientId: upstreamId });
    if (withId.some((lead) => lead.leadId === leadId)) return true;
  }
  return asked.length === 0;
}

/** Proposes no confirm with an id that is surely none of the upstream. */
export async function withoutWrongIds(
  leads: Leadgate['leads'],
  flow: ForwardFlow,
  found: readonly Compared[],
): Promise<readonly Compared[]> {
  const isConfirm = ({ proposal }: Compared) => proposal === 'confirm';
  if (!answeringFlows.includes(flow) || !found.some(isConfirm) || (await hasTheirIds(leads, flow, found))) return found;
  const why = 'the ids of the export are not those that the upstream answers: --map tells the column that has them';
  return found.map((one) => (isConfirm(one) ? { ...one, proposal: undefined, why } : one));
}
