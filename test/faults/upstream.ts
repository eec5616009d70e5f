/** Reads the records of the simulators, which answers are compared with. */
import { isObject } from '../../src/domain/formats';
import type { Stage } from './stage';

/** The records of one person. */
export interface UpstreamRecords {
  /** How many leads of this person were accepted. */
  readonly commits: number;
  readonly id: string;
  readonly comments: readonly string[];
}

export interface ReceivedRequest {
  readonly call: string;
  readonly url: string;
  readonly body: string;
  readonly answered: number | null;
}

type StateRow = Readonly<Record<string, unknown>>;

const rowsOf = (value: unknown): StateRow[] => (Array.isArray(value) ? value.filter(isObject) : []);
const count = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** Reads the people of each simulator. */
const readers: Readonly<Record<string, (state: unknown) => [email: unknown, held: UpstreamRecords][]>> = {
  clinicsys: (state) =>
    rowsOf(state).flatMap(({ subjects }) =>
      rowsOf(subjects).map(({ email, subjectId, applications, comments }): [unknown, UpstreamRecords] => [
        email,
        { commits: count(applications), id: String(subjectId), comments: Array.isArray(comments) ? comments.map(String) : [] },
      ]),
    ),
  recruitment: (state) =>
    rowsOf(state).map(({ email, patientId, leads }) => [email, { commits: count(leads), id: String(patientId), comments: [] }]),
  leadforms: (state) => rowsOf(state).map(({ email, submission_id }) => [email, { commits: 1, id: String(submission_id), comments: [] }]),
  screening: (state) => rowsOf(state).map(({ email, id }) => [email, { commits: 1, id: String(id), comments: [] }]),
};

export function upstreamOf({ ask, sandboxUrl }: Stage) {
  const state = async () => (await ask(`${sandboxUrl}/__state`)).body;
  return {
    /** By e-mail in lower case; the records of a duplicate person are added up. */
    async held(): Promise<ReadonlyMap<string, UpstreamRecords>> {
      const all = await state();
      const found = new Map<string, UpstreamRecords>();
      for (const [email, held] of Object.entries(readers).flatMap(([name, read]) => read(all[name]))) {
        const person = String(email).toLowerCase();
        const before = found.get(person);
        const comments = [...(before?.comments ?? []), ...held.comments];
        found.set(person, { ...held, commits: held.commits + (before?.commits ?? 0), comments });
      }
      return found;
    },
    requests: async () => (await state()).requests as ReceivedRequest[],
    release: () => ask(`${sandboxUrl}/__release`, 'POST'),
    reset: () => ask(`${sandboxUrl}/__reset`, 'POST'),
  };
}
