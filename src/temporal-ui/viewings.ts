/**
 * Writes the use of the decoder to the audit trail. The Temporal UI decodes the payloads of a page one by one, so all that a reader decodes
 * within a short time is one viewing. It has an entry before anything is decoded, and one at its end with the number of payloads and the leads.
 */
import type { Trail } from '../audit/trail';
import { messageOf } from '../lib/errors';
import { log } from '../lib/log';

/** A viewing ends when nothing was decoded for this long … */
const quietMs = 2_000;
/** … and at the latest after this, so that a long viewing has several entries. */
const longestMs = 30_000;

interface Reader {
  readonly who: string;
  readonly origin?: string;
  readonly address?: string;
}

interface Viewing {
  readonly startEntry: ReturnType<Trail['write']>;
  readonly endsBy: number;
  readonly leadIds: Set<string>;
  payloads: number;
  timer?: NodeJS.Timeout;
}

export interface Viewings {
  /** Resolves once the viewing is in the audit trail; throws if it cannot be written. */
  read(reader: Reader, payloads: number, leadIds: readonly string[]): Promise<void>;
  /** Writes the end of each open viewing. */
  close(): Promise<void>;
}

export function createViewings(trail: Trail): Viewings {
  const open = new Map<string, { readonly reader: Reader; readonly viewing: Viewing }>();

  async function end(key: string): Promise<void> {
    const found = open.get(key);
    if (!found) return;
    open.delete(key);
    const { reader, viewing } = found;
    clearTimeout(viewing.timer);
    const { payloads, leadIds } = viewing;
    const [leadId, ...others] = leadIds;
    const about = others.length > 0 ? { leadIds: [...leadIds] } : { leadId };
    try {
      await trail.write({ ...reader, action: 'decode', outcome: 'done', of: await viewing.startEntry, payloads, ...about });
    } catch (error) {
      log.error('the audit trail cannot be written', { action: 'decode', reason: messageOf(error) });
    }
  }

  function begin(key: string, reader: Reader): Viewing {
    const startEntry = trail.write({ ...reader, action: 'decode', outcome: 'asked' });
    const viewing: Viewing = { startEntry, endsBy: Date.now() + longestMs, leadIds: new Set(), payloads: 0 };
    open.set(key, { reader, viewing });
    startEntry.catch(() => {
      clearTimeout(viewing.timer);
      open.delete(key);
    });
    return viewing;
  }

  return {
    async read(reader, payloads, leadIds) {
      const key = JSON.stringify([reader.who, reader.origin, reader.address]);
      const viewing = open.get(key)?.viewing ?? begin(key, reader);
      viewing.payloads += payloads;
      for (const leadId of leadIds) viewing.leadIds.add(leadId);
      clearTimeout(viewing.timer);
      const restMs = Math.max(0, Math.min(quietMs, viewing.endsBy - Date.now()));
      viewing.timer = setTimeout(() => void end(key), restMs);
      await viewing.startEntry;
    },
    async close() {
      await Promise.all([...open.keys()].map(end));
    },
  };
}
