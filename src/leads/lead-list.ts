/** Lists leads, newest attempt first: in pages, or the ids of all for a bulk order. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import type { Upstreams } from '../config/upstreams';
import type { JsonObject, State } from '../domain/lead';
import { memoOf } from '../domain/memo';
import { shownReference } from '../domain/reference';
import type { KeyRing } from '../keys/ring';
import { readCursor, writeCursor } from './cursor';
import { createLeadCounts } from './lead-counts';
import { createQueryBuilder, spanOf, type BulkFilter, type Filter } from './lead-filter';
import { createDecryptableReader } from './decryptable';
import { newestFirst, createNewestLeads, type StartedRun } from './newest-leads';
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
  const queryOf = createQueryBuilder(keys, sites, copiedAt);
  const newest = createNewestLeads(search);
  const readDecryptable = createDecryptableReader(keys);

  async function page(filter: Filter, requested = usualLimit): Promise<JsonObject> {
    const limit = Math.min(Math.max(requested, 1), mostLimit);
    const cursor = filter.cursor ? cursorIn(filter.cursor) : undefined;
    const { from, until } = spanOf(filter);
    // False for leads of the last page that started in the same millisecond as its last lead.
    const isIncluded = (run: StartedRun) => !cursor || newestFirst(run, cursorRun(cursor)) > 0;
    // One lead more than the limit shows whether there is a next page.
    const upTo = cursor ? Math.min(cursor.at + 1, until) : until;
    const found = await readDecryptable((only) => newest(queryOf(filter, only), { from, until: upTo }, isIncluded, limit + 1));
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      success: true,
      count: page.length,
      leads: page.map((run) => summary(run, copiedAt)),
      ...(found.length > limit && last && { nextCursor: cursorOf(last) }),
    };
  }

  const runsIn = (state: State, filter: Filter, isIncluded: (run: StartedRun) => boolean = () => true): Promise<WorkflowExecutionInfo[]> =>
    readDecryptable((only) => newest(queryOf(filter, only, state), spanOf(filter), isIncluded, Infinity));

  async function idsIn(state: State, { leadIds, ...filter }: BulkFilter): Promise<string[]> {
    await search.waitUntilIndexed();
    const named = leadIds && new Set(leadIds);
    const ids = (await runsIn(state, filter)).map(leadIdOfRun).toReversed();
    return named ? ids.filter((id) => named.has(id)) : ids;
  }

  /** Reads after the index shows every change that this process has reported. */
  const afterCatchUp =
    <A extends unknown[], R>(read: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await search.waitUntilIndexed();
      return read(...args);
    };
  const counts = createLeadCounts(search, queryOf, (filter, isIncluded) => runsIn('failed', filter, isIncluded));
  return { page: afterCatchUp(page), idsIn, counts: afterCatchUp(counts) };
}

const cursorRun = ({ at, runId }: Cursor): StartedRun => ({ startTime: new Date(at), runId });
const cursorOf = ({ startTime, runId }: StartedRun): string => writeCursor(startTime.getTime(), runId);

function cursorIn(written: string): Cursor {
  const [at, runId = ''] = readCursor(written, /^(\d{1,15}) ([0-9a-f-]{36})$/);
  return { at: Number(at), runId };
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
    reference: shownReference(memoOf(run)?.reference),
    createdAt: receivedAt(run),
    updatedAt: updatedAt(run).toISOString(),
    restored: openInCopy(run, copiedAt),
  };
}

/** The time that the run has set, else the engine's close or start time. */
const updatedAt = (run: WorkflowExecutionInfo): Date => changedAt(run) ?? run.closeTime ?? run.startTime;
