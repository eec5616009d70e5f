/** The activities that tell whose leads are the same person's. The worker provides the count. */
import type { CountSamePersonLeads, SamePersonLeads, SamePersonQuery } from '../domain/same-person';
import type { KeyRing } from '../keys/ring';
import { ownRun } from './own-run';

export interface SamePersonNeeds {
  readonly countSamePersonLeads: CountSamePersonLeads;
  readonly keys: KeyRing;
}

export const samePersonActivities = ({ countSamePersonLeads, keys }: SamePersonNeeds) => ({
  /** Makes the hash by which a lead is found by the upstream's id of the person. */
  hashPatient: (id: string): Promise<string> => Promise.resolve(keys.hash('patient', id)),
  countSamePersonLeads: (asking: SamePersonQuery): Promise<SamePersonLeads> => countSamePersonLeads(ownRun().runId, asking),
});
