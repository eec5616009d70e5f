/** Reads what the simulators really hold: the truth that answers are compared with. */
import { isObject } from '../../src/domain/formats';
import type { Stage } from './stage';

/** Of one person, by e-mail. */
export interface Held {
  /** How often a lead of this person was accepted. */
  readonly commits: number;
  readonly id: string;
  readonly comments: readonly string[];
}

export interface Seen {
  readonly call: string;
  readonly url: string;
  readonly body: string;
  readonly answered: number | null;
}

type Row = Readonly<Record<string, unknown>>;

const rowsOf = (value: unknown): Row[] => (Array.isArray(value) ? value.filter(isObject) : []);
const count = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** Each simulator's form of a person. */
const readers: Readonly<Record<string, (state: unknown) => [email: unknown, held: Held][]>> = {
  clinicsys: (state) =>
    rowsOf(state).flatMap(({ subjects }) =>
      rowsOf(subjects).map(({ email, subjectId, applications, comments }): [unknown, Held] => [
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
    /** By e-mail in lower case; a person who is there twice has the sum. */
    async held(): Promise<ReadonlyMap<string, Held>> {
      const all = await state();
      const found = new Map<string, Held>();
      for (const [email, held] of Object.entries(readers).flatMap(([name, read]) => read(all[name]))) {
        const person = String(email).toLowerCase();
        const before = found.get(person);
        const comments = [...(before?.comments ?? []), ...held.comments];
        found.set(person, { ...held, commits: held.commits + (before?.commits ?? 0), comments });
      }
      return found;
    },
    requests: async () => (await state()).requests as Seen[],
    release: () => ask(`${sandboxUrl}/__release`, 'POST'),
    reset: () => ask(`${sandboxUrl}/__reset`, 'POST'),
  };
}
