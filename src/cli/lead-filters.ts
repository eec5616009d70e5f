/** The options that say which leads are meant, for the commands that list them. */
import { flows } from '../contract/flows';
import { isObject } from '../domain/formats';
import { states, type JsonObject } from '../domain/lead';
import type { Option } from './command';
import type { Gateway } from './gateway';

const by = (about: string, words?: readonly string[]) => ({ type: 'string', about, words }) as const satisfies Option;

export const filters = {
  state: by('how far it is', states),
  flow: by('the way it takes', flows),
  email: by("the person's e-mail; looked up by its keyed hash"),
  phone: by('the same with the phone number, in any punctuation'),
  'patient-id': by("the same with the upstream's patient id"),
  site: by('site or instance, by name or slug'),
  study: by('study id'),
  protocol: by('protocol'),
} as const;

/** How a time may be written. */
export const timeForms = '2026-11-21, 2026-11-21T14:00Z, or 90m, 2h, 3d ago';

/** Option → the API's query parameter, where they differ. */
const parameters: Readonly<Record<string, string>> = { 'patient-id': 'patientId', study: 'studyId' };

/** The filters that were given, as a query of the API. */
export function queryOf(options: Readonly<Record<string, unknown>>): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of Object.keys(filters)) {
    const value = options[name];
    if (typeof value === 'string') query.set(parameters[name] ?? name, value);
  }
  return query;
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time as the API reads it. */
export function moment(given: string): string {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(given) ?? [];
  return count && unit ? new Date(Date.now() - Number(count) * (units[unit] ?? 0)).toISOString() : given;
}

const mostOnPage = 200;

/** The leads that the query finds, newest first, page by page. */
export async function pages(gateway: Gateway, query: URLSearchParams, limit = Infinity): Promise<{ leads: JsonObject[]; isMore: boolean }> {
  const leads: JsonObject[] = [];
  const asked = new URLSearchParams(query);
  for (;;) {
    asked.set('limit', String(Math.min(limit - leads.length, mostOnPage)));
    const page = await gateway.get(`/api/leads?${asked.toString()}`);
    if (Array.isArray(page.leads)) leads.push(...page.leads.filter(isObject));
    if (typeof page.nextCursor !== 'string') return { leads, isMore: false };
    if (leads.length >= limit) return { leads, isMore: true };
    asked.set('cursor', page.nextCursor);
  }
}
