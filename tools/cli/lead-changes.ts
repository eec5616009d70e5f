/** Polls the API for leads that changed, and leaves out changes that it has already returned. */
import type { Leadgate } from '../client';
import type { ListLeadsInput } from '../client/generated/leads';
import { pages, type FoundLead } from './lead-filters';

/**
 * The longest time until the index shows a change: a workflow task takes up to 10 s, and the index lags 2 s behind. So each poll begins
 * this long before the newest known change.
 */
const lateMs = 30_000;

const changedAt = ({ updatedAt }: FoundLead): number => Date.parse(updatedAt);

/** Returns a function that returns the changes since its last call, the oldest first. */
export function changesSince(gateway: Leadgate, filter: ListLeadsInput, begin: string): () => Promise<FoundLead[]> {
  /** Lead → its last known change. */
  let known = new Map<string, FoundLead>();
  let since = begin;
  let newest = 0;
  /** Undefined while the gateway is unavailable. Afterwards the engine may list changes late, so `since` does not advance for a while. */
  let availableSince: number | undefined = 0;

  const isNewChange = (lead: FoundLead): boolean => {
    const before = known.get(lead.leadId);
    return changedAt(lead) >= Date.parse(since) && (lead.updatedAt !== before?.updatedAt || lead.state !== before.state);
  };

  return async () => {
    const { leads } = await pages(gateway, { ...filter, changedSince: since }).catch((error: unknown) => {
      availableSince = undefined;
      throw error;
    });
    availableSince ??= Date.now();
    const found = leads.filter(isNewChange).toSorted((one, other) => changedAt(one) - changedAt(other));
    for (const lead of found) {
      known.set(lead.leadId, lead);
      newest = Math.max(newest, changedAt(lead));
    }
    if (Date.now() - availableSince >= lateMs) {
      if (newest - lateMs > Date.parse(since)) since = new Date(newest - lateMs).toISOString();
      known = new Map([...known].filter(([, lead]) => changedAt(lead) >= Date.parse(since)));
    }
    return found;
  };
}

/** The gateway's time, because the clock of this machine may differ. */
export async function timeOf({ leads }: Leadgate): Promise<string> {
  let date: string | null = null;
  await leads.listLeads({ limit: 1 }, { onAnswer: ({ headers }) => (date = headers.get('date')) });
  return new Date(date ?? Date.now()).toISOString();
}
