/** Handles the routes that read a lead: its state, its exchanges and its events. */
import type { Client } from '@temporalio/client';
import { isSandboxed } from '../../config/upstreams';
import { endpoints } from '../../contract';
import { ApiError } from '../../contract/errors';
import type { Receiver, StoredEvent } from '../../domain/events';
import { without } from '../../domain/formats';
import { attemptIn } from '../../domain/ids';
import { waitAfterPause, waitAtPause, type JsonObject, type LeadReport } from '../../domain/lead';
import { hidden, masked } from '../../domain/mask';
import { memoOf } from '../../domain/memo';
import { shownReference } from '../../domain/reference';
import type { EventOutbox } from '../../events/outbox';
import { eventsOf, shownDelivery } from '../../leads/events';
import { exchangesOf } from '../../leads/exchanges';
import type { Holds } from '../../leads/holds';
import type { Pauses } from '../../leads/pauses';
import type { Reports } from '../../leads/reports';
import type { RunUrls } from '../../leads/run-urls';
import { attemptsOf, newestIn } from '../../leads/attempts';
import { leadIdOfRun, openInCopy, receivedAt } from '../../leads/runs';
import type { RunDescription } from '../../temporal/ask';
import { sandboxHeader } from '../answer';
import type { Handlers } from '../handler';
import { canReadInClear, type Reads } from '../privacy/reads';
import { boundedWaitMs } from '../request';

interface LeadNeeds {
  readonly client: Client;
  readonly reports: Reports;
  readonly holds: Pick<Holds, 'of'>;
  readonly pauses: Pick<Pauses, 'of'>;
  readonly reads: Reads;
  readonly runUrl: RunUrls;
  readonly outbox: Pick<EventOutbox, 'resend'>;
  /** The time of the backup that was restored, if one was. */
  readonly copiedAt?: number;
}

export function leadHandlers({ client, reports, holds, pauses, reads, runUrl, outbox, copiedAt }: LeadNeeds) {
  /** Adds the current pause or hold: a waiting run does not know later pauses and resumes, nor when its hold tries the next lead. */
  async function waitOf({ waitsFor }: LeadReport): Promise<LeadReport['waitsFor']> {
    if (!waitsFor?.upstream) return waitsFor;
    const destination = { upstream: waitsFor.upstream, instance: waitsFor.instance ?? '' };
    const pause = await pauses.of(destination);
    if (pause) return waitAtPause(pause);
    if (waitsFor.what === 'pause') return waitAfterPause(destination);
    const hold = await holds.of(destination);
    return { ...waitsFor, nextTryAt: hold?.nextProbeAt };
  }

  return {
    async getLead({ caller, requester, input }) {
      const { leadId, clear, wait } = input.body as { leadId: string; clear?: string; wait?: number };
      const attempts = await attemptsOf(client, leadId);
      const newest = newestIn(attempts);
      const canSeeClear = canReadInClear(caller, memoOf(newest)?.senders ?? []);
      const [report, ...before] = await Promise.all([
        wait ? reports.settled(newest, boundedWaitMs(wait)) : reports.now(newest),
        ...attempts.slice(0, -1).map((attempt) => reports.now(attempt)),
      ]);
      const attemptBodies = attempts.map((attempt, at) => attemptBody(attempt, before[at] ?? report, runUrl(attempt)));
      const body = leadBody(
        { ...report, waitsFor: await waitOf(report) },
        newest,
        canSeeClear ? attemptBodies : attemptBodies.map(withoutReason),
      );
      const isClear = canSeeClear && clear !== 'false';
      const shown = { ...(isClear ? clearResult(report) : maskedResult(report)), restored: openInCopy(newest, copiedAt) };
      if (isClear && report.result !== undefined)
        await reads.record(requester, { route: endpoints.getLead.path, leadIds: [leadIdOfRun(newest)] });
      return { status: 200, body: { ...body, ...shown }, headers: headersOf(newest) };
    },

    async getExchanges({ requester, input }) {
      const { leadId, clear, attempt: number } = input.body as { leadId: string; clear?: string; attempt?: number };
      const isClear = clear === 'true';
      const attempts = await attemptsOf(client, leadId);
      const numberOf = (each: RunDescription) => attemptIn(each.workflowId);
      const found = number === undefined ? newestIn(attempts) : attempts.find((each) => numberOf(each) === number);
      if (!found) throw noAttempt(attempts);
      const attempt = numberOf(found);
      const before = attempts.find((each) => numberOf(each) === attempt - 1);
      const [exchanges, { steps }] = await Promise.all([exchangesOf(client, found, isClear, { before, runUrl }), reports.now(found)]);
      const head = { leadId: leadIdOfRun(found), flow: found.searchAttributes.LeadFlow?.[0], attempt, steps };
      if (isClear) await reads.record(requester, { route: endpoints.getExchanges.path, leadIds: [head.leadId] });
      return { status: 200, body: { success: true, ...head, ...exchanges }, headers: headersOf(found) };
    },

    async getEvents({ input }) {
      const { leadId } = input.body as { leadId: string };
      await attemptsOf(client, leadId);
      const events = await eventsOf(client, leadId);
      return { status: 200, body: { success: true, leadId, events: events.map(eventBody) } };
    },

    async sendEventsAgain({ input }) {
      const { leadId } = input.body as { leadId: string };
      return { status: 200, body: { success: true, leadId, count: await outbox.resend(leadId) } };
    },

    async sendEventAgain({ input }) {
      const { leadId, eventId, receiver } = input.body as { leadId: string; eventId: string; receiver?: Receiver };
      await outbox.resend(leadId, { eventId, receiver });
      return { status: 200, body: { success: true, leadId, eventId }, facts: { eventId, receiver } };
    },
  } satisfies Partial<Handlers>;
}

const eventBody = ({ id, type, timestamp, attempt, deliveries }: StoredEvent): JsonObject => {
  return { id, type, timestamp, attempt, deliveries: deliveries.map(shownDelivery) };
};

const wasSandboxed = (found: RunDescription) => isSandboxed(memoOf(found)?.binding ?? {});

const headersOf = (found: RunDescription) => ({
  'X-Lead-Id': leadIdOfRun(found),
  'X-Workflow-Id': found.workflowId,
  ...(wasSandboxed(found) && sandboxHeader),
});

function leadBody(report: LeadReport, found: RunDescription, attempts: readonly JsonObject[]): JsonObject {
  const { flow, state, step, steps, waitsFor } = report;
  const { startTime, closeTime } = found;
  const updatedAt = report.updatedAt ?? (closeTime ?? startTime).toISOString();
  const sandbox = wasSandboxed(found) ? true : undefined;
  const [leadId, createdAt] = [leadIdOfRun(found), receivedAt(found)];
  const reference = shownReference(memoOf(found)?.reference);
  return { success: true, leadId, flow, state, step, reference, createdAt, updatedAt, waitsFor, steps, attempts, sandbox };
}

/** Removes the access key, which only the answer of the original call contains. */
const clearResult = ({ result }: LeadReport): JsonObject => ({ result: result && without(result, ['key']) });

const maskedResult = (report: LeadReport): JsonObject => {
  const { result } = clearResult(report);
  return { masked: true, ...(result !== undefined && { result: masked(result) }) };
};

/** Hides the reason, which may contain personal data. */
const withoutReason = (attempt: JsonObject): JsonObject => ({ ...attempt, ...(attempt.reason !== undefined && { reason: hidden }) });

function attemptBody(run: RunDescription, { state, failure }: LeadReport, temporalUrl: string | undefined): JsonObject {
  const { by, reason, changed } = memoOf(run)?.redrive ?? {};
  return {
    attempt: attemptIn(run.workflowId),
    startedAt: run.startTime.toISOString(),
    endedAt: run.closeTime?.toISOString(),
    state,
    ...{ by, reason, changed },
    ...(failure && { error: { code: failure.code, message: failure.message } }),
    temporalUrl,
  };
}

function noAttempt(attempts: readonly RunDescription[]): ApiError {
  const kept = attempts.map(({ workflowId }) => attemptIn(workflowId)).join(', ');
  return new ApiError('NOT_FOUND', `The lead does not have this attempt. Its attempts: ${kept}`);
}
