/** Counts the leads of the same person, and hashes the patient id. The worker provides the count. */
import type { CountSamePersonLeads, SamePersonLeads, SamePersonQuery } from '../domain/same-person';
import type { KeyRing } from '../keys/ring';
import { ownRun } from './own-run';

export interface SamePersonNeeds {
  readonly countSamePersonLeads: CountSamePersonLeads;
  readonly keys: KeyRing;
}

export const samePersonActivities = ({ countSamePersonLeads, keys }: SamePersonNeeds) => ({
  /** Hashes the upstream's id of the person, by which the lead can be found. */
  hashPatient: (id: string): Promise<string> => Promise.resolve(keys.hash('patient', id)),
  countSamePersonLeads: (asking: SamePersonQuery): Promise<SamePersonLeads> => countSamePersonLeads(ownRun().runId, asking),
});
