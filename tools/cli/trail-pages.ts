/** Reads the entries of the audit trail from the API, page by page, newest first. */
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

const mostOnPage = 1_000;

export async function* trailPages({ operators }: Leadgate, { clear, ...filter }: TrailFilter): AsyncGenerator<readonly TrailEntry[]> {
  let cursor: string | undefined;
  do {
    const page = await operators.listAudit({ ...filter, clear: clear ? 'true' : undefined, limit: mostOnPage, cursor });
    yield page.entries;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}
