/**
 * What is about to be sent inside a workflow's own task, and what became of it (docs/decisions/0019). The engine knows of such a send
 * only when the task ends; when its worker dies before that, the task runs again, and the journal tells it what has been sent. The
 * engine's history stays the record: an entry is needed no longer than its task.
 */
import type { Address } from '../domain/ids';
import type { Send, SendJournal } from '../domain/sends';

/** The runs of which the engine has all of these on record, or which are over. */
export type Committed = (sends: readonly Send[]) => Promise<ReadonlySet<string>>;

export interface OpenJournal extends SendJournal {
  /** From now on no send of these runs begins, whichever process carries them. */
  stop(runs: readonly Address[]): Promise<void>;
  /** Of these runs, the ones with a send that has begun and not ended. */
  underWay(runIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Of runs that are erased nothing stays, but that they are stopped. */
  forget(runIds: ReadonlySet<string>): Promise<void>;
  /** Clears away what is not needed any more. */
  clear(settled: Committed, now?: number): Promise<void>;
  close(): Promise<void>;
}
