/** Finds duplicate rows in a file of leads: the same person, site, study and protocol. The first row is kept. */
import { accountOf } from './clinicsys';
import { pick, text } from './formats';
import type { JsonObject } from './lead';
import { emailOf, phonesOf, sameSite, term } from './found-by';

const nameFields = ['firstName', 'first_name', 'lastName', 'last_name'] as const;

const sameName = (body: JsonObject): string =>
  nameFields.map((field) => (text(pick(body, field)) ?? '').toLowerCase().replace(/\s+/g, ' ')).join('\0');

/** The account, site, study and protocol. */
const placeOf = (body: JsonObject): string =>
  [accountOf(body), sameSite(term(body, 'site') ?? ''), term(body, 'study') ?? '', term(body, 'protocol') ?? ''].join('\0').toLowerCase();

export interface SeenLeads {
  /** Adds the row. Returns the line of an earlier row that is the same lead, if any. */
  add(body: JsonObject, line: number): number | undefined;
}

/** The e-mail identifies the person; if either row has none, phone and name do. */
export function createSeenLeads(): SeenLeads {
  const byEmail = new Map<string, number>();
  const byPhone = new Map<string, number>();
  const byPhoneAlone = new Map<string, number>();
  const keep = (lines: Map<string, number>, key: string | undefined, line: number) => {
    if (key !== undefined && !lines.has(key)) lines.set(key, line);
  };
  return {
    add(body, line) {
      const place = placeOf(body);
      const email = emailOf(body);
      const [phone] = phonesOf(body);
      const mail = email && [place, email].join('\0');
      const call = phone && [place, phone, sameName(body)].join('\0');
      const found = mail ? (byEmail.get(mail) ?? byPhoneAlone.get(call ?? '')) : byPhone.get(call ?? '');
      if (found !== undefined) return found;
      keep(byEmail, mail, line);
      keep(byPhone, call, line);
      if (!mail) keep(byPhoneAlone, call, line);
      return undefined;
    },
  };
}
