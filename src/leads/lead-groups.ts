/** Groups leads with trouble by error code and upstream. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { upstreamNames } from '../domain/upstreams';
import { leadCodes, type LeadTrouble } from '../domain/lead';
import { troubleIn } from './runs';

/** Leads without a code wait for another lead of the same person. */
export interface TroubleGroup extends Partial<LeadTrouble> {
  readonly count: number;
}

const mostFirst = (groups: readonly TroubleGroup[]): TroubleGroup[] =>
  groups.filter(({ count }) => count > 0).toSorted((one, other) => other.count - one.count);

export function groupsOf(runs: readonly WorkflowExecutionInfo[]): TroubleGroup[] {
  const groups = new Map<string, TroubleGroup>();
  for (const { code, upstream } of runs.map((run): Partial<LeadTrouble> => troubleIn(run) ?? {})) {
    const name = `${code} ${upstream}`;
    groups.set(name, { code, upstream, count: (groups.get(name)?.count ?? 0) + 1 });
  }
  return mostFirst([...groups.values()]);
}

/** Groups `total` leads by counting. `count` counts the leads with this trouble; the remaining leads have no code or no upstream. */
export async function countGroups(total: number, count: (trouble: LeadTrouble) => Promise<number>): Promise<TroubleGroup[]> {
  const codes = await countEach(leadCodes, total, (code) => count({ code }));
  const groups = codes.map(async ({ value: code, count: ofCode }): Promise<TroubleGroup[]> => {
    if (code === undefined) return [{ count: ofCode }];
    const upstreams = await countEach(upstreamNames, ofCode, (upstream) => count({ code, upstream }));
    return upstreams.map((each) => ({ code, upstream: each.value, count: each.count }));
  });
  return mostFirst((await Promise.all(groups)).flat());
}

async function countEach<T extends string>(values: readonly T[], total: number, count: (value: T) => Promise<number>) {
  const counted = await Promise.all(values.map(async (value) => ({ value, count: await count(value) })));
  const rest = total - counted.reduce((sum, each) => sum + each.count, 0);
  return [...counted, { value: undefined, count: rest }].filter((each) => each.count > 0);
}
