/**
 * Says who may see a person's record in clear, and puts each such read on the audit trail before the answer goes out. An answer that
 * cannot be recorded is refused. A tool that polls is recorded once an hour.
 */
import type { Request } from 'express';
import type { Trail } from '../../audit/trail';
import type { Caller } from '../../config/callers';
import { ApiError } from '../../contract/errors';
import { BoundedMap } from '../../lib/bounded-map';
import { recorded } from '../audited';

/** True if the caller may see a lead of these senders in clear, false if masked. Throws for a caller who may not see it at all. */
export function seesInClear({ name, scopes }: Caller, senders: readonly string[]): boolean {
  if (scopes.includes('operator') || senders.includes(name)) return true;
  if (scopes.includes('leads')) return false;
  throw new ApiError('FORBIDDEN', 'With the scope send a key reads only the leads that it sent');
}

export interface Shown {
  /** The path of the route, as the contract writes it. */
  readonly route: string;
  readonly leadIds?: readonly string[];
  /** Of a call, which is about no lead: its run, and a keyed hash of what was asked. */
  readonly run?: string;
  readonly question?: string;
}

export interface Reads {
  /** Resolves when the read is on the trail. Throws a refusal if it cannot be written. */
  note(request: Pick<Request, 'socket'>, caller: Caller, shown: Shown): Promise<void>;
}

interface Note {
  readonly at: number;
  readonly written: Promise<unknown>;
}

const windowMs = 3_600_000;
/** So many reads are remembered; the oldest is forgotten first, and recorded again. */
const most = 10_000;

const whoIs = ({ name, scopes }: Caller): string => name || (scopes.includes('operator') ? 'local' : 'without a key');

/** `now`: milliseconds of a clock that is never set back. */
export function createReads(trail: Trail, now: () => number = () => performance.now()): Reads {
  const isOutdated = ({ at }: Note) => now() - at >= windowMs;
  const noted = new BoundedMap<string, Note>(most, isOutdated);

  return {
    async note({ socket: { remoteAddress: address } }, caller, { route, leadIds = [], run, question }) {
      const who = whoIs(caller);
      const keyOf = (subject: string) => JSON.stringify([who, address, subject]);
      const isNoted = (subject: string) => {
        const known = noted.get(keyOf(subject));
        return known !== undefined && !isOutdated(known);
      };
      const subjects = question === undefined ? leadIds : [question];
      const fresh = subjects.filter((subject) => !isNoted(subject));
      if (fresh.length > 0) {
        const [leadId, ...others] = question === undefined ? fresh : [];
        const about = others.length > 0 ? { leadIds: fresh } : { leadId };
        const facts = { who, action: 'read in clear', outcome: 'done', route, address, ...about, run };
        const written = recorded(trail, facts, 'nothing is shown');
        for (const subject of fresh) noted.set(keyOf(subject), { at: now(), written });
      }
      try {
        await Promise.all(subjects.flatMap((subject) => noted.get(keyOf(subject))?.written ?? []));
      } catch (error) {
        for (const subject of subjects) noted.delete(keyOf(subject));
        throw error;
      }
    },
  };
}
