/** `POST /api/erase`: starts the run that erases the person, or signals the one that is under way, and waits a while for its end. */
import { WorkflowFailedError, type Client } from '@temporalio/client';
import { randomBytes } from 'node:crypto';
import { nothingErased, type EraseOrder, type ErasureProgress, type ErasedPerson, type Receipt } from '../../domain/erase';
import { sameEmail, samePhone, sameSite } from '../../domain/found-by';
import type { Address } from '../../domain/ids';
import type { KeyRing } from '../../keys/ring';
import { countedOf, personQuery } from '../../orders/erase';
import { listRuns, type Search } from '../../leads/search';
import { siteForms } from '../../leads/site-term';
import { base32 } from '../../lib/base32';
import { errorNameOf } from '../../lib/errors';
import { inGroups } from '../../lib/in-groups';
import { log } from '../../lib/log';
import { askEngine, cancelRun, describe, isDeadlineExceeded, within } from '../../temporal/ask';
import { keyAttribute, withoutDecryption } from '../../temporal/engine';

export interface Person {
  readonly email?: string;
  readonly phone?: string;
  readonly patientId?: string;
  readonly instanceName?: string;
}

export interface Erase {
  count(person: Person): Promise<Omit<ErasureProgress, 'underWay'>>;
  /** The receipt, or the progress if the erasure is not done in time. */
  erase(person: Person): Promise<NamedReceipt | ErasureProgress>;
}

/** The receipt as the caller hears it once: with the ids that are not kept. */
export type NamedReceipt = Receipt & Partial<Pick<ErasureProgress, 'leadIds' | 'underWay'>>;

const workflow = 'erasePerson';
const waitMs = 25_000;
const queryMs = 2_000;
const describedAtOnce = 8;

export interface EraseNeeds {
  readonly client: Client;
  readonly keys: KeyRing;
  readonly taskQueue: string;
  readonly search: Search;
}

export function createErase({ client, keys, taskQueue, search }: EraseNeeds): Erase {
  const hashesOf = ({ email, phone, patientId, instanceName }: Person): ErasedPerson => ({
    emails: email ? [keys.hash('email', sameEmail(email))] : [],
    phones: phone ? [keys.hash('phone', samePhone(phone))] : [],
    patients: patientId ? [keys.hash('patient', patientId)] : [],
    ...(instanceName && { sites: siteForms(keys, sameSite(instanceName)) }),
  });

  const unread = withoutDecryption(client, keys);

  /** The receipt of the newest erasure under this id, if it has ended. */
  async function receiptOf(workflowId: string): Promise<Receipt | undefined> {
    const last = await describe(client, workflowId);
    if (last?.status.name !== 'COMPLETED') return undefined;
    return askEngine(client, () => client.workflow.getHandle<() => Promise<Receipt>>(workflowId, last.runId).result());
  }

  /** Names the leads of a receipt, if this run has erased them. */
  async function named(receipt: Receipt, progress: () => Promise<ErasureProgress>): Promise<NamedReceipt> {
    const { leadIds, underWay } = await progress();
    return leadIds.length === receipt.leads ? { ...receipt, leadIds, underWay } : receipt;
  }

  /** Cancels the person's runs before the caller hears of it: even if everything crashes now, they begin no further step. */
  async function cancelOpen(hashes: ErasedPerson, known: readonly Address[], askedAt: number): Promise<void> {
    const listed = await listRuns(unread, `${personQuery(hashes)} AND ExecutionStatus = 'Running'`);
    const before = listed.filter(({ startTime, type }) => startTime.getTime() <= askedAt && type !== 'lock');
    await Promise.all([...known, ...before].map((run) => cancelRun(client, run)));
  }

  return {
    async count(person) {
      await search.waitUntilIndexed();
      const listed = await listRuns(unread, `${personQuery(hashesOf(person))} AND ExecutionStatus != 'ContinuedAsNew'`);
      // Only the engine tells which lead a run belongs to that has continued another: the index tells it in the memo, which is not read.
      const found = await inGroups(listed, describedAtOnce, ({ workflowId, runId }) => describe(unread, workflowId, runId));
      return countedOf(found.filter((run) => run !== undefined));
    },

    async erase(person) {
      const hashes = hashesOf(person);
      const { emails, phones } = hashes;
      // One run at a time erases the same person. Its id is a hash of the hashes, so that no lead can be found by it.
      const workflowId = `erase-${keys.hash('erase id', JSON.stringify(hashes), 20)}`;
      const order: EraseOrder = {
        ...hashes,
        receiptId: `e${base32(randomBytes(16), 20)}`,
        // These runs' sites are not known here, so with a site only the index decides.
        known: hashes.sites ? [] : search.recentlyStarted([...emails, ...phones]),
        previous: await receiptOf(workflowId),
      };
      const askedAt = Date.now();
      const handle = await askEngine(client, () =>
        client.workflow.signalWithStart(workflow, {
          workflowId,
          taskQueue,
          args: [order],
          signal: 'erase',
          signalArgs: [askedAt],
          typedSearchAttributes: [keyAttribute(keys)],
          staticSummary: "erases a person's data",
        }),
      );
      await cancelOpen(hashes, order.known, askedAt).catch((error: unknown) => {
        // The erasure has begun, and does the same by itself.
        log.warn('the erasure goes on alone', { reason: errorNameOf(error) });
      });
      const run = client.workflow.getHandle<() => Promise<Receipt>>(workflowId, handle.signaledRunId, { followRuns: false });
      const progress = () => within(client, Date.now() + queryMs, () => run.query<ErasureProgress>('erased')).catch(() => nothingErased);
      try {
        return await named(await within(client, Date.now() + waitMs, () => run.result()), progress);
      } catch (error) {
        if (!isDeadlineExceeded(error) && !(error instanceof WorkflowFailedError)) throw error;
        return progress();
      }
    },
  };
}
