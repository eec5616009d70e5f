/**
 * Aggregates what new settings change for many leads. It stores only what it shows, so its size grows with the number of different changes,
 * not of leads.
 */
import { canonical } from '../../src/intake/identity';
import type { PreparedStoredLead, Problem, SentField } from './prepare-stored-lead';

/** Leads with the same difference. */
interface LeadGroup {
  readonly flow: string;
  readonly count: number;
  /** A few of them. */
  readonly leadIds: readonly string[];
}

/** `before` or `after` is absent if the field would not be sent. */
export type ChangeGroup = LeadGroup & { readonly field: string; readonly before?: unknown; readonly after?: unknown };
export type ProblemGroup = LeadGroup & Problem;

export const effects = ['same', 'changed', 'becomesInvalid', 'becomesValid', 'staysInvalid'] as const;
export type SettingsEffect = (typeof effects)[number];

export interface SettingsEffects {
  /** The number of leads with each effect; a lead counts once. */
  readonly counts: Readonly<Record<SettingsEffect, number>>;
  readonly changes: readonly ChangeGroup[];
  readonly problems: Readonly<Record<'becomesInvalid' | 'becomesValid' | 'staysInvalid', readonly ProblemGroup[]>>;
}

interface LeadReference {
  readonly leadId: string;
  readonly flow: string;
}

/** How many leads of a group to name. */
const namedLeadsMax = 3;

export function createEffects(): {
  add(lead: LeadReference, before: PreparedStoredLead, after: PreparedStoredLead): void;
  read(): SettingsEffects;
} {
  const counts = { same: 0, changed: 0, becomesInvalid: 0, becomesValid: 0, staysInvalid: 0 };
  const changes = groups<Pick<ChangeGroup, 'field' | 'before' | 'after'>>();
  const problems = { becomesInvalid: groups<Problem>(), becomesValid: groups<Problem>(), staysInvalid: groups<Problem>() };

  return {
    add(lead, before, after) {
      if ('fields' in before && 'fields' in after) {
        const differences = differencesOf(before.fields, after.fields);
        counts[differences.length > 0 ? 'changed' : 'same']++;
        for (const difference of differences) changes.add(lead, difference);
        return;
      }
      const effect = 'fields' in before ? 'becomesInvalid' : 'fields' in after ? 'becomesValid' : 'staysInvalid';
      counts[effect]++;
      const source = 'problems' in after ? after : before;
      for (const problem of 'problems' in source ? source.problems : []) problems[effect].add(lead, problem);
    },
    read: () => ({
      counts,
      changes: changes.read(),
      problems: {
        becomesInvalid: problems.becomesInvalid.read(),
        becomesValid: problems.becomesValid.read(),
        staysInvalid: problems.staysInvalid.read(),
      },
    }),
  };
}

type Fields = Readonly<Record<string, SentField>>;

const differencesOf = (before: Fields, after: Fields) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => canonical(before[field]?.value) !== canonical(after[field]?.value))
    .map((field) => ({ field, before: before[field]?.shown, after: after[field]?.shown }));

/** Groups leads by what they have in common; the largest group comes first. */
function groups<T extends object>() {
  const known = new Map<string, T & LeadGroup>();
  return {
    add({ leadId, flow }: LeadReference, common: T): void {
      const name = canonical({ flow, ...common });
      const { count, leadIds } = known.get(name) ?? { count: 0, leadIds: [] };
      known.set(name, { flow, ...common, count: count + 1, leadIds: count < namedLeadsMax ? [...leadIds, leadId] : leadIds });
    },
    read: () => [...known.values()].toSorted((one, other) => other.count - one.count),
  };
}
