/** Writes the leads of a filter as CSV, one page of the list after the other, so that a long list takes no memory. */
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
import { bodyOf, ignoreLeadNotFound } from '../../leads/runs';
import { plainCsvLine } from '../../lib/csv';
import { inGroups } from '../../lib/in-groups';
import { audited, type Audited } from '../audited';
import type { Handlers } from '../handler';
import type { Reads } from '../privacy/reads';

const pageSize = 200;
/** Leads whose bodies are read at once. */
const bodiesAtOnce = 10;

const columns = ['leadId', 'state', 'flow', 'step', 'site', 'studyId', 'protocol', 'createdAt', 'updatedAt'] as const;
/** Columns of a file in clear, and the fields that hold them in the different groups. */
const personColumns = {
  firstName: ['firstName', 'first_name'],
  lastName: ['lastName', 'last_name'],
  email: ['email'],
  phone: ['phone', 'phone_number', 'cellPhone', 'homePhone', 'workPhone'],
} as const;

/** Excel takes a file for UTF-8 only with this mark. */
const mark = '\uFEFF';

/** Resolves when it is on record that these leads are shown in clear. */
type NoteShown = (leadIds: readonly string[]) => Promise<void>;

/** With `noteShown` the file is in clear; without it, it shows no person. */
export type ExportLeads = (response: Response, filter: Filter, noteShown?: NoteShown) => Promise<Audited>;

export function createExport(client: Client, list: Pick<LeadList, 'page'>): ExportLeads {
  async function personOf({ leadId }: JsonObject): Promise<string[]> {
    // The lead may be erased after it was listed.
    const run = await newestRun(client, String(leadId)).catch(ignoreLeadNotFound);
    const body = run && (await bodyOf(client, run).catch(ignoreLeadNotFound));
    return body ? Object.values(personColumns).map((names) => names.map((name) => text(body[name])).find(Boolean) ?? '') : [];
  }

  const rowOf = async (lead: JsonObject, clear: boolean): Promise<string> =>
    plainCsvLine([...columns.map((name) => text(lead[name]) ?? ''), ...(clear ? await personOf(lead) : [])]);

  return async (response, filter, noteShown) => {
    const clear = noteShown !== undefined;
    let written = 0;
    for (let cursor: string | undefined; ;) {
      const { leads, nextCursor } = await list.page({ ...filter, cursor }, pageSize);
      const found = Array.isArray(leads) ? leads.filter(isObject) : [];
      const rows = await inGroups(found, bodiesAtOnce, (lead) => rowOf(lead, clear));
      if (response.destroyed) return { status: 200, body: {}, outcome: 'incomplete', facts: { leads: written } };
      if (found.length > 0) await noteShown?.(found.map(({ leadId }) => String(leadId)));
      // Only now, so that an error of the first page still has its status. Later ones break the connection off.
      if (!response.headersSent) begin(response, clear);
      if (!response.write(rows.join(''))) await roomOrEnd(response);
      written += rows.length;
      cursor = text(nextCursor);
      if (!cursor) return { status: 200, body: {}, facts: { leads: written } };
    }
  };
}

interface ExportNeeds {
  readonly client: Client;
  readonly leadList: LeadList;
  readonly reads: Reads;
  readonly trail: Trail;
}

export function exportHandlers({ client, leadList, reads, trail }: ExportNeeds) {
  const write = createExport(client, leadList);
  return {
    exportLeads({ request, response, input, caller }) {
      const { clear, ...filter } = input.body as Filter;
      if (clear !== 'true') return write(response, filter);
      const note = (leadIds: readonly string[]) => reads.note(request, caller, { route: endpoints.exportLeads.path, leadIds });
      return audited(trail, 'export in clear', caller.name, input, () => write(response, filter, note));
    },
  } satisfies Partial<Handlers>;
}

/** Waits until more can be written, or until the connection is closed. The listener for the other event goes, too: a long list has many pages. */
async function roomOrEnd(response: Response): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  over.abort();
}

function begin(response: Response, clear: boolean): void {
  response.status(200).set({ 'Content-Type': 'text/csv; charset=utf-8', 'Content-Disposition': 'attachment; filename="leads.csv"' });
  response.write(mark + plainCsvLine([...columns, ...(clear ? Object.keys(personColumns) : [])]));
}
