/** The memory of the simulated site system: instances with their subjects, and the keys that open them. */
import { randomBytes } from 'node:crypto';
import { instances as seeds, type InstanceSeed, type PatientStatus, type Subject } from './clinicsys-seed';
import type { NextId } from './ids';

/** One person. `applications` are the accepted V1 bodies, so a lead that came twice can be seen. */
export type Patient = { subject: Subject; statuses: PatientStatus[]; comments: string[]; applications: Record<string, string>[] };

export type Instance = InstanceSeed & { patients: Map<number, Patient>; byEmail: Map<string, Patient[]> };

/** A key opens one instance under the name that was asked for: `erg-oct.v1-500` opens `erg-oct`. */
export type Grant = { instance: Instance; instanceName: string; expiresAt: number };

export type ClinicsysStore = ReturnType<typeof createClinicsysStore>;

export function createClinicsysStore({ keyLifetimeMs, nextId }: { keyLifetimeMs: number; nextId: NextId }) {
  let instances = seeds.map(grow);
  const grants = new Map<string, Grant>();

  /** Issues a key; undefined if the account has no such instance. The part after a dot only carries sentinels. */
  function issueKey(account: string, instanceName: string): string | undefined {
    const [name] = instanceName.split('.');
    const instance = instances.find((one) => one.account.toLowerCase() === account.toLowerCase() && one.instanceName === name);
    if (!instance) return undefined;
    dropExpired();
    const key = `sandbox-key-${randomBytes(16).toString('hex')}`;
    grants.set(key, { instance, instanceName, expiresAt: Date.now() + keyLifetimeMs });
    return key;
  }

  // All keys live equally long, so the first valid one ends the search.
  function dropExpired(): void {
    for (const [key, { expiresAt }] of grants) {
      if (expiresAt > Date.now()) return;
      grants.delete(key);
    }
  }

  function grantOf(key: string): Grant | undefined {
    const grant = grants.get(key);
    return grant && grant.expiresAt > Date.now() ? grant : undefined;
  }

  function addPatient(instance: Instance, person: Omit<Subject, 'subjectId'>): Patient {
    return keep(instance, { subject: { subjectId: nextId(), ...person }, statuses: [], comments: [], applications: [] });
  }

  function revokeAll(): number {
    const { size } = grants;
    grants.clear();
    return size;
  }

  function reset(): void {
    instances = seeds.map(grow);
    grants.clear();
  }

  return {
    issueKey,
    grantOf,
    addPatient,
    revoke: (key: string) => grants.delete(key),
    revokeAll,
    reset,
    state: () => instances.map(view),
  };
}

export const patientsOf = (instance: Instance, email: string): Patient[] => instance.byEmail.get(email.toLowerCase()) ?? [];

function grow(seed: InstanceSeed): Instance {
  const instance: Instance = { ...seed, patients: new Map(), byEmail: new Map() };
  for (const subject of seed.subjects) {
    const statuses = seed.statuses.filter(({ subjectId }) => subjectId === subject.subjectId);
    keep(instance, { subject, statuses, comments: [], applications: [] });
  }
  return instance;
}

function keep(instance: Instance, patient: Patient): Patient {
  const { subjectId, email } = patient.subject;
  instance.patients.set(subjectId, patient);
  if (email) instance.byEmail.set(email.toLowerCase(), [...patientsOf(instance, email), patient]);
  return patient;
}

function view({ account, instanceName, patients }: Instance) {
  const subjects = [...patients.values()].map(({ subject, ...kept }) => ({ ...subject, ...kept }));
  return { account, instanceName, subjects };
}
