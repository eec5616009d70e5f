/** Reads entries of the audit trail by time, lead and action. */
import { parseEntry, readTrailFiles, type Entry } from './lines';

export interface TrailFilter {
  readonly since?: string;
  readonly until?: string;
  readonly leadId?: string;
  readonly action?: string;
}

export type Listed = Entry & { readonly file: string };

const isAsked = ({ at, leadId, action, ...rest }: Entry, asked: TrailFilter): boolean =>
  (!asked.since || at >= asked.since) &&
  (!asked.until || at <= asked.until) &&
  (!asked.action || action === asked.action) &&
  (!asked.leadId || leadId === asked.leadId || (Array.isArray(rest.leadIds) && rest.leadIds.includes(asked.leadId)));

const isOwn = ({ action }: Entry) => action === 'opened';

/** Newest first, without the first lines of files. */
export async function readTrail(dir: string, asked: TrailFilter): Promise<Listed[]> {
  const files = await readTrailFiles(dir);
  const entries = files.flatMap(({ name, lines }) =>
    lines.flatMap((line): Listed[] => {
      const entry = parseEntry(line);
      return entry && !isOwn(entry) && isAsked(entry, asked) ? [{ ...entry, file: name }] : [];
    }),
  );
  return entries.sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : other.seq - one.seq));
}
