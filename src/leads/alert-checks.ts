/**
 * Checks for trouble to alert on: parked leads, held upstreams, overdue leads, stuck runs, findings of a scheduled reconciliation, late backups
 * and low disk space. Without trouble,
 * a check costs three counts and a list of the holds.
 */
import type { Client } from '@temporalio/client';
import { mostLeadIds, type Trouble } from '../domain/alerts';
import { lastErrorWords, type HoldReport } from '../domain/hold';
import type { UpstreamName } from '../domain/upstreams';
import { siteSystemFlows } from '../domain/lead';
import { reconcileWorkflow, scheduledPrefixOf, type ReconcileMemo } from '../domain/reconcile';
import { isShort, noteDiskSpace, describeSpace } from '../lib/disk-space';
import { askDeadlineMs, askEngine } from '../temporal/ask';
import { openLeads, openLeadsAtWork } from './lead-queries';
import { leadIdOfRun } from './runs';
import { listRuns } from './search';
import { countStuckRuns } from './stuck-runs';

/** The condition for the parked leads of each upstream. In group E the step determines the upstream; in the other groups the flow does. */
const parkedAt: Readonly<Record<UpstreamName, string>> = {
  // Includes leads that are parked before their first request, so that every parked lead counts for an upstream.
  'key-service': `LeadFlow IN (${siteSystemFlows.map((flow) => `'${flow}'`).join(', ')}) AND LeadStep NOT IN ('check-email', 'send-to-rt', 'send-comments')`,
  V1: `LeadStep = 'send-to-rt'`,
  V2: `LeadStep IN ('check-email', 'send-comments')`,
  recruitment: `LeadFlow = 'recruit'`,
  leadforms: `LeadFlow IN ('leadforms', 'leadforms-sandbox')`,
  screening: `LeadFlow = 'screening'`,
};

const parkedReason = 'It may have arrived, or a later step was refused: look in the upstream, then resend, confirm or discard each lead';

const heldReason = 'its leads wait unsent and are sent when it recovers';

const stuckReason =
  'Their workflow tasks keep failing or timing out: look at them in the Temporal UI, and deploy a fix; leadgate replay shows where the code differs from a run';

const reconciliationReason = 'The last scheduled reconciliation found them: look at its findings';

const lateReason = 'Two intervals of BACKUP_EVERY_H have passed without a copy in BACKUP_DIR: see the log of the process with the engine';

export interface AlertCheckNeeds {
  readonly client: Client;
  readonly taskQueue: string;
  /** The holds, as GET /api/upstreams shows them. */
  readonly holds: () => Promise<readonly HoldReport[]>;
  /** Alerts on leads that are open for longer than this; 0 is off. */
  readonly leadAgeMin: number;
  /** True if reconciliations are scheduled. */
  readonly reconciles?: boolean;
  /** True if copies are scheduled, and two intervals have passed without one. */
  readonly isCopyLate?: () => Promise<boolean>;
  /** The disk of the embedded engine; absent on a cluster. */
  readonly disk?: { readonly dataDir: string; readonly leastBytes: number };
}

export function createAlertCheck({
  client,
  taskQueue,
  holds,
  leadAgeMin,
  reconciles,
  isCopyLate,
  disk,
}: AlertCheckNeeds): () => Promise<Trouble[]> {
  const parked = `${openLeads(taskQueue)} AND LeadState = 'parked'`;
  // Parked leads have their own alert.
  const overdue = () => {
    const before = new Date(Date.now() - leadAgeMin * 60_000).toISOString();
    return `${openLeadsAtWork(taskQueue)} AND StartTime < '${before}'`;
  };

  const countOf = async (query: string) => (await askEngine(client, () => client.workflow.count(query))).count;

  async function listIds(query: string): Promise<string[]> {
    const found = await listRuns(client, query, { most: mostLeadIds, withinMs: askDeadlineMs });
    return found.map((run) => leadIdOfRun(run) || run.workflowId);
  }

  async function findTrouble(query: string, trouble: Pick<Trouble, 'kind' | 'upstream' | 'reason'>): Promise<Trouble[]> {
    const count = await countOf(query);
    return count === 0 ? [] : [{ ...trouble, count, leadIds: await listIds(query) }];
  }

  async function parkedLeads(): Promise<Trouble[]> {
    if ((await countOf(parked)) === 0) return [];
    const found = Object.entries(parkedAt).map(([upstream, where]) =>
      findTrouble(`${parked} AND ${where}`, { kind: 'parked', upstream: upstream as UpstreamName, reason: parkedReason }),
    );
    return (await Promise.all(found)).flat();
  }

  async function overdueLeads(): Promise<Trouble[]> {
    const reason = `Open for more than ${leadAgeMin} minutes: look at what they wait for`;
    return leadAgeMin === 0 ? [] : findTrouble(overdue(), { kind: 'overdue', reason });
  }

  /** Names no runs: most are not leads, and a stuck run may be unreadable. */
  async function stuckRuns(): Promise<Trouble[]> {
    const count = await countStuckRuns(client, taskQueue);
    return count ? [{ kind: 'stuck', count, leadIds: [], reason: stuckReason }] : [];
  }

  async function heldUpstreams(): Promise<Trouble[]> {
    // A pause is intended. Leads that wait for it too long have the overdue alert.
    const troubled = (await holds()).filter(({ state }) => state === 'held' || state === 'probing');
    return troubled.map(({ upstream, instance, waiting = 0, failures, lastError, leadId }) => ({
      kind: 'held',
      upstream,
      ...(instance && { instance }),
      count: waiting,
      leadIds: leadId ? [leadId] : [],
      reason: `${lastError ? `It failed ${failures} times in a row, ${lastErrorWords(lastError)}` : 'It fails; no worker answers, so the number of waiting leads is unknown'}; ${heldReason}`,
    }));
  }

  /** Reads the memo of the last scheduled reconciliation that has ended. */
  async function reconciliation(): Promise<Trouble[]> {
    if (!reconciles) return [];
    const query = `WorkflowType = '${reconcileWorkflow}' AND WorkflowId STARTS_WITH '${scheduledPrefixOf(taskQueue)}' AND ExecutionStatus = 'Completed'`;
    const [last] = await listRuns(client, query, { most: 1, withinMs: askDeadlineMs });
    const { wrong: count = 0 } = (last?.memo?.reconcile as ReconcileMemo | undefined) ?? {};
    return count === 0 ? [] : [{ kind: 'reconciliation', count, leadIds: [], reason: reconciliationReason }];
  }

  async function lateCopy(): Promise<Trouble[]> {
    return (await isCopyLate?.()) ? [{ kind: 'backup', count: 0, leadIds: [], reason: lateReason }] : [];
  }

  async function shortDisk(): Promise<Trouble[]> {
    const space = disk && (await noteDiskSpace(disk.dataDir));
    if (!space || !isShort(space, disk.leastBytes)) return [];
    return [
      {
        kind: 'disk',
        count: 0,
        leadIds: [],
        reason: `${describeSpace(space)}: free some space, because no lead can be accepted on a full disk`,
      },
    ];
  }

  return async () =>
    (await Promise.all([parkedLeads(), heldUpstreams(), overdueLeads(), stuckRuns(), reconciliation(), lateCopy(), shortDisk()])).flat();
}
