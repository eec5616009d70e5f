/** Defines the evidence of an entry on the audit trail, and the persons that it is about. */
import { withoutSecrets } from './credentials';
import type { JsonObject } from './lead';

export interface Change {
  /** Absent if there was no value. */
  readonly before?: unknown;
  /** Absent if the value was removed. */
  readonly after?: unknown;
}

/** The values that an action changes, by field. */
export type Changes = Readonly<Record<string, Change>>;

export interface Evidence {
  readonly reason?: string;
  readonly upstreamId?: string;
  readonly changed?: Changes;
}

/** Persons, as keyed hashes, and their leads. */
export interface About {
  readonly emails: readonly string[];
  readonly phones: readonly string[];
  readonly patients: readonly string[];
  readonly sites: readonly string[];
  readonly leadIds: readonly string[];
}

/** Evidence that is to be kept. */
export interface Gathered {
  readonly evidence: Evidence;
  readonly about: About;
}

export const nobody: About = { emails: [], phones: [], patients: [], sites: [], leadIds: [] };

export const joinAbout = (one: About, other: About): About => ({
  emails: [...new Set([...one.emails, ...other.emails])],
  phones: [...new Set([...one.phones, ...other.phones])],
  patients: [...new Set([...one.patients, ...other.patients])],
  sites: [...new Set([...one.sites, ...other.sites])],
  leadIds: [...new Set([...one.leadIds, ...other.leadIds])],
});

/** Shows each field and its values as `show` shows an object with them. */
export const mapChanges = (changes: Changes, show: (object: JsonObject) => unknown): Changes =>
  Object.fromEntries(
    Object.entries(changes).map(([field, change]) => {
      const shown = Object.entries(change).flatMap(([when, value]) =>
        value === undefined ? [] : Object.entries(show({ [field]: value }) as JsonObject).map(([name, part]) => ({ name, when, part })),
      );
      return [shown[0]?.name ?? field, Object.fromEntries(shown.map(({ when, part }) => [when, part]))];
    }),
  );

/** Evidence without values that not even a clear view may show, and without absent parts. */
export function storableEvidence({ reason, upstreamId, changed = {} }: Evidence): Evidence {
  return {
    ...(reason !== undefined && { reason }),
    ...(upstreamId !== undefined && { upstreamId }),
    ...(Object.keys(changed).length > 0 && { changed: mapChanges(changed, withoutSecrets) }),
  };
}
