/** `POST /api/erase`: starts the run that erases the person, or signals the one that is under way, and waits a while for its end. */
import { WorkflowFailedError, type Client } from '@temporalio/client';
import { randomBytes } from 'node:crypto';
import { nothingErased, type EraseOrder, type Erased, type Hashes, type Receipt } from '../../domain/erase';
import { sameEmail, samePhone, sameSite } from '../../domain/found-by';
import type { KeyRing } from '../../keys/ring';
import { countedOf, whereOf } from '../../leads/erase';
import { listRuns, type Search } from '../../leads/search';
import { base32 } from '../../lib/base32';
import { errorNameOf } from '../../lib/errors';
import { log } from '../../lib/log';
import type { OpenJournal } from '../../send-journal/journal';
import { askEngine, isTimeUp, within } from '../../temporal/ask';
import { keyMark, withoutReading } from '../../temporal/engine';

export interface Person {
  readonly email?: string;
  readonly phone?: string;
  readonly patientId?: string;
  readonly instanceName?: string;
}

export interface Erase {
  count(person: Person): Promise<Omit<Erased, 'underWay'>>;
  /** The receipt, or the progress if the erasure is not done in time. */
  erase(person: Person): Promise<Receipt | Erased>;
}

const workflow = 'erasePerson';
const waitMs = 25_000;
const queryMs = 2_000;

export interface EraseNeeds {
  readonly client: Client;
  readonly keys: KeyRing;
  readonly taskQueue: string;
  readonly search: Search;
  readonly journal?: Pick<OpenJournal, 'stop'>;
}

export function createErase({ client, keys, taskQueue, search, journal }: EraseNeeds): Erase {
  const hashesOf = ({ email, phone, patientId, instanceName }: Person): Hashes => ({
    emails: email ? [keys.hash('email', sameEmail(email))] : [],
    phones: phone ? [keys.hash('phone', samePhone(phone))] : [],
    patients: patientId ? [keys.hash('patient', patientId)] : [],
    ...(instanceName && { site: sameSite(instanceName) }),
  });

  const unread = withoutReading(client, keys);

  return {
    async count(person) {
      await search.caughtUp();
      return countedOf(await listRuns(unread, whereOf(hashesOf(person))));
    },

    async erase(person) {
      const hashes = hashesOf(person);
      const { emails, phones } = hashes;
      const order: EraseOrder = {
        ...hashes,
        receiptId: `e${base32(randomBytes(16), 20)}`,
        // These runs' sites are not known here, so with a site only the index decides.
        known: hashes.site ? [] : search.begun([...emails, ...phones]),
      };
      // One run at a time erases the same person. Its id is a hash of the hashes, so that no lead can be found by it.
      const workflowId = `erase-${keys.hash('erase id', JSON.stringify(hashes), 20)}`;
      const askedAt = Date.now();
      const handle = await askEngine(client, () =>
        client.workflow.signalWithStart(workflow, {
          workflowId,
          taskQueue,
          args: [order],
          signal: 'erase',
          signalArgs: [askedAt],
          typedSearchAttributes: [keyMark(keys)],
          staticSummary: 'forgets a person, and goes on until that is so',
        }),
      );
      try {
        // The send journal stops the person's runs before the answer: even if everything crashes now, they send nothing more.
        const listed = await listRuns(unread, `${whereOf(hashes)} AND ExecutionStatus = 'Running'`);
        const before = listed.filter(({ startTime }) => startTime.getTime() <= askedAt);
        await journal?.stop([...order.known, ...before.map(({ workflowId, runId }) => ({ workflowId, runId }))]);
      } catch (error) {
        // The erasure has begun, and does the same by itself.
        log.warn('the erasure goes on alone', { reason: errorNameOf(error) });
        return nothingErased;
      }
      const run = client.workflow.getHandle<() => Promise<Receipt>>(workflowId, handle.signaledRunId, { followRuns: false });
      try {
        return await within(client, Date.now() + waitMs, () => run.result());
      } catch (error) {
        if (!isTimeUp(error) && !(error instanceof WorkflowFailedError)) throw error;
        return within(client, Date.now() + queryMs, () => run.query<Erased>('erased')).catch(() => nothingErased);
      }
    },
  };
}
