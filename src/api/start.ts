/** A request → its run: a new one, or the one that it belongs to. */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import { builtBy } from '../build';
import { UnknownKey } from '../codec';
import type { Config } from '../config';
import type { Bound } from '../domain/bound';
import type { Prepared } from '../domain/forward';
import { redriveIdOf } from '../domain/ids';
import type { LeadInput } from '../domain/lead';
import type { RedriveOrder } from '../domain/redrive';
import { isPersonal, sameEmail, samePhone, sameSite, searchable, term } from '../domain/terms';
import type { KeyRing } from '../keys';
import { Latest } from '../latest';
import { log } from '../log';
import { attributes } from '../temporal';
import { isRefusal, within } from './deadline';
import { ApiError, engineAway, keyReused } from './errors';
import { identify, type Asked, type Identity } from './identity';
import { leftKey } from './left-key';
import { rulesOf } from './rules';

export interface Run {
  readonly workflowId: string;
  readonly runId: string;
  readonly leadId: string;
  /** Started by this very request. */
  readonly isNew: boolean;
  /** The same Idempotency-Key was here before. */
  readonly replayed: boolean;
  /** What is answered may be a simulator's. */
  readonly isSandbox: boolean;
}

/** What a run remembers of its request, to recognise the request when it comes again. */
export interface Memo {
  readonly leadId: string;
  readonly digest: string;
  /** The order that drove the lead again. */
  readonly by?: string;
  /** A simulator stood in for an upstream of it when it came in. */
  readonly sandbox?: true;
  /** When it came in, where that was before this run. */
  readonly cameIn?: string;
}

export interface Request extends Asked {
  readonly flow?: string;
  /** One of many. */
  readonly bulk?: boolean;
  readonly prepared?: Prepared;
  readonly bound: Bound;
  readonly isSandbox: boolean;
  /** Of a lead that came in before. */
  readonly cameIn?: string;
}

export interface Starter {
  start(asked: Request): Promise<Run>;
  /** The run that this request belongs to already; undefined when it would be a new one. */
  find(asked: Request): Promise<Run | undefined>;
  /** The same lead once more, after its run has failed; undefined when somebody else did that already. */
  again(asked: Request, order: RedriveOrder): Promise<Run | undefined>;
}

type Term = readonly [key: typeof attributes.flow, value: string | undefined];

const pairsOf = (terms: readonly Term[]): SearchAttributePair[] =>
  terms.flatMap(([key, value]) => (value ? [{ key, value: searchable(value) }] : []));

type ReusePolicy = 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE' | 'ALLOW_DUPLICATE_FAILED_ONLY';

/** Of so many runs that a key began, the latest are found by their body, too. */
const keyedMost = 10_000;
const startDeadlineMs = 3_000;
const askDeadlineMs = 1_500;
/** The usual one is 3. */
const lastPriority = 5;
/** Younger than this, the last answer of the engine is proof enough that it is there. */
const freshMs = 200;

export interface StarterNeeds {
  readonly client: Client;
  readonly config: Config;
  readonly keys: KeyRing;
  /** The id of the journal in which this installation notes its sends. */
  readonly journal?: string;
}

export function createStarter({ client, config, keys, journal }: StarterNeeds): Starter {
  const noted = config.WORKER_BUILD_ID === undefined ? [builtBy] : [];
  const mark = keys.marks.get(keys.current.id);
  const keyed = new Latest<string, string>(keyedMost);
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

  const describe = async (workflowId: string): Promise<WorkflowExecutionDescription | undefined> => {
    try {
      return await ask(askDeadlineMs, () => client.workflow.getHandle(workflowId).describe());
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error instanceof UnknownKey ? unreadable() : error;
    }
  };

  async function startNew(
    asked: Request,
    identity: Identity,
    digest: string,
    workflowIdReusePolicy: ReusePolicy,
    order?: RedriveOrder,
  ): Promise<Run> {
    const { leadId, workflowId, turn } = identity;
    const { body, prepared, bound, flow } = asked;
    const lead: LeadInput = {
      leadId,
      body,
      prepared,
      rules: rulesOf(config, flow, journal),
      ...(asked.dryRun && { dryRun: true }),
      ...(turn && { turn }),
      ...(leadId && { bound }),
      ...(order && { redriven: { by: order.by, reason: order.reason } }),
    };
    const handle = await ask(startDeadlineMs, () =>
      client.workflow.start(asked.name, {
        workflowId,
        taskQueue: config.TASK_QUEUE,
        args: [lead],
        // One that comes in alone is begun at once, past the queue; one of many is taken from the queue's end.
        ...(!asked.bulk && { requestEagerStart: true }),
        priority: { fairnessKey: fairnessOf(asked), ...(asked.bulk && { priorityKey: lastPriority }) },
        workflowIdConflictPolicy: 'FAIL',
        workflowIdReusePolicy,
        // A worker that dies with the task in its hands is noticed after this time. A task with slow reads in it is prolonged.
        workflowTaskTimeout: '5s',
        memo: { lead: { leadId, digest, by: order?.by, sandbox: asked.isSandbox || undefined, cameIn: asked.cameIn } satisfies Memo },
        typedSearchAttributes: [...pairsOf([...personal(asked), ...(leadId ? business(asked) : []), [attributes.key, mark]]), ...noted],
        staticSummary: summary(asked),
      }),
    );
    return begun(asked, identity, handle.firstExecutionRunId);
  }

  /** Those who take turns where leads queue up. The engine stores it in clear, and an operator's name may be a person's. */
  const fairnessOf = ({ caller = 'redrive' }: Request) => keys.hash('fairness', caller, 13);

  /** Also on what is nobody's lead, a dry run or a look-up: a person who is forgotten is forgotten there, too. */
  function personal({ body }: Request): Term[] {
    const email = term(body, 'email');
    const phone = term(body, 'phone');
    return [
      [attributes.email, email && keys.hash('email', sameEmail(email))],
      [attributes.phone, phone && keys.hash('phone', samePhone(phone))],
    ];
  }

  function business({ flow, body, prepared }: Request): Term[] {
    const [site, protocol, study] = [prepared?.site ?? term(body, 'site'), term(body, 'protocol'), term(body, 'study')].map((value) =>
      value !== undefined && isPersonal(value, body) ? undefined : value,
    );
    return [
      [attributes.flow, flow],
      [attributes.state, 'running'],
      [attributes.site, site && sameSite(site)],
      [attributes.protocol, protocol],
      [attributes.study, study],
    ];
  }

  /** The run behind an id that is taken, when it is this request's; undefined when it is another's. */
  function attached(found: WorkflowExecutionDescription, { idempotencyKey }: Asked, digest: string, workflowId: string): Run | undefined {
    const memo = memoOf(found);
    const same = memo?.digest === digest;
    if (idempotencyKey && !same) throw keyReused();
    const open = found.status.name === 'RUNNING';
    if (!memo || !same || !(open || idempotencyKey)) return undefined;
    const { leadId, sandbox } = memo;
    return { workflowId, runId: found.runId, leadId, isNew: false, replayed: Boolean(idempotencyKey), isSandbox: Boolean(sandbox) };
  }

  const isForgotten = (found: WorkflowExecutionDescription) =>
    found.status.name !== 'RUNNING' && Date.now() - found.startTime.getTime() > config.IDEMPOTENCY_WINDOW_H * 3_600_000;

  const isFree = async (found: WorkflowExecutionDescription) =>
    isForgotten(found) || (await ask(askDeadlineMs, () => leftKey(client, found)));

  /** A lead's open run that began with a key, for the same body without one; as far as this process knows of it. */
  async function openUnderKey(asked: Request, digest: string): Promise<Run | undefined> {
    const workflowId = keyed.get(digest);
    if (workflowId === undefined || asked.idempotencyKey) return undefined;
    const found = await describe(workflowId);
    return found && attached(found, asked, digest, workflowId);
  }

  /** One candidate id: started, attached, or undefined when it belongs to another request's open run. */
  async function tryIdentity(asked: Request, identity: Identity, digest: string): Promise<Run | undefined> {
    // An id may be freed between the refusal and the look: then it is tried once more.
    let reuse: ReusePolicy = asked.idempotencyKey ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE';
    let brokeOff = false;
    for (let tries = 0; tries < 3; tries++) {
      try {
        return await startNew(asked, identity, digest, reuse);
      } catch (error) {
        const taken = error instanceof WorkflowExecutionAlreadyStartedError;
        const found = await describe(identity.workflowId).catch((asking: unknown) => {
          if (asking instanceof ApiError) throw asking;
          return 'unreachable' as const;
        });
        if (found === 'unreachable') throw taken && !brokeOff ? notAccepted() : outcomeUnknown(identity, error);
        brokeOff ||= !taken;
        if (found && brokeOff && isOurs(found, identity, digest)) return begun(asked, identity, found.runId);
        if (!taken) {
          log.warn('start refused', { reason: nameOf(error) });
          if (isRefusal(error)) throw notAccepted();
          // The call broke off, and the engine may still be at it: that there is nothing yet proves nothing. While nothing has this id,
          // a second start can only do what the first has not done.
          if (found || tries > 0) throw outcomeUnknown(identity, error);
          reuse = 'REJECT_DUPLICATE';
          continue;
        }
        if (!found) continue;
        if (asked.idempotencyKey && (await isFree(found))) {
          reuse = 'ALLOW_DUPLICATE';
          continue;
        }
        const run = attached(found, asked, digest, identity.workflowId);
        if (run || found.status.name === 'RUNNING') return run;
      }
    }
    return undefined;
  }

  return {
    async start(asked) {
      const { digest, candidates } = identify(asked, keys);
      await mustBeThere();
      const open = await openUnderKey(asked, digest);
      if (open) return open;
      for (const identity of candidates) {
        const run = await tryIdentity(asked, identity, digest);
        if (run?.leadId && asked.idempotencyKey) keyed.set(digest, run.workflowId);
        if (run) return run;
      }
      throw notAccepted();
    },

    async find(asked) {
      const { digest, candidates } = identify(asked, keys);
      for (const { workflowId } of candidates) {
        const found = await describe(workflowId);
        if (!found || (asked.idempotencyKey && (await isFree(found)))) continue;
        const run = attached(found, asked, digest, workflowId);
        if (run) return run;
      }
      return undefined;
    },

    async again(asked, order) {
      const { leadId, by } = order;
      const { digest, candidates } = identify(asked, keys);
      await mustBeThere();
      const identity = { leadId, workflowId: redriveIdOf(leadId), turn: candidates.at(-1)?.turn };
      try {
        return await startNew(asked, identity, digest, 'ALLOW_DUPLICATE_FAILED_ONLY', order);
      } catch (error) {
        // The call may have broken off after it counted: the run itself says whose it is.
        const found = await describe(identity.workflowId).catch(() => undefined);
        if (found && memoOf(found)?.by === by) return { ...begun(asked, identity, found.runId), isNew: false };
        if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
        throw outcomeUnknown(identity, error);
      }
    },
  };
}

export function memoOf(found: { readonly memo?: Record<string, unknown> }): Memo | undefined {
  return found.memo?.lead as Memo | undefined;
}

const begun = ({ isSandbox }: Request, { workflowId, leadId }: Identity, runId: string): Run => {
  return { workflowId, runId, leadId, isNew: true, replayed: false, isSandbox };
};

const isOurs = (found: WorkflowExecutionDescription, { leadId }: Identity, digest: string): boolean => {
  const memo = memoOf(found);
  return memo?.leadId === leadId && memo.digest === digest;
};

const summary = ({ flow, body, name }: Request): string =>
  [flow ?? name, term(body, 'study') && `study ${term(body, 'study')}`, term(body, 'site')].filter(Boolean).join(' · ');

const unreadable = () =>
  new ApiError(
    'OUTCOME_UNKNOWN',
    'This was accepted before. The encryption key that wrote it is not here, so it cannot be said what became of it',
  );

const notAccepted = () => engineAway('The engine does not answer: nothing was started');

const outcomeUnknown = ({ leadId }: Identity, error: unknown) => {
  log.error('start outcome unknown', { reason: nameOf(error), leadId });
  return new ApiError('OUTCOME_UNKNOWN', 'The engine stopped answering while the lead was handed over: it may have been accepted', {
    beside: leadId ? { leadId } : {},
  });
};

const nameOf = (error: unknown) => (error instanceof Error ? error.name : 'unknown');
