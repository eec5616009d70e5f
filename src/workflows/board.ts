/**
 * Wraps the task board's workflows: `call` for those that only read, `changingCall` for those that also write; `refuse` ends one with an
 * error; `everyPage` reads a whole list. Reads and idempotent writes are retried for seconds; a write that creates something is tried
 * once.
 */
import type { ApplicationFailure } from '@temporalio/workflow';
import type { Activities } from '../activities';
import type { JsonObject, LeadReport } from '../domain/lead';
import type { LeadInput } from '../domain/lead-input';
import type { AttemptNote } from '../domain/outcome';
import { mostItems, type Page } from '../domain/taskboard';
import { CallRun } from './call';
import { attemptError } from './failures';
import { once, reading, setting, type RequestTarget } from './proxies';
import type { FailedAttempt, Step, Try } from './step';

/** Below this size, all pages of an answer can be read by local activities. */
const smallBytes = 500_000;
/** The largest answer: the engine stores it as one payload of at most 2 MB. */
const answerMostBytes = 1_900_000;
const sideBySide = 4;

export const boardTarget = ({ rules }: LeadInput): RequestTarget => ({ rules, timeoutMs: rules.board.timeoutMs });

export interface Board {
  readonly lead: LeadInput;
  readonly run: CallRun;
  /** Reads, and retries if no answer came. */
  read<T extends object | void>(name: string, ask: (activities: Activities) => Promise<T>, options?: ReadOptions): Promise<T>;
  /** Idempotent write, retried if no answer came. */
  set<T extends object | void>(name: string, ask: (activities: Activities) => Promise<T>, made?: CreatedBefore): Promise<T>;
  /** Creates something: tried once. If the outcome is unknown, the call fails with OUTCOME_UNKNOWN. */
  make<T extends object | void>(name: string, ask: (activities: Activities) => Promise<T>): Promise<T>;
}

interface ReadOptions {
  /** The answer is large, so a regular activity reads it: the results of local activities share one request to the engine. */
  readonly large?: boolean;
}

/** Objects that an earlier step of the call has created: added to the error if this step fails. */
interface CreatedBefore {
  readonly meaning: string;
  readonly errorContext: JsonObject;
}

const callWith =
  (lateAtFirst: Step<JsonObject>['late']) =>
  (carry: (board: Board, body: JsonObject) => Promise<JsonObject>) =>
  async (lead: LeadInput): Promise<LeadReport> => {
    const run = new CallRun(lead, 'taskboard', []);
    /** Once a write may have gone out, a time-out must not claim that nothing was done. */
    let late = lateAtFirst;
    const { timeoutMs } = lead.rules.board;
    const target = boardTarget(lead);
    const runStep = async <T extends object | void>(
      name: string,
      step: Pick<Step<JsonObject>, 'repeatable' | 'meaning' | 'neverAgain' | 'errorContext'>,
      ask: (attempt: Try) => Promise<T>,
    ) => {
      let result: T | undefined;
      await run.runStep({
        name,
        late,
        errorContext: contextOf,
        ...step,
        attempt: async (attempt) => {
          result = await ask(attempt);
          return {};
        },
      });
      return result as T;
    };
    const board: Board = {
      lead,
      run,
      read: (name, ask, { large } = {}) =>
        runStep(name, { repeatable: true }, (attempt) =>
          ask(reading(name, target, large ? { ...attempt, tries: attempt.tries + 1 } : attempt)),
        ),
      set: (name, ask, made) => {
        late = 'OUTCOME_UNKNOWN';
        return runStep(name, { repeatable: true, ...(made && errorsAfter(made)) }, ({ leftMs }) => ask(setting(name, timeoutMs, leftMs)));
      },
      make: (name, ask) => runStep(name, {}, () => ask(once(name, target))),
    };
    return run.end('delivered', { success: true, ...(await carry(board, lead.body)) });
  };

/** A call that only reads. */
export const call = callWith(undefined);

/** A call that changes something. */
export const changingCall = callWith('UPSTREAM_ERROR');

/** The error context of a call: the upstream's own words, or the candidates to choose from. */
const contextOf = ({ body }: FailedAttempt): JsonObject => (typeof body === 'object' && body !== null ? { ...body } : {});

const errorsAfter = ({ meaning, errorContext }: CreatedBefore) =>
  ({ meaning, neverAgain: true, errorContext: (failed: FailedAttempt) => ({ ...contextOf(failed), ...errorContext }) }) as const;

/** A refusal by the gateway itself. */
export const refusal = (note: AttemptNote): ApplicationFailure => attemptError('REFUSED', note);

/** A refusal that ends the call. */
export const refuse = (board: Board, note: AttemptNote): Promise<never> =>
  board.run.runStep<never>({ name: 'check', errorContext: contextOf, attempt: () => Promise.reject(refusal(note)) });

const tooMany = (count: number) =>
  ({
    code: 'UPSTREAM_REJECTED',
    message: `The task board has ${count} items: one answer holds at most ${mostItems}`,
  }) as const;

const tooLarge = {
  code: 'UPSTREAM_REJECTED',
  message: 'The answer is too large: request one column at a time',
} as const;

/** Reads every page, in order. The first page has the total; the others are read in parallel. */
export async function everyPage<T extends { readonly id: string }>(
  board: Board,
  name: string,
  ask: (activities: Activities, skip: number) => Promise<Page<T>>,
  first?: Page<T>,
): Promise<T[]> {
  const pages = [first ?? (await board.read(name, (activities) => ask(activities, 0)))];
  const [{ total, bytes, items }] = pages as [Page<T>];
  if (total > mostItems) return refuse(board, tooMany(total));
  const large = (bytes * total) / Math.max(1, items.length) > smallBytes;
  const next = (skip: number) => board.read(name, (activities) => ask(activities, skip), { large });

  // Step by the size of the first page: the upstream may return fewer items than requested.
  const skips = items.length === 0 ? [] : range(items.length, total, items.length);
  for (let at = 0; at < skips.length; at += sideBySide) {
    pages.push(...(await Promise.all(skips.slice(at, at + sideBySide).map(next))));
    if (weightOf(pages) > answerMostBytes) return refuse(board, tooLarge);
  }
  // Continue if items were added during the read.
  for (let read = countOf(pages); pages.at(-1)?.more && pages.at(-1)?.items.length; read = countOf(pages)) {
    if (read > mostItems) return refuse(board, tooMany(read));
    pages.push(await next(read));
  }
  if (weightOf(pages) > answerMostBytes) return refuse(board, tooLarge);
  // An item that moved to the next page during the read appears twice: keep it once.
  return [...new Map(pages.flatMap((page) => page.items).map((item) => [item.id, item])).values()];
}

const weightOf = (pages: readonly Page<unknown>[]) => pages.reduce((sum, { bytes }) => sum + bytes, 0);
const countOf = (pages: readonly Page<unknown>[]) => pages.reduce((sum, { items }) => sum + items.length, 0);
const range = (from: number, to: number, step: number) =>
  Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, index) => from + index * step);
