/** Erases a person's data: starts the erasure run, or signals the one in progress, and waits a while for its end. */
import { WorkflowFailedError, type Client } from '@temporalio/client';
import { randomBytes } from 'node:crypto';
import type { ErasedEvidence } from '../../audit/evidence';
import { erasureWorkflow, nothingErased, type EraseOrder, type ErasureProgress, type ErasedPerson, type Receipt } from '../../domain/erase';
import { sameEmail, samePhone, sameSite } from '../../domain/found-by';
import type { Address } from '../../domain/ids';
import type { Requester } from '../../domain/requester';
import type { KeyRing } from '../../keys/ring';
import { countedOf, personQuery } from '../../orders/erase';
import { listRuns, type Search } from '../../leads/search';
import { siteForms } from '../../leads/site-term';
import { base32 } from '../../lib/base32';
import { errorNameOf, messageOf } from '../../lib/errors';
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
  /** Resolves to the receipt, or to the progress if the erasure has not ended in time. */
  erase(person: Person, requester: Requester): Promise<NamedReceipt | ErasureProgress>;
}

/** The receipt with the lead ids, which are returned once and not stored. */
export type NamedReceipt = Receipt & Partial<Pick<ErasureProgress, 'leadIds' | 'underWay'>>;

const waitMs = 25_000;
const queryMs = 2_000;
const describedAtOnce = 8;

export interface ErasureNeeds {
  readonly client: Client;
  readonly keys: KeyRing;
  readonly taskQueue: string;
  readonly search: Search;
  readonly forget: (person: ErasedEvidence, requester: Requester) => Promise<void>;
}

export function createErase({ client, keys, taskQueue, search, forget }: ErasureNeeds): Erase {
  const hashesOf = ({ email, phone, patientId, instanceName }: Person): ErasedPerson => ({
    emails: email ? [keys.hash('email', sameEmail(email))] : [],
    phones: phone ? [keys.hash('phone', samePhone(phone))] : [],
    patients: patientId ? [keys.hash('patient', patientId)] : [],
    ...(instanceName && { sites: siteForms(keys, sameSite(instanceName)) }),
  });

  const undecodedClient = withoutDecryption(client, keys);

  /** Reads the receipt of the last erasure with this id, if it has ended. */
  async function receiptOf(workflowId: string): Promise<Receipt | undefined> {
    const last = await describe(client, workflowId);
    if (last?.status.name !== 'COMPLETED') return undefined;
    return askEngine(client, () => client.workflow.getHandle<() => Promise<Receipt>>(workflowId, last.runId).result());
  }

  /** Adds the lead ids to a receipt, if this run erased the leads. */
  const withLeadIds = (receipt: Receipt, { leadIds, underWay }: ErasureProgress): NamedReceipt =>
    leadIds.length === receipt.leads ? { ...receipt, leadIds, underWay } : receipt;

  /** Removes the evidence from this machine's trail, if the erasure ran on another machine. False if the trail cannot be written. */
  const isForgotten = (
    person: ErasedPerson,
    { leadIds }: ErasureProgress,
    { requestedAt, requester }: { readonly requestedAt: number; readonly requester: Requester },
  ): Promise<boolean> =>
    forget({ ...person, leadIds, until: new Date(requestedAt).toISOString() }, requester).then(
      () => true,
      (error: unknown) => {
        log.error('the evidence about an erased person could not be removed', { reason: messageOf(error) });
        return false;
      },
    );

  /** Cancels the person's runs before the answer, so that they start no further step even after a crash. */
  async function cancelOpen(hashes: ErasedPerson, known: readonly Address[], requestedAt: number): Promise<void> {
    const listed = await listRuns(undecodedClient, `${personQuery(hashes)} AND ExecutionStatus = 'Running'`);
    const before = listed.filter(({ startTime, type }) => startTime.getTime() <= requestedAt && type !== 'lock');
    await Promise.all([...known, ...before].map((run) => cancelRun(client, run)));
  }

  return {
    async count(person) {
      await search.waitUntilIndexed();
      const listed = await listRuns(undecodedClient, `${personQuery(hashesOf(person))} AND ExecutionStatus != 'ContinuedAsNew'`);
      // Describe each run, because a run that continued another has its lead only in the memo, which the list does not decode.
      const found = await inGroups(listed, describedAtOnce, ({ workflowId, runId }) => describe(undecodedClient, workflowId, runId));
      return countedOf(found.filter((run) => run !== undefined));
    },

    async erase(person, requester) {
      const hashes = hashesOf(person);
      const { emails, phones } = hashes;
      // Only one run at a time erases the same person. Its id is a hash of the hashes, so that it does not reveal a lead.
      const workflowId = `erase-${keys.hash('erase id', JSON.stringify(hashes), 20)}`;
      const order: EraseOrder = {
        ...hashes,
        receiptId: `e${base32(randomBytes(16), 20)}`,
        requester,
        // The sites of these runs are unknown here, so an erasure by site uses only the index.
        known: hashes.sites ? [] : search.recentlyStarted([...emails, ...phones]),
        previous: await receiptOf(workflowId),
      };
      const requestedAt = Date.now();
      const handle = await askEngine(client, () =>
        client.workflow.signalWithStart(erasureWorkflow, {
          workflowId,
          taskQueue,
          args: [order],
          signal: 'erase',
          signalArgs: [requestedAt],
          typedSearchAttributes: [keyAttribute(keys)],
          staticSummary: "erases a person's data",
        }),
      );
      await cancelOpen(hashes, order.known, requestedAt).catch((error: unknown) => {
        // The erasure run cancels them, too.
        log.warn("the API could not cancel the person's runs: the erasure run does", { reason: errorNameOf(error) });
      });
      const run = client.workflow.getHandle<() => Promise<Receipt>>(workflowId, handle.signaledRunId, { followRuns: false });
      const progress = () => within(client, Date.now() + queryMs, () => run.query<ErasureProgress>('erased')).catch(() => nothingErased);
      try {
        const receipt = await within(client, Date.now() + waitMs, () => run.result());
        const erased = await progress();
        return (await isForgotten(hashes, erased, { requestedAt, requester })) ? withLeadIds(receipt, erased) : erased;
      } catch (error) {
        if (!isDeadlineExceeded(error) && !(error instanceof WorkflowFailedError)) throw error;
        return progress();
      }
    },
  };
}
