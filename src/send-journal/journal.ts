/**
 * The send journal: what is about to be sent inside a workflow's own task, and how it ended (docs/decisions/0002). The engine learns of
 * such a send only when the task ends. If the worker dies before that, the task runs again, and the journal tells what was sent. The
 * engine's history stays the record, so an entry is needed only until its task is committed.
 */
import type { Address } from '../domain/ids';
import type { Send, SendJournal } from '../domain/sends';

/** Returns the runs whose sends the engine has all committed, or which are over. */
export type Committed = (sends: readonly Send[]) => Promise<ReadonlySet<string>>;

export interface OpenJournal extends SendJournal {
  /** Stops these runs: no send of theirs begins after this, in any process. */
  stop(runs: readonly Address[]): Promise<void>;
  /** The runs, out of these, that have a send under way. */
  underWay(runIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Forgets everything about erased runs, except that they are stopped. */
  forget(runIds: ReadonlySet<string>): Promise<void>;
  /** Removes entries that are not needed any more. */
  clear(committed: Committed, now?: number): Promise<void>;
  close(): Promise<void>;
}
