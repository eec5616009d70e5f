/** Reads the entries of the audit trail from the API, page by page, newest first. */
import { hidden } from '../../src/domain/mask';
import type { Leadgate } from '../client';
import type { ListAuditOutput } from '../client/generated/operators';

export type TrailEntry = ListAuditOutput['entries'][number];

export interface TrailFilter {
  readonly since?: string;
  readonly until?: string;
  readonly leadId?: string;
  /** Shows reasons and changed values. */
  readonly clear: boolean;
}

/** A reason may name the person. */
const withoutReason = (entry: TrailEntry): TrailEntry =>
  entry.evidence?.reason === undefined ? entry : { ...entry, evidence: { ...entry.evidence, reason: hidden } };

const mostOnPage = 1_000;

export async function* trailPages({ operators }: Leadgate, { clear, ...filter }: TrailFilter): AsyncGenerator<readonly TrailEntry[]> {
  let cursor: string | undefined;
  do {
    const page = await operators.listAudit({ ...filter, clear: clear ? 'true' : undefined, limit: mostOnPage, cursor });
    yield clear ? page.entries : page.entries.map(withoutReason);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}
