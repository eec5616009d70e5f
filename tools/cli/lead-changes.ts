/**
 * Finds the changes of leads: asks the API for the leads that changed since a moment, again and again, and leaves out the changes that it
 * has found before.
 */
import type { Leadgate } from '../client';
import type { ListLeadsInput } from '../client/generated/leads';
import { pages, type FoundLead } from './lead-filters';

/**
 * The index shows a change at most this long after the change's own time: a workflow task takes up to 10 s, and the index lags 2 s behind.
 * So each question begins this long before the newest change that is known.
 */
const lateMs = 30_000;

const changedAt = ({ updatedAt }: FoundLead): number => Date.parse(updatedAt);

/** Returns a function that finds what has changed since its last call, the oldest change first. */
export function changesSince(gateway: Leadgate, filter: ListLeadsInput, begin: string): () => Promise<FoundLead[]> {
  /** Lead → its last known change. */
  let known = new Map<string, FoundLead>();
  let since = begin;
  let newest = 0;
  /** Undefined while the gateway is away. Its engine may then list the last changes late, so `since` stays for a while. */
  let answersSince: number | undefined = 0;

  const isNew = (lead: FoundLead): boolean => {
    const before = known.get(lead.leadId);
    return changedAt(lead) >= Date.parse(since) && (lead.updatedAt !== before?.updatedAt || lead.state !== before.state);
  };

  return async () => {
    const { leads } = await pages(gateway, { ...filter, changedSince: since }).catch((error: unknown) => {
      answersSince = undefined;
      throw error;
    });
    answersSince ??= Date.now();
    const found = leads.filter(isNew).toSorted((one, other) => changedAt(one) - changedAt(other));
    for (const lead of found) {
      known.set(lead.leadId, lead);
      newest = Math.max(newest, changedAt(lead));
    }
    if (Date.now() - answersSince >= lateMs) {
      if (newest - lateMs > Date.parse(since)) since = new Date(newest - lateMs).toISOString();
      known = new Map([...known].filter(([, lead]) => changedAt(lead) >= Date.parse(since)));
    }
    return found;
  };
}

/** The gateway's own time, because the clock of this machine may differ. */
export async function timeOf({ leads }: Leadgate): Promise<string> {
  let date: string | null = null;
  await leads.listLeads({ limit: 1 }, { onAnswer: ({ headers }) => (date = headers.get('date')) });
  return new Date(date ?? Date.now()).toISOString();
}
