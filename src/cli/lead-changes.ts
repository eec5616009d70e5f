/**
 * Finds the changes of leads: asks the API for the leads that changed since a moment, again and again, and leaves out the changes that it
 * has found before.
 */
import { text } from '../domain/formats';
import type { JsonObject } from '../domain/lead';
import { refused, type Gateway } from './gateway';
import { pages } from './lead-filters';

/**
 * The index shows a change at most this long after the change's own time: a workflow task takes up to 10 s, and the index lags 2 s behind.
 * So each question begins this long before the newest change that is known.
 */
const lateMs = 30_000;

const changedAt = ({ updatedAt }: JsonObject): number => Date.parse(text(updatedAt) ?? '');

/** Returns a function that finds what has changed since its last call, the oldest change first. */
export function changesSince(gateway: Gateway, query: URLSearchParams, begin: string): () => Promise<JsonObject[]> {
  /** Lead → its last known change. */
  let known = new Map<unknown, JsonObject>();
  let since = begin;
  let newest = 0;
  /** Undefined while the gateway is away. An engine that was away, too, may list its last changes late, so `since` then stays for a while. */
  let answersSince: number | undefined = 0;

  const isNew = (lead: JsonObject): boolean => {
    const { updatedAt, state } = known.get(lead.leadId) ?? {};
    return changedAt(lead) >= Date.parse(since) && (lead.updatedAt !== updatedAt || lead.state !== state);
  };

  return async () => {
    const asked = new URLSearchParams([...query, ['changedSince', since]]);
    const { leads } = await pages(gateway, asked).catch((error: unknown) => {
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
export async function timeOf(gateway: Gateway): Promise<string> {
  const answered = await gateway.ask('GET', '/api/leads?limit=1');
  if (answered.status >= 300) throw refused(answered);
  return new Date(answered.headers.get('date') ?? Date.now()).toISOString();
}
