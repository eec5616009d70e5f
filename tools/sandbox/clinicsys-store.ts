/** Stores the data of the simulated site system: instances with their subjects, and their keys. */
import { randomBytes } from 'node:crypto';
import { instances as seeds, type InstanceSeed, type PatientStatus, type Subject } from './clinicsys-seed';
import type { NextId } from './ids';

/** One person. `applications` are the accepted V1 bodies, which show a lead that was sent twice. */
export type Patient = { subject: Subject; statuses: PatientStatus[]; comments: string[]; applications: Record<string, string>[] };

export type SimulatedInstance = InstanceSeed & {
  patients: Map<number, Patient>;
  byEmail: Map<string, Patient[]>;
  /** The patients that V1 answered and did not store. They take comments, and no read finds them. */
  forgotten: Map<number, Patient>;
};

/** A key gives access to one instance under the requested name: `erg-oct.v1-500` is the instance `erg-oct`. */
export type Grant = { instance: SimulatedInstance; instanceName: string; expiresAt: number };

type Person = Omit<Subject, 'subjectId'>;

export type ClinicsysStore = ReturnType<typeof createClinicsysStore>;

export function createClinicsysStore({ keyLifetimeMs, nextId }: { keyLifetimeMs: number; nextId: NextId }) {
  let instances = seeds.map(createInstance);
  const grants = new Map<string, Grant>();

  /** Issues a key; undefined if the account has no such instance. The part after a dot only has sentinels. */
  function issueKey(account: string, instanceName: string): string | undefined {
    const [name] = instanceName.split('.');
    const instance = instances.find((one) => one.account.toLowerCase() === account.toLowerCase() && one.instanceName === name);
    if (!instance) return undefined;
    dropExpired();
    const key = `sandbox-key-${randomBytes(16).toString('hex')}`;
    grants.set(key, { instance, instanceName, expiresAt: Date.now() + keyLifetimeMs });
    return key;
  }

  // All keys have the same lifetime, so the first valid key ends the search.
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

  const createPatient = (person: Person): Patient => ({
    subject: { subjectId: nextId(), ...person },
    statuses: [],
    comments: [],
    applications: [],
  });

  const addPatient = (instance: SimulatedInstance, person: Person): Patient => storePatient(instance, createPatient(person));

  function forgetPatient({ forgotten }: SimulatedInstance, person: Person): Patient {
    const patient = createPatient(person);
    forgotten.set(patient.subject.subjectId, patient);
    return patient;
  }

  function revokeAll(): number {
    const { size } = grants;
    grants.clear();
    return size;
  }

  function reset(): void {
    instances = seeds.map(createInstance);
    grants.clear();
  }

  return {
    issueKey,
    grantOf,
    addPatient,
    forgetPatient,
    revoke: (key: string) => grants.delete(key),
    revokeAll,
    reset,
    state: () => instances.map(view),
  };
}

export const patientsOf = (instance: SimulatedInstance, email: string): Patient[] => instance.byEmail.get(email.toLowerCase()) ?? [];

function createInstance(seed: InstanceSeed): SimulatedInstance {
  const instance: SimulatedInstance = { ...seed, patients: new Map(), byEmail: new Map(), forgotten: new Map() };
  for (const subject of seed.subjects) {
    const statuses = seed.statuses.filter(({ subjectId }) => subjectId === subject.subjectId);
    storePatient(instance, { subject, statuses, comments: [], applications: [] });
  }
  return instance;
}

function storePatient(instance: SimulatedInstance, patient: Patient): Patient {
  const { subjectId, email } = patient.subject;
  instance.patients.set(subjectId, patient);
  if (email) instance.byEmail.set(email.toLowerCase(), [...patientsOf(instance, email), patient]);
  return patient;
}

function view({ account, instanceName, patients }: SimulatedInstance) {
  const subjects = [...patients.values()].map(({ subject, ...kept }) => ({ ...subject, ...kept }));
  return { account, instanceName, subjects };
}
