/**
 * Lists the deliveries of events over all leads: the newest outbox first, in it the newest event. The engine's index only finds the
 * outboxes, and what is said of a delivery comes from its outbox.
 */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { givenUpCode, isSelected, leadIdOfOutbox, openOutboxes, outboxes, outboxIdOf, type DeliveryFilter } from '../domain/events';
import type { JsonObject } from '../domain/lead';
import type { KeyRing } from '../keys/ring';
import { inGroups } from '../lib/in-groups';
import { describe } from '../temporal/ask';
import { readCursor, writeCursor } from './cursor';
import { createDecryptableReader } from './decryptable';
import { eventsIn, shownDelivery } from './events';
import { quoted, spanOf, type LeadQuery } from './lead-filter';
import { createNewestRuns, newestFirst, type StartedRun } from './newest-leads';
import type { Search } from './search';

const usualLimit = 50;
const mostLimit = 200;
/** Outboxes that are found with one question to the index. */
const foundAtOnce = 100;
/** Outboxes that are read at once. */
const readAtOnce = 16;
/** A page reads at most so many outboxes. If few of them match, it is short. */
const mostRead = 500;

export interface DeliveryQuery extends DeliveryFilter {
  readonly leadId?: string;
}

/** The last delivery of a page: of this outbox, those below `place` follow. */
interface Cursor {
  readonly at: number;
  readonly runId: string;
  readonly place: number;
}

interface FoundDelivery {
  readonly run: StartedRun;
  /** The place within the outbox: it never changes. */
  readonly place: number;
  readonly body: JsonObject;
}

export interface DeliveryList {
  page(query: DeliveryQuery, limit?: number, cursor?: string): Promise<JsonObject>;
  /** Returns the ids of the leads with a selected delivery, oldest first, at most `most`. */
  leadIdsOf(filter: DeliveryFilter, most: number): Promise<string[]>;
}

interface DeliveryNeeds {
  readonly client: Client;
  readonly keys: KeyRing;
  readonly search: Pick<Search, 'list' | 'count' | 'waitUntilIndexed'>;
  readonly taskQueue: string;
}

export function createDeliveryList({ client, keys, search, taskQueue }: DeliveryNeeds): DeliveryList {
  const newest = createNewestRuns(search);
  const readDecryptable = createDecryptableReader(keys);

  /** Reads the selected deliveries of a lead's newest outbox, newest first. With `run`, none if a newer outbox has replaced it. */
  async function deliveriesOf(workflowId: string, filter: DeliveryFilter, run?: StartedRun): Promise<FoundDelivery[]> {
    const outbox = await describe(client, workflowId);
    if (!outbox || (run && outbox.runId !== run.runId)) return [];
    const leadId = leadIdOfOutbox(workflowId);
    const all = (await eventsIn(client, outbox)).flatMap((event) => event.deliveries.map((delivery) => ({ event, delivery })));
    return all
      .flatMap(({ event, delivery }, place) => {
        const { id: eventId, type, timestamp, attempt } = event;
        const body = { eventId, type, timestamp, leadId, attempt, ...shownDelivery(delivery) };
        return isSelected(filter, event, delivery) ? [{ run: outbox, place, body }] : [];
      })
      .toReversed();
  }

  /** Yields the selected deliveries of some outboxes at a time, and the last of these outboxes. */
  async function* found(filter: DeliveryFilter, only: string, cursor?: Cursor) {
    const question = queryOf(taskQueue, filter, only);
    const span = spanOf({});
    for (let after: StartedRun | undefined = cursor && runOf(cursor), isFirst = true; ; isFirst = false) {
      const last: StartedRun | undefined = after;
      // The first page may have only a part of an outbox.
      const isIncluded = (run: StartedRun) => !last || newestFirst(run, last) > 0 || (isFirst && run.runId === last.runId);
      const until = last ? Math.min(last.startTime.getTime() + 1, span.until) : span.until;
      const runs: WorkflowExecutionInfo[] = await newest(question, { ...span, until }, isIncluded, foundAtOnce);
      for (let at = 0; at < runs.length; at += readAtOnce) {
        const some = runs.slice(at, at + readAtOnce);
        const deliveries = (await inGroups(some, readAtOnce, (run) => deliveriesOf(run.workflowId, filter, run))).flat();
        const isShown = ({ run, place }: FoundDelivery) => run.runId !== cursor?.runId || place < cursor.place;
        yield { read: some.length, deliveries: deliveries.filter(isShown), last: some.at(-1) };
      }
      if (runs.length < foundAtOnce) return;
      after = runs.at(-1);
    }
  }

  async function pageOfAll(filter: DeliveryFilter, limit: number, cursor?: Cursor): Promise<JsonObject> {
    return readDecryptable(async (only) => {
      const deliveries: FoundDelivery[] = [];
      let read = 0;
      for await (const some of found(filter, only, cursor)) {
        deliveries.push(...some.deliveries);
        read += some.read;
        // One delivery more than the limit shows that there is a next page.
        if (deliveries.length > limit) break;
        if (read >= mostRead && some.last) return pageBody(deliveries, { run: some.last, place: 0 });
      }
      const shown = deliveries.slice(0, limit);
      return pageBody(shown, deliveries.length > limit ? shown.at(-1) : undefined);
    });
  }

  return {
    async page({ leadId, ...filter }, requested = usualLimit, cursor) {
      const limit = Math.min(Math.max(requested, 1), mostLimit);
      const start = cursor === undefined ? undefined : cursorIn(cursor);
      if (leadId === undefined) {
        await search.waitUntilIndexed();
        return pageOfAll(filter, limit, start);
      }
      const deliveries = (await deliveriesOf(outboxIdOf(leadId), filter)).filter(({ place }) => !start || place < start.place);
      const shown = deliveries.slice(0, limit);
      return pageBody(shown, deliveries.length > limit ? shown.at(-1) : undefined);
    },

    async leadIdsOf(filter, most) {
      await search.waitUntilIndexed();
      return readDecryptable(async (only) => {
        const leadIds = new Set<string>();
        for await (const { deliveries } of found(filter, only)) {
          for (const { body } of deliveries) leadIds.add(String(body.leadId));
          if (leadIds.size >= most) break;
        }
        return [...leadIds].slice(0, most).toReversed();
      });
    },
  };
}

/** An outbox has the code of a given-up delivery, and is open while a delivery waits. So neither state needs a search of all outboxes. */
function queryOf(taskQueue: string, { state, since }: DeliveryFilter, only: string): LeadQuery {
  const wheres = {
    'given-up': `TaskQueue = ${quoted(taskQueue)} AND LeadCode = ${quoted(givenUpCode)}`,
    waiting: openOutboxes(taskQueue),
    told: outboxes(taskQueue),
  };
  // An outbox ends after its last event.
  const inTime = since ? ` AND (ExecutionStatus = 'Running' OR CloseTime >= ${quoted(since)})` : '';
  return { wheres: [`${wheres[state ?? 'told']}${inTime}${only}`], isRare: state === 'given-up' || state === 'waiting' };
}

const pageBody = (deliveries: readonly FoundDelivery[], last?: Pick<FoundDelivery, 'run' | 'place'>): JsonObject => ({
  success: true,
  count: deliveries.length,
  deliveries: deliveries.map(({ body }) => body),
  ...(last && { nextCursor: cursorOf(last) }),
});

const runOf = ({ at, runId }: Cursor): StartedRun => ({ startTime: new Date(at), runId });

const cursorOf = ({ run: { startTime, runId }, place }: Pick<FoundDelivery, 'run' | 'place'>): string =>
  writeCursor(startTime.getTime(), runId, place);

function cursorIn(written: string): Cursor {
  const [at, runId = '', place] = readCursor(written, /^(\d{1,15}) ([0-9a-f-]{36}) (\d{1,6})$/);
  return { at: Number(at), runId, place: Number(place) };
}
