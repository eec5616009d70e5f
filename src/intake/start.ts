/** A request → its run: a new one, or the one that it belongs to. */
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config/config';
import { ApiError, engineAway, keyReused } from '../contract/errors';
import { attemptIdOf, leadIdOf, unconfirmedIdOf } from '../domain/ids';
import type { KeyRing } from '../keys/ring';
import type { Claims } from '../leads/claims';
import { describe, isOpen, leadIdOfRun, memoOf, newestRun, type Found } from '../leads/runs';
import type { Search } from '../leads/search';
import { log } from '../lib/log';
import { UnknownKey } from '../temporal/codec';
import { isRefusal, within } from '../temporal/deadline';
import { createHomes, leftKey } from './homes';
import { identify, type Identity } from './identity';
import { createRunOptions, type Attempt, type Place, type Request, type ReusePolicy } from './run-options';

export interface Run {
  readonly workflowId: string;
  readonly runId: string;
  /** Empty for a call. */
  readonly leadId: string;
  /** Started by this very request. */
  readonly isNew: boolean;
  /** The same Idempotency-Key was here before. */
  readonly replayed: boolean;
  /** True if the sandbox stood in for any upstream. */
  readonly isSandbox: boolean;
}

export interface Starter {
  start(asked: Request): Promise<Run>;
  /** The run that this request belongs to already; undefined when it would be a new one. */
  find(asked: Request): Promise<Run | undefined>;
  /** Undefined when another order has started this attempt. */
  again(asked: Request, attempt: Attempt): Promise<Run | undefined>;
}

const startDeadlineMs = 3_000;
const askDeadlineMs = 1_500;
/** Younger than this, the last answer of the engine is proof enough that it is there. */
const freshMs = 200;
const mostTries = 20;
/** Between two looks at ids that others are changing. */
const lookAgainMs = 50;

export interface StarterNeeds {
  readonly client: Client;
  readonly config: Config;
  readonly keys: KeyRing;
  readonly claims: Claims;
  readonly search: Pick<Search, 'began' | 'changed'>;
  /** The id of the journal in which this installation notes its sends. */
  readonly journal?: string;
}

export function createStarter({ client, config, keys, claims, search, journal }: StarterNeeds): Starter {
  const { optionsOf, marks, hashesOf } = createRunOptions(config, keys, journal);
  let answeredAt = 0;

  /** Every call to the engine has a deadline, and tells when the engine was last heard. */
  async function ask<T>(deadlineMs: number, call: () => Promise<T>): Promise<T> {
    const result = await within(client, Date.now() + deadlineMs, call);
    answeredAt = Date.now();
    return result;
  }

  /** Before a start, so that "nothing was started" is known and not guessed when the engine is away. */
  async function mustBeThere(): Promise<void> {
    if (Date.now() - answeredAt < freshMs) return;
    try {
      await ask(askDeadlineMs, () => client.workflowService.getSystemInfo({}));
    } catch {
      throw notAccepted();
    }
  }

  const look = (workflowId: string, runId?: string): Promise<Found | undefined> =>
    ask(askDeadlineMs, () => describe(client, workflowId, runId)).catch((error: unknown) => {
      throw error instanceof UnknownKey ? unreadable() : error;
    });

  const homesOf = createHomes(claims, look);

  async function startNew(asked: Request, identity: Identity, place: Place, attempt?: Attempt): Promise<Run> {
    const options = optionsOf(asked, identity, place, attempt);
    const handle = await ask(startDeadlineMs, () => client.workflow.start(asked.name, options));
    return begun(asked, place, handle.firstExecutionRunId);
  }

  function begun(asked: Request, { workflowId, leadId }: Pick<Place, 'workflowId' | 'leadId'>, runId: string): Run {
    const { isSandbox } = asked;
    const run = { workflowId, runId, leadId: leadId ?? leadIdOf({ workflowId, runId }), isNew: true, replayed: false, isSandbox };
    search.began(run, hashesOf(asked.body));
    if (run.leadId) search.changed(run, 'began');
    return run;
  }

  /**
   * Undefined where the id is taken. A call that broke off may have counted: the run under the id tells. While nothing is there, a second
   * start can only do what the first has not done.
   */
  async function tryStart(asked: Request, identity: Identity, place: Place): Promise<Run | undefined> {
    let brokeOff: unknown;
    for (const reuse of [place.reuse, 'REJECT_DUPLICATE'] as const) {
      try {
        return await startNew(asked, identity, { ...place, reuse });
      } catch (error) {
        const isTaken = error instanceof WorkflowExecutionAlreadyStartedError;
        if (isTaken && brokeOff === undefined) return undefined;
        brokeOff ??= error;
        const unknown = () => outcomeUnknown(asked, place.workflowId, identity, brokeOff);
        const found = await look(place.workflowId).catch((asking: unknown) => {
          throw asking instanceof ApiError ? asking : unknown();
        });
        if (found && memoOf(found)?.nonce === identity.nonce) return begun(asked, place, found.runId);
        if (isTaken) return undefined;
        log.warn('start refused', { reason: nameOf(error) });
        if (isRefusal(error)) throw notAccepted();
        if (found || reuse !== place.reuse) throw unknown();
      }
    }
    throw outcomeUnknown(asked, place.workflowId, identity, brokeOff);
  }

  /** What is under an id that only this key makes. */
  function attached(found: Found, { digest }: Identity, replayed: boolean): Run {
    const memo = memoOf(found);
    if (memo?.digest !== digest) throw keyReused();
    const { workflowId, runId } = found;
    return { workflowId, runId, leadId: leadIdOfRun(found), isNew: false, replayed, isSandbox: Boolean(memo.sandbox) };
  }

  /** A key is kept for its window, and for as long as its lead is under way. */
  async function isFree(found: Found): Promise<boolean> {
    if (isOpen(found)) return false;
    if (await ask(askDeadlineMs, () => leftKey(client, found))) return true;
    if (Date.now() - found.startTime.getTime() <= config.IDEMPOTENCY_WINDOW_H * 3_600_000) return false;
    const leadId = leadIdOfRun(found);
    return !leadId || !isOpen(await newestRun(client, leadId));
  }

  async function underOwnId(asked: Request, identity: Identity, place: Omit<Place, 'reuse'>): Promise<Run> {
    let reuse: ReusePolicy = 'REJECT_DUPLICATE';
    for (let tries = 0; tries < mostTries; tries++) {
      const run = await tryStart(asked, identity, { ...place, reuse });
      if (run) return run;
      const found = await look(place.workflowId);
      if (!found) continue;
      if (!(await isFree(found))) return attached(found, identity, true);
      reuse = 'ALLOW_DUPLICATE';
    }
    throw takenIn();
  }

  /** With a claim that is given back where the run did not begin. */
  async function claimed<R extends Run | undefined>(
    asked: Request,
    identity: Identity,
    workflowId: string,
    begin: (place: Omit<Place, 'reuse'>) => Promise<R>,
  ): Promise<R> {
    const { homes, lock, digest } = identity;
    if (homes.length === 0) return begin({ workflowId, lock });
    const taken = await homesOf(identity)
      .claim({ workflowId, digest }, marks(asked.body))
      .catch((error: unknown) => {
        throw error instanceof UnknownKey ? unreadable() : error instanceof ApiError ? error : notAccepted();
      });
    if (!taken) throw tooManyTwins();
    const { claim, isNew } = taken;
    const giveBack = () => void (isNew && claims.giveBack([claim]).catch(() => undefined));
    try {
      const run = await begin({ workflowId, claim, lock: claim.workflowId === lock ? undefined : lock });
      if (!run?.isNew) giveBack();
      return run;
    } catch (error) {
      // A lead that may have begun keeps its claim.
      if (!(error instanceof ApiError) || error.code !== 'OUTCOME_UNKNOWN') giveBack();
      throw error;
    }
  }

  /** The first start is all that a new person's lead takes. Only where the id was used before, it is looked who is under way. */
  async function underHome(asked: Request, identity: Identity): Promise<Run> {
    const { homes, lock } = identity;
    const first = await tryStart(asked, identity, { workflowId: homes[0] ?? '', reuse: 'REJECT_DUPLICATE' });
    if (first) return first;
    for (let tries = 0; tries < mostTries; tries++) {
      const { twin, free } = await homesOf(identity).look();
      if (twin && twin !== 'soon') return attached(twin, identity, false);
      if (!twin && free) {
        if (free.found) await claims.free(free.found);
        const place = { workflowId: free.id, lock: free.id === lock ? undefined : lock, reuse: 'ALLOW_DUPLICATE' } as const;
        const run = await tryStart(asked, identity, place);
        if (run) return run;
      }
      await pause(lookAgainMs);
    }
    throw takenIn();
  }

  return {
    async start(asked) {
      const identity = identify(asked, keys);
      const { own } = identity;
      await mustBeThere();
      if (own === undefined) return underHome(asked, identity);
      return claimed(asked, identity, own, (place) => underOwnId(asked, identity, place));
    },

    async find(asked) {
      const identity = identify(asked, keys);
      if (identity.own === undefined) {
        const { twin } = await homesOf(identity).look();
        return twin && twin !== 'soon' ? attached(twin, identity, false) : undefined;
      }
      const found = await look(identity.own);
      return found && !(await isFree(found)) ? attached(found, identity, true) : undefined;
    },

    async again(asked, attempt) {
      const { leadId, orderId } = attempt;
      const identity = identify(asked, keys);
      const workflowId = attemptIdOf(leadId, attempt.attempt);
      await mustBeThere();
      return claimed(asked, identity, workflowId, async (place) => {
        try {
          return await startNew(asked, identity, { ...place, leadId, reuse: 'REJECT_DUPLICATE' }, attempt);
        } catch (error) {
          // The call may have broken off after it counted: the run itself says whose it is.
          const found = await look(workflowId).catch(() => undefined);
          const memo = found && memoOf(found);
          if (found && memo?.redrive?.orderId === orderId)
            return { ...begun(asked, { workflowId, leadId }, found.runId), isNew: memo.nonce === identity.nonce };
          if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
          throw outcomeUnknown(asked, workflowId, identity, error, leadId);
        }
      });
    },
  };
}

const unreadable = () =>
  new ApiError(
    'OUTCOME_UNKNOWN',
    'This was accepted before. The encryption key that wrote it is not here, so it cannot be said what became of it',
  );

const notAccepted = () => engineAway('The engine does not answer: nothing was started');
const takenIn = () => engineAway('The same lead is being taken in at this moment: nothing was started');
const tooManyTwins = () => engineAway('Too many leads with this very body are under way: nothing was started');

function outcomeUnknown({ carried, dryRun }: Request, workflowId: string, { nonce }: Identity, error: unknown, known?: string): ApiError {
  const leadId = carried === 'lead' && !dryRun ? (known ?? unconfirmedIdOf(workflowId, nonce)) : undefined;
  log.error('start outcome unknown', { reason: nameOf(error), leadId });
  return new ApiError('OUTCOME_UNKNOWN', 'The engine stopped answering while the lead was handed over: it may have been accepted', {
    errorContext: leadId ? { leadId } : {},
  });
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : 'unknown');
