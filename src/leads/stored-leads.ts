/** Reads stored leads with the input of their newest attempt, page by page to save memory. */
import type { Client } from '@temporalio/client';
import { isObject, text } from '../domain/formats';
import type { JsonObject } from '../domain/lead';
import type { LeadList } from './lead-list';
import { bodyOf, ignoreLeadNotFound } from './runs';
import { newestRun } from './attempts';

const pageSize = 200;
/** Leads that are read at once. */
const atOnce = 10;

export interface StoredLead {
  readonly leadId: string;
  readonly flow: string;
  /** The name of its route. */
  readonly name: string;
  readonly body: JsonObject;
}

/** Yields the leads of these flows since then, newest first. */
export async function* storedLeads(
  client: Client,
  list: Pick<LeadList, 'page'>,
  { flows, since }: { readonly flows: readonly string[]; readonly since: string },
): AsyncGenerator<StoredLead> {
  async function readLead(leadId: string, flow: string): Promise<StoredLead | undefined> {
    // The lead may be erased after it was listed.
    const run = await newestRun(client, leadId).catch(ignoreLeadNotFound);
    const body = run && (await bodyOf(client, run).catch(ignoreLeadNotFound));
    return body && { leadId, flow, name: run.type, body };
  }

  for (let cursor: string | undefined; ;) {
    const { leads, nextCursor } = await list.page({ since, cursor }, pageSize);
    const found = (Array.isArray(leads) ? leads.filter(isObject) : []).filter(({ flow }) => flows.includes(String(flow)));
    for (let at = 0; at < found.length; at += atOnce) {
      const some = found.slice(at, at + atOnce);
      const read = await Promise.all(some.map(({ leadId, flow }) => readLead(String(leadId), String(flow))));
      yield* read.filter((lead) => lead !== undefined);
    }
    cursor = text(nextCursor);
    if (!cursor) return;
  }
}
