/** Exports leads as CSV. It streams one page of the list at a time, so that a long list needs little memory. */
import type { Client } from '@temporalio/client';
import type { Response } from 'express';
import { once } from 'node:events';
import type { Trail } from '../../audit/trail';
import { endpoints } from '../../contract';
import { isObject, text } from '../../domain/formats';
import type { JsonObject } from '../../domain/lead';
import type { Filter } from '../../leads/lead-filter';
import type { LeadList } from '../../leads/lead-list';
import { newestRun } from '../../leads/attempts';
import type { Reports } from '../../leads/reports';
import { bodyOf, ignoreLeadNotFound } from '../../leads/runs';
import { plainCsvLine } from '../../lib/csv';
import { inGroups } from '../../lib/in-groups';
import type { RunDescription } from '../../temporal/ask';
import { withAudit, type AuditedAnswer } from '../audited';
import type { Handlers } from '../handler';
import type { Reads } from '../privacy/reads';

const pageSize = 200;
/** The number of leads that are read in parallel. */
const readAtOnce = 10;

const columns = [
  'leadId',
  'state',
  'flow',
  'step',
  'code',
  'upstream',
  'site',
  'studyId',
  'protocol',
  'reference',
  'createdAt',
  'updatedAt',
] as const;
/** Why the lead waits, is parked or failed, in the gateway's own words. */
const reasonColumn = 'reason';
/** The columns of personal data, and the fields of the different groups that contain them. */
const personColumns = {
  firstName: ['firstName', 'first_name'],
  lastName: ['lastName', 'last_name'],
  email: ['email'],
  phone: ['phone', 'phone_number', 'cellPhone', 'homePhone', 'workPhone'],
} as const;

/** Excel needs this mark to read a file as UTF-8. */
const byteOrderMark = '\uFEFF';

/** Resolves when the audit trail has recorded that these leads are exported in clear. */
type RecordRead = (leadIds: readonly string[]) => Promise<void>;

/** The file contains personal data only with `noteShown`. */
export type ExportLeads = (response: Response, filter: Filter, recordRead?: RecordRead) => Promise<AuditedAnswer>;

export function createExport(client: Client, list: Pick<LeadList, 'page'>, reports: Pick<Reports, 'now'>): ExportLeads {
  async function reasonOf(run: RunDescription): Promise<string> {
    const report = await reports.now(run).catch(ignoreLeadNotFound);
    return report?.failure?.message ?? report?.steps.findLast(({ error }) => error)?.error?.message ?? '';
  }

  async function personOf(run: RunDescription | undefined): Promise<string[]> {
    const body = run && (await bodyOf(client, run).catch(ignoreLeadNotFound));
    return body ? Object.values(personColumns).map((names) => names.map((name) => text(body[name])).find(Boolean) ?? '') : [];
  }

  /** Only a lead with a code has a reason, so a masked row of a healthy lead asks the engine nothing more. */
  async function rowOf(lead: JsonObject, clear: boolean): Promise<string> {
    const hasReason = Boolean(lead.code);
    // The lead may have been erased since it was listed.
    const run = hasReason || clear ? await newestRun(client, String(lead.leadId)).catch(ignoreLeadNotFound) : undefined;
    const reason = hasReason && run ? await reasonOf(run) : '';
    return plainCsvLine([...columns.map((name) => text(lead[name]) ?? ''), reason, ...(clear ? await personOf(run) : [])]);
  }

  return async (response, filter, recordRead) => {
    const clear = recordRead !== undefined;
    let written = 0;
    for (let cursor: string | undefined; ;) {
      const { leads, nextCursor } = await list.page({ ...filter, cursor }, pageSize);
      const found = Array.isArray(leads) ? leads.filter(isObject) : [];
      const rows = await inGroups(found, readAtOnce, (lead) => rowOf(lead, clear));
      if (response.destroyed) return { status: 200, body: {}, outcome: 'incomplete', facts: { leads: written } };
      if (found.length > 0) await recordRead?.(found.map(({ leadId }) => String(leadId)));
      // Send the head only now, so that an error on the first page gets its own status. A later error closes the connection.
      if (!response.headersSent) sendHead(response, clear);
      if (!response.write(rows.join(''))) await drainOrClose(response);
      written += rows.length;
      cursor = text(nextCursor);
      if (!cursor) return { status: 200, body: {}, facts: { leads: written } };
    }
  };
}

interface ExportNeeds {
  readonly client: Client;
  readonly leadList: LeadList;
  readonly reports: Reports;
  readonly reads: Reads;
  readonly trail: Trail;
}

export function exportHandlers({ client, leadList, reports, reads, trail }: ExportNeeds) {
  const write = createExport(client, leadList, reports);
  return {
    exportLeads({ response, input, requester }) {
      const { clear, ...filter } = input.body as Filter;
      if (clear !== 'true') return write(response, filter);
      const record = (leadIds: readonly string[]) => reads.record(requester, { route: endpoints.exportLeads.path, leadIds });
      return withAudit(trail, 'export in clear', requester, input, () => write(response, filter, record));
    },
  } satisfies Partial<Handlers>;
}

/** Waits until more can be written or the connection is closed, and removes both listeners, because a long list has many pages. */
async function drainOrClose(response: Response): Promise<void> {
  const listening = new AbortController();
  const { signal } = listening;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  listening.abort();
}

function sendHead(response: Response, clear: boolean): void {
  response.status(200).set({ 'Content-Type': 'text/csv; charset=utf-8', 'Content-Disposition': 'attachment; filename="leads.csv"' });
  response.write(byteOrderMark + plainCsvLine([...columns, reasonColumn, ...(clear ? Object.keys(personColumns) : [])]));
}
