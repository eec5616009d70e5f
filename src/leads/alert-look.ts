/**
 * Looks for trouble to alert on: parked leads, held upstreams, leads that are open for too long and stuck runs, in the engine's lists, a
 * copy that is too old, and the disk. While all is well this costs three counts and a list of the holds.
 */
import type { Client } from '@temporalio/client';
import { mostLeadIds, type Trouble } from '../domain/alerts';
import type { HoldReport } from '../domain/hold';
import type { UpstreamName } from '../domain/upstreams';
import { siteSystemFlows } from '../domain/lead';
import { isShort, noteDiskSpace, spaceWords } from '../lib/disk-space';
import { askDeadlineMs, askEngine } from '../temporal/ask';
import { openLeads, openLeadsAtWork } from './lead-queries';
import { leadIdOfRun } from './runs';
import { listRuns } from './search';
import { countStuckRuns } from './stuck-runs';

/** Finds the parked leads of each upstream. In group E's flows the step names the upstream; in the others the flow does. */
const parkedAt: Readonly<Record<UpstreamName, string>> = {
  // Also leads that are parked before their first request, so that every parked lead counts for an upstream.
  'key-service': `LeadFlow IN (${siteSystemFlows.map((flow) => `'${flow}'`).join(', ')}) AND LeadStep NOT IN ('check-email', 'send-to-rt', 'send-comments')`,
  V1: `LeadStep = 'send-to-rt'`,
  V2: `LeadStep IN ('check-email', 'send-comments')`,
  recruitment: `LeadFlow = 'recruit'`,
  leadforms: `LeadFlow IN ('leadforms', 'leadforms-sandbox')`,
  screening: `LeadFlow = 'screening'`,
};

const parkedReason = 'It may have arrived, or a later step was refused: look in the upstream, then resend, confirm or discard each of them';

const heldReason = 'its leads wait unsent, and go out by themselves when it answers';

const stuckReason =
  'Their workflow tasks keep failing or timing out: look at them in the Temporal UI, and deploy a fix; leadgate replay tells where the code differs from a run';

const lateReason = 'Two intervals of BACKUP_EVERY_H have passed without a copy in BACKUP_DIR: see the log of the process with the engine';

export interface LookNeeds {
  readonly client: Client;
  readonly taskQueue: string;
  /** The holds, as GET /api/upstreams shows them. */
  readonly holds: () => Promise<readonly HoldReport[]>;
  /** Open leads older than this are an alert; 0 is off. */
  readonly leadAgeMin: number;
  /** True if copies are scheduled, and two intervals have passed without one. */
  readonly isCopyLate?: () => Promise<boolean>;
  /** The disk that the embedded engine writes to; absent on a cluster. */
  readonly disk?: { readonly dataDir: string; readonly leastBytes: number };
}

export function createLook({ client, taskQueue, holds, leadAgeMin, isCopyLate, disk }: LookNeeds): () => Promise<Trouble[]> {
  const parked = `${openLeads(taskQueue)} AND LeadState = 'parked'`;
  // Parked leads are left out: they have an alert of their own.
  const overdue = () => {
    const before = new Date(Date.now() - leadAgeMin * 60_000).toISOString();
    return `${openLeadsAtWork(taskQueue)} AND StartTime < '${before}'`;
  };

  const countOf = async (query: string) => (await askEngine(client, () => client.workflow.count(query))).count;

  async function someOf(query: string): Promise<string[]> {
    const found = await listRuns(client, query, { most: mostLeadIds, withinMs: askDeadlineMs });
    return found.map((run) => leadIdOfRun(run) || run.workflowId);
  }

  async function troubleWith(query: string, trouble: Pick<Trouble, 'kind' | 'upstream' | 'reason'>): Promise<Trouble[]> {
    const count = await countOf(query);
    return count === 0 ? [] : [{ ...trouble, count, leadIds: await someOf(query) }];
  }

  async function parkedLeads(): Promise<Trouble[]> {
    if ((await countOf(parked)) === 0) return [];
    const found = Object.entries(parkedAt).map(([upstream, where]) =>
      troubleWith(`${parked} AND ${where}`, { kind: 'parked', upstream: upstream as UpstreamName, reason: parkedReason }),
    );
    return (await Promise.all(found)).flat();
  }

  async function overdueLeads(): Promise<Trouble[]> {
    const reason = `Not done after ${leadAgeMin} minutes: look at what they wait for`;
    return leadAgeMin === 0 ? [] : troubleWith(overdue(), { kind: 'overdue', reason });
  }

  /** The runs are not named: most are no leads, and a run may be stuck because it cannot be read. */
  async function stuckOnes(): Promise<Trouble[]> {
    const count = await countStuckRuns(client, taskQueue);
    return count ? [{ kind: 'stuck', count, leadIds: [], reason: stuckReason }] : [];
  }

  async function heldUpstreams(): Promise<Trouble[]> {
    // A pause is a person's own doing: leads that it keeps for too long are an alert of their own.
    const troubled = (await holds()).filter(({ state }) => state === 'held' || state === 'probing');
    return troubled.map(({ upstream, instance, waiting = 0, failures, lastError }) => ({
      kind: 'held',
      upstream,
      ...(instance && { instance }),
      count: waiting,
      leadIds: [],
      reason: `${lastError ? `It failed ${failures} times in a row, the last time: ${lastError}` : 'It fails; no worker answers, so the number of waiting leads is unknown'}; ${heldReason}`,
    }));
  }

  async function lateCopy(): Promise<Trouble[]> {
    return (await isCopyLate?.()) ? [{ kind: 'backup', count: 0, leadIds: [], reason: lateReason }] : [];
  }

  async function shortDisk(): Promise<Trouble[]> {
    const space = disk && (await noteDiskSpace(disk.dataDir));
    if (!space || !isShort(space, disk.leastBytes)) return [];
    return [
      { kind: 'disk', count: 0, leadIds: [], reason: `${spaceWords(space)}: make room, because nothing can be accepted on a full disk` },
    ];
  }

  return async () => (await Promise.all([parkedLeads(), heldUpstreams(), overdueLeads(), stuckOnes(), lateCopy(), shortDisk()])).flat();
}
