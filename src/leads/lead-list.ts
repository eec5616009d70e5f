/** Lists leads, newest attempt first: in pages, or the ids of all for a bulk order. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import type { Upstreams } from '../config/upstreams';
import { wrongCursor } from '../contract/errors';
import type { JsonObject, State } from '../domain/lead';
import type { KeyRing } from '../keys/ring';
import { createLeadCounts } from './lead-counts';
import { createQuestions, spanOf, type BulkFilter, type Filter } from './lead-filter';
import { legibleWith } from './legible';
import { byAge, createNewestLeads, type Aged } from './newest-leads';
import { changedAt, leadIdOfRun, openInCopy, receivedAt, stateOf, troubleIn } from './runs';
import type { Search } from './search';
import { shownSite } from './site-term';

const usualLimit = 50;
const mostLimit = 200;

/** The last lead of a page: the next page starts after it. */
interface Cursor {
  readonly at: number;
  readonly runId: string;
}

export interface LeadList {
  page(filter: Filter, limit?: number): Promise<JsonObject>;
  /** Returns the ids of all leads in this state that the filter matches, oldest first. */
  idsIn(state: State, filter: BulkFilter): Promise<string[]>;
  counts(filter: Filter): Promise<JsonObject>;
}

/** `copiedAt`: the moment of the copy that the stored runs were restored from, if they were. */
export function createLeadList(search: Search, keys: KeyRing, { sites }: Pick<Upstreams, 'sites'>, copiedAt?: number): LeadList {
  const ask = createQuestions(keys, sites, copiedAt);
  const newest = createNewestLeads(search);
  const legible = legibleWith(keys);

  async function page(filter: Filter, wanted = usualLimit): Promise<JsonObject> {
    const limit = Math.min(Math.max(wanted, 1), mostLimit);
    const cursor = filter.cursor ? readCursor(filter.cursor) : undefined;
    const { from, until } = spanOf(filter);
    // Excludes leads of the last page that started in the same millisecond as its last lead.
    const isLeft = (run: Aged) => !cursor || byAge(run, cursorRun(cursor)) > 0;
    // One lead more than the limit shows whether there is a next page.
    const upTo = cursor ? Math.min(cursor.at + 1, until) : until;
    const left = await legible((only) => newest(ask(filter, only), { from, until: upTo }, isLeft, limit + 1));
    const page = left.slice(0, limit);
    const last = page.at(-1);
    return {
      success: true,
      count: page.length,
      leads: page.map((run) => summary(run, copiedAt)),
      ...(left.length > limit && last && { nextCursor: writeCursor(last) }),
    };
  }

  const runsIn = (state: State, filter: Filter, isLeft: (run: Aged) => boolean = () => true): Promise<WorkflowExecutionInfo[]> =>
    legible((only) => newest(ask(filter, only, state), spanOf(filter), isLeft, Infinity));

  async function idsIn(state: State, { leadIds, ...filter }: BulkFilter): Promise<string[]> {
    await search.caughtUp();
    const named = leadIds && new Set(leadIds);
    const ids = (await runsIn(state, filter)).map(leadIdOfRun).toReversed();
    return named ? ids.filter((id) => named.has(id)) : ids;
  }

  /** Reads after the index shows every change that this process has reported. */
  const after =
    <A extends unknown[], R>(read: (...asked: A) => Promise<R>) =>
    async (...asked: A): Promise<R> => {
      await search.caughtUp();
      return read(...asked);
    };
  const counts = createLeadCounts(search, ask, (filter, isLeft) => runsIn('failed', filter, isLeft));
  return { page: after(page), idsIn, counts: after(counts) };
}

const cursorRun = ({ at, runId }: Cursor): Aged => ({ startTime: new Date(at), runId });
const writeCursor = ({ startTime, runId }: Aged): string => Buffer.from(`${startTime.getTime()} ${runId}`).toString('base64url');

function readCursor(written: string): Cursor {
  const [, at, runId] = /^(\d{1,15}) ([0-9a-f-]{36})$/.exec(Buffer.from(written, 'base64url').toString()) ?? [];
  if (at && runId) return { at: Number(at), runId };
  throw wrongCursor();
}

function summary(run: WorkflowExecutionInfo, copiedAt?: number): JsonObject {
  const attribute = (name: string) => run.searchAttributes[name]?.[0];
  return {
    leadId: leadIdOfRun(run),
    flow: attribute('LeadFlow'),
    state: stateOf(run),
    step: attribute('LeadStep'),
    ...troubleIn(run),
    site: shownSite(attribute('LeadSite')),
    studyId: attribute('LeadStudy'),
    protocol: attribute('LeadProtocol'),
    createdAt: receivedAt(run),
    updatedAt: updatedAt(run).toISOString(),
    restored: openInCopy(run, copiedAt),
  };
}

/** The time that the run has set, else the engine's close or start time. */
const updatedAt = (run: WorkflowExecutionInfo): Date => changedAt(run) ?? run.closeTime ?? run.startTime;
