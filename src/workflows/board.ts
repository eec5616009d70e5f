/** A call to the task board: nobody's lead, so reads are tried for seconds only, and what makes something is tried once. */
import { ApplicationFailure } from '@temporalio/workflow';
import type { Activities } from '../activities';
import type { JsonObject, LeadInput, LeadReport } from '../domain/lead';
import type { AttemptNote } from '../domain/outcome';
import { mostItems, type Page } from '../domain/taskboard';
import { CallRun } from './call';
import { onceQuickly, repeatable, type QuickSends } from './proxies';
import type { Step } from './run';

/** Below this, all pages of an answer may be read inside the workflow's own task. */
const smallBytes = 500_000;
/** What one answer may take: the engine carries it as one payload of at most 2 MB. */
const answerMostBytes = 1_900_000;
const sideBySide = 4;
/** A second try gets at least this, so that a first one that took its time does not spoil it. */
const leastMs = 1_000;

export interface Board {
  readonly lead: LeadInput;
  readonly run: CallRun;
  /** Asks for something, and asks again when no answer came. */
  read<T extends object | void>(name: string, ask: (activities: Activities) => Promise<T>, options?: ReadOptions): Promise<T>;
  /** Says what shall be, and says it again when no answer came. It would do so after a crash, too: nobody is told before that is past. */
  set<T extends object | void>(name: string, ask: (activities: Activities) => Promise<T>, made?: Made): Promise<T>;
  /** Makes something: tried once, and never said to have failed when that is not known. */
  make<T extends object | void>(name: string, ask: (activities: QuickSends) => Promise<T>): Promise<T>;
}

interface ReadOptions {
  /** Its answer is large: it goes into the engine by itself, not together with others. */
  readonly large?: boolean;
  readonly made?: Made;
}

/** What the call has made before, and what is told of it when this does not succeed. */
interface Made {
  readonly meaning: string;
  readonly errorContext: JsonObject;
}

export const call =
  (carry: (board: Board, body: JsonObject) => Promise<JsonObject>) =>
  async (lead: LeadInput): Promise<LeadReport> => {
    const run = new CallRun(lead, 'taskboard', []);
    const { timeoutMs } = lead.rules.board;
    const take = async <T extends object | void>(
      name: string,
      step: Pick<Step<JsonObject>, 'repeatable' | 'meaning' | 'neverAgain' | 'errorContext'>,
      attempt: (tries: number) => Promise<T>,
    ) => {
      let result: T | undefined;
      await run.take({
        name,
        errorContext: contextOf,
        ...step,
        attempt: async ({ tries }) => {
          result = await attempt(tries);
          return {};
        },
      });
      return result as T;
    };
    const board: Board = {
      lead,
      run,
      read: (name, ask, { large, made } = {}) => {
        const until = Date.now() + timeoutMs;
        const left = () => Math.max(leastMs, Math.min(timeoutMs, until - Date.now()));
        return take(name, { repeatable: true, ...(made && after(made)) }, (tries) =>
          ask(repeatable(name, left(), large ? Math.max(tries, 1) : tries)),
        );
      },
      set: (name, ask, made) => {
        run.tellsAtOnce = false;
        return board.read(name, ask, { made });
      },
      make: (name, ask) => {
        run.tellsAtOnce &&= lead.rules.journal !== undefined;
        return take(name, {}, (tries) => onceQuickly(name, timeoutMs, { journal: lead.rules.journal, tries }, ask));
      },
    };
    return run.end('delivered', { success: true, ...(await carry(board, lead.body)) });
  };

/** The upstream's own words, or what the caller may choose from. */
const contextOf = (body: unknown): JsonObject => (typeof body === 'object' && body !== null ? { ...body } : {});

const after = ({ meaning, errorContext }: Made) =>
  ({ meaning, neverAgain: true, errorContext: (body: unknown) => ({ ...contextOf(body), ...errorContext }) }) as const;

/** What the gateway itself finds wrong, in the form in which activities report it. */
export const refusal = (note: AttemptNote): ApplicationFailure =>
  ApplicationFailure.create({ type: 'REFUSED', message: note.message, nonRetryable: true, details: [note] });

/** A refusal that ends the call. */
export const refuse = (board: Board, note: AttemptNote): Promise<never> =>
  board.run.take<never>({ name: 'check', errorContext: contextOf, attempt: () => Promise.reject(refusal(note)) });

const tooMany = (count: number) =>
  ({
    code: 'UPSTREAM_REJECTED',
    message: `The task board holds ${count} of these: at most ${mostItems} fit into one answer`,
  }) as const;

const tooLarge = {
  code: 'UPSTREAM_REJECTED',
  message: 'This is more text than fits into one answer: ask for one column at a time',
} as const;

/** Every page, in order: the first one tells how many there are, the others are read side by side. */
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

  // As long as a page that is there, should the upstream give less than was asked for.
  const skips = items.length === 0 ? [] : range(items.length, total, items.length);
  for (let at = 0; at < skips.length; at += sideBySide) {
    pages.push(...(await Promise.all(skips.slice(at, at + sideBySide).map(next))));
    if (weightOf(pages) > answerMostBytes) return refuse(board, tooLarge);
  }
  // Whatever was added meanwhile.
  for (let read = countOf(pages); pages.at(-1)?.more && pages.at(-1)?.items.length; read = countOf(pages)) {
    if (read > mostItems) return refuse(board, tooMany(read));
    pages.push(await next(read));
  }
  if (weightOf(pages) > answerMostBytes) return refuse(board, tooLarge);
  // An item that moved to the next page while this was read is there twice.
  return [...new Map(pages.flatMap((page) => page.items).map((item) => [item.id, item])).values()];
}

const weightOf = (pages: readonly Page<unknown>[]) => pages.reduce((sum, { bytes }) => sum + bytes, 0);
const countOf = (pages: readonly Page<unknown>[]) => pages.reduce((sum, { items }) => sum + items.length, 0);
const range = (from: number, to: number, step: number) =>
  Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, index) => from + index * step);
