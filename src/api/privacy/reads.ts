/**
 * Decides who can read a lead in clear, and records each such read on the audit trail before the answer. Refuses a read that cannot be
 * recorded. Records repeated reads once an hour.
 */
import type { Trail } from '../../audit/trail';
import type { Caller } from '../../config/callers';
import { ApiError } from '../../contract/errors';
import type { Requester } from '../../domain/requester';
import { BoundedMap } from '../../lib/bounded-map';
import { recordOrRefuse } from '../audited';

/** Returns true if the caller can read a lead of these senders in clear, and false if masked. Throws if the caller cannot read it at all. */
export function canReadInClear({ name, scopes }: Caller, senders: readonly string[]): boolean {
  if (scopes.includes('operator') || senders.includes(name)) return true;
  if (scopes.includes('leads')) return false;
  throw new ApiError('FORBIDDEN', 'A key with the scope send can read only the leads that it sent');
}

export interface ClearRead {
  /** The path of the route, as the contract writes it. */
  readonly route: string;
  readonly leadIds?: readonly string[];
  /** For a call, which has no lead: its run, and a keyed hash of its input. */
  readonly run?: string;
  readonly question?: string;
}

export interface Reads {
  /** Resolves when the read is recorded. Throws if it cannot be. */
  record(requester: Requester, shown: ClearRead): Promise<void>;
}

interface RecordedRead {
  readonly at: number;
  readonly written: Promise<unknown>;
}

const windowMs = 3_600_000;
/** The maximum number of remembered reads. A forgotten one is recorded again. */
const mostRemembered = 10_000;

/** `now` must be monotonic, in milliseconds. */
export function createReads(trail: Trail, now: () => number = () => performance.now()): Reads {
  const isOutdated = ({ at }: RecordedRead) => now() - at >= windowMs;
  const recordedReads = new BoundedMap<string, RecordedRead>(mostRemembered, isOutdated);

  return {
    async record(requester, { route, leadIds = [], run, question }) {
      const keyOf = (subject: string) => JSON.stringify([requester.who, requester.address, subject]);
      const isRecorded = (subject: string) => {
        const known = recordedReads.get(keyOf(subject));
        return known !== undefined && !isOutdated(known);
      };
      const subjects = question === undefined ? leadIds : [question];
      const fresh = subjects.filter((subject) => !isRecorded(subject));
      if (fresh.length > 0) {
        const [leadId, ...others] = question === undefined ? fresh : [];
        const about = others.length > 0 ? { leadIds: fresh } : { leadId };
        const facts = { ...requester, action: 'read in clear', outcome: 'done', route, ...about, run };
        const written = recordOrRefuse(trail, facts, 'nothing is shown');
        for (const subject of fresh) recordedReads.set(keyOf(subject), { at: now(), written });
      }
      try {
        await Promise.all(subjects.flatMap((subject) => recordedReads.get(keyOf(subject))?.written ?? []));
      } catch (error) {
        for (const subject of subjects) recordedReads.delete(keyOf(subject));
        throw error;
      }
    },
  };
}
