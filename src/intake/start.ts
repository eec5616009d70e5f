/** Starts the run of a request, or finds the run that the request belongs to. A start that broke off is looked up before it is repeated. */
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config/config';
import { isSandboxed } from '../config/upstreams';
import { ApiError } from '../contract/errors';
import { attemptIdOf, leadIdOf } from '../domain/ids';
import { memoOf } from '../domain/memo';
import type { KeyRing } from '../keys/ring';
import { isUnder, type Claims } from '../leads/claims';
import { isOpen, leadIdOfRun } from '../leads/runs';
import type { Search } from '../leads/search';
import { errorNameOf } from '../lib/errors';
import { log } from '../lib/log';
import { UnknownKey } from '../temporal/codec';
import { askEngine, describe, isRefusal, within, type Found } from '../temporal/ask';
import { createHomes } from './homes';
import { isKeyFree } from './idempotency-key';
import { identify, mustBeSame, type Identity } from './identity';
import { createRunOptions, type NextAttempt, type Place, type Request, type ReusePolicy } from './run-options';
import { notAccepted, outcomeUnknown, takenIn, tooManyTwins, unreadable } from './start-errors';

export interface Run {
  readonly workflowId: string;
  readonly runId: string;
  /** Empty for a call. */
  readonly leadId: string;
  /** True if this request started it. */
  readonly isNew: boolean;
  /** True if an earlier request used the same Idempotency-Key. */
  readonly replayed: boolean;
  /** True if the sandbox stood in for any upstream. */
  readonly isSandbox: boolean;
}

export interface Starter {
  start(asked: Request): Promise<Run>;
  /** The run that this request belongs to; undefined if it would start a new one. */
  find(asked: Request): Promise<Run | undefined>;
  /** Starts the next attempt of a failed lead. Undefined if another order has started this attempt. */
  again(asked: Request, attempt: NextAttempt): Promise<Run | undefined>;
}

/** An answer of the engine that is younger than this proves that it is there. */
const freshMs = 200;
/** How long that answer is waited for. With the admission's count before it, a caller is refused within five seconds. */
const thereMs = 3_500;
const mostTries = 20;
/** Pause before the homes are looked at again, while another request changes them. */
const lookAgainMs = 50;

export interface StarterNeeds {
  readonly client: Client;
  readonly config: Config;
  readonly keys: KeyRing;
  readonly claims: Claims;
  readonly search: Pick<Search, 'began' | 'changed'>;
  /** The id of this installation's send journal, if it has one. */
  readonly journal?: string;
}

export function createStarter({ client, config, keys, claims, search, journal }: StarterNeeds): Starter {
  const { optionsOf, claimAttributes, hashesOf } = createRunOptions(config, keys, journal);
  let answeredAt = 0;

  /** Notes when the engine last answered. */
  async function answered<T>(asked: Promise<T>): Promise<T> {
    const result = await asked;
    answeredAt = Date.now();
    return result;
  }

  /** Asks whether the engine is there, before a start. If it is away, "nothing was started" is then certain. */
  async function mustBeThere(): Promise<void> {
    if (Date.now() - answeredAt < freshMs) return;
    try {
      await answered(within(client, Date.now() + thereMs, () => client.workflowService.getSystemInfo({})));
    } catch {
      throw notAccepted();
    }
  }

  const look = (workflowId: string, runId?: string): Promise<Found | undefined> =>
    answered(describe(client, workflowId, runId)).catch((error: unknown) => {
      throw error instanceof UnknownKey ? unreadable() : error;
    });

  const homesOf = createHomes(claims, look);

  async function startNew(asked: Request, identity: Identity, place: Place, attempt?: NextAttempt): Promise<Run> {
    const options = optionsOf(asked, identity, place, attempt);
    const handle = await answered(askEngine(client, () => client.workflow.start(asked.name, options)));
    return begun(asked, place, handle.firstExecutionRunId);
  }

  function begun(asked: Request, { workflowId, leadId }: Pick<Place, 'workflowId' | 'leadId'>, runId: string): Run {
    const isSandbox = isSandboxed(asked.binding);
    const run = { workflowId, runId, leadId: leadId ?? leadIdOf({ workflowId, runId }), isNew: true, replayed: false, isSandbox };
    search.began(run, hashesOf(asked.body));
    if (run.leadId) search.changed(run, 'began');
    return run;
  }

  /**
   * Starts the run once. Undefined if another run holds the id. A start whose call broke off may have succeeded: the memo of the run under
   * the id tells. With our nonce, it is ours. If the first run under the request's own id is another's, ours did not start and cannot start.
   * If there is no run, the start is repeated with REJECT_DUPLICATE, which cannot start a second run.
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
        const memo = found && memoOf(found);
        if (found && memo?.nonce === identity.nonce) return begun(asked, place, found.runId);
        if (isTaken) return undefined;
        if (found && memo?.firstUnderId && place.reuse === 'REJECT_DUPLICATE') {
          if (identity.own !== undefined) return undefined;
          // Under a home, a deleted claim can hide an earlier run of ours. An open lead of the same body is joined all the same.
          if (isOpen(found) && memo.digest === identity.digest) return attached(found, identity, false);
        }
        log.warn('start refused', { reason: errorNameOf(error) });
        if (isRefusal(error)) throw notAccepted();
        if (found || reuse !== place.reuse) throw unknown();
      }
    }
    throw outcomeUnknown(asked, place.workflowId, identity, brokeOff);
  }

  /** Attaches to a run that was found. Throws if it carries another body. */
  function attached(found: Found, { digest }: Identity, replayed: boolean): Run {
    const memo = memoOf(found);
    const leadId = leadIdOfRun(found);
    mustBeSame(digest, memo?.digest, leadId ? { leadId, state: found.searchAttributes.LeadState?.[0] ?? 'running' } : undefined);
    const { workflowId, runId } = found;
    return { workflowId, runId, leadId, isNew: false, replayed, isSandbox: isSandboxed(memo?.binding ?? {}) };
  }

  const isFree = (found: Found) => isKeyFree(client, found, config.IDEMPOTENCY_WINDOW_H * 3_600_000);

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

  /** Calls `begin` with a claim on one of the lead's homes, and gives the claim back unless an open lead began under it. */
  async function claimed<R extends Run | undefined>(
    asked: Request,
    identity: Identity,
    workflowId: string,
    begin: (place: Omit<Place, 'reuse'>) => Promise<R>,
  ): Promise<R> {
    const { homes, lock, digest } = identity;
    if (homes.length === 0) return begin({ workflowId, lock });
    const taken = await homesOf(identity)
      .claim({ workflowId, digest }, claimAttributes(asked))
      .catch((error: unknown) => {
        throw error instanceof UnknownKey ? unreadable() : error instanceof ApiError ? error : notAccepted();
      });
    if (!taken) throw tooManyTwins();
    const { claim, isNew } = taken;
    /** Another request with the same key may have begun the lead under this claim. */
    async function giveBack(): Promise<void> {
      if (isNew && !isUnder(claim, await look(workflowId))) await claims.giveBack([claim]);
    }
    try {
      const run = await begin({ workflowId, claim, lock: claim.workflowId === lock ? undefined : lock });
      if (!run?.isNew) giveBack().catch(() => undefined);
      return run;
    } catch (error) {
      // If the outcome is unknown, the lead may have begun.
      if (!(error instanceof ApiError) || error.code !== 'OUTCOME_UNKNOWN') giveBack().catch(() => undefined);
      throw error;
    }
  }

  /** For a lead without a key. A new person's lead needs one start only; the homes are looked at only if the id was used before. */
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
          // The start may have succeeded although the call broke off: the run's memo names the order that started it.
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
