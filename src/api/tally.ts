/** How many leads of a flow, in a state, at a site: what may be known of erased leads. */
export interface Tally {
  readonly flow: string;
  readonly state: string;
  readonly site?: string;
  readonly leads: number;
}

/** Equal rows become one. */
export function tallied(rows: readonly Tally[]): Tally[] {
  const sums = new Map<string, Tally>();
  for (const row of rows) {
    const name = JSON.stringify([row.flow, row.state, row.site]);
    sums.set(name, { ...row, leads: row.leads + (sums.get(name)?.leads ?? 0) });
  }
  return [...sums.values()];
}
