/** Exports the metrics that are read from the engine: leads by flow and state, stuck runs, held and paused upstreams. A scrape refreshes them. */
import type { Client } from '@temporalio/client';
import { Gauge, Registry } from 'prom-client';
import { openOutboxes } from '../../domain/events';
import { holdId, holdPrefix, openHolds } from '../../domain/hold';
import { upstreamNames } from '../../domain/upstreams';
import { flows, openStates, overStates } from '../../domain/lead';
import type { KeyRing } from '../../keys/ring';
import { nextAttemptIdOf, previousAttemptIdOf } from '../../leads/attempts';
import { conditionsOf, flowBesideState, openLeads } from '../../leads/lead-queries';
import { createDecryptableReader } from '../../leads/decryptable';
import { countOf } from '../../leads/newest-leads';
import { createPauses } from '../../leads/pauses';
import { listRuns, listUnder, rowPages, type IndexRow } from '../../leads/search';
import { countStuckRuns } from '../../leads/stuck-runs';
import { askEngine } from '../../temporal/ask';
import { attributeIn } from '../../temporal/engine';
import { engineAwayMessage, whyNotReady } from '../../temporal/readiness';

/** The pause after a read, as a multiple of its duration, so that a slow count runs less often. */
const restFactor = 20;

interface OpenLead {
  readonly flow: string;
  readonly state: string;
  readonly startedAt: number;
}

export interface EngineMetrics {
  readonly registry: Registry;
  /** Refreshes outdated values. Concurrent scrapes share one refresh. */
  refresh(): Promise<void>;
}

export function createEngineMetrics(client: Client, keys: KeyRing, namespace: string, taskQueue: string): EngineMetrics {
  const readDecryptable = createDecryptableReader(keys);
  const registry = new Registry();
  const registers = [registry];
  const reachable = new Gauge({ name: 'leadgate_engine_reachable', help: '1 if the engine answers', registers });
  const polling = new Gauge({ name: 'leadgate_worker_polling', help: '1 if a worker polls the engine', registers });
  const leads = new Gauge({ name: 'leadgate_leads', help: 'Leads by flow and state', labelNames: ['flow', 'state'], registers });
  const oldest = new Gauge({
    name: 'leadgate_oldest_open_lead_age_seconds',
    help: 'Age of the oldest open lead; 0 if there is none',
    registers,
  });
  const perUpstream = { labelNames: ['upstream'] as const, registers };
  const held = new Gauge({ name: 'leadgate_upstreams_held', help: 'Instances that are held because they fail', ...perUpstream });
  const paused = new Gauge({
    name: 'leadgate_upstreams_paused',
    help: 'Instances or whole upstreams that an operator has paused',
    ...perUpstream,
  });

  const undelivered = new Gauge({
    name: 'leadgate_leads_with_events_to_tell',
    help: 'Leads with events that are not delivered yet',
    registers,
  });

  const stuck = new Gauge({
    name: 'leadgate_stuck_runs',
    help: 'Open runs whose workflow tasks keep failing or timing out; NaN if the engine does not answer',
    registers,
  });

  const count = async (query: string) => (await askEngine(client, () => client.workflow.count(query))).count;

  async function listed<T>(query: string, read: (run: IndexRow) => T): Promise<T[]> {
    const found: T[] = [];
    for await (const rows of rowPages(client, query)) found.push(...rows.map(read));
    return found;
  }

  async function readEngine(): Promise<void> {
    const missing = await whyNotReady(client, namespace, taskQueue);
    reachable.set(Number(missing !== engineAwayMessage));
    polling.set(Number(missing === undefined));
    if (missing === engineAwayMessage) throw new Error(missing);
  }

  async function readOpen(): Promise<void> {
    const open = await listed(openLeads(taskQueue), openOf);
    for (const flow of flows)
      for (const state of openStates) leads.set({ flow, state }, open.filter((lead) => lead.flow === flow && lead.state === state).length);
    const first = open.reduce((least, { startedAt }) => Math.min(least, startedAt), Date.now());
    oldest.set((Date.now() - first) / 1000);
    undelivered.set(await count(openOutboxes(taskQueue)));
    stuck.set((await countStuckRuns(client, taskQueue)) ?? Number.NaN);
    const pauses = await createPauses(client, taskQueue).list();
    const pausedLines = pauses.map((pause) => holdId(taskQueue, pause));
    const lines = await listed(openHolds(taskQueue), ({ execution }) => execution?.workflowId ?? '');
    const holds = lines.filter((id) => !pausedLines.includes(id));
    for (const upstream of upstreamNames) {
      held.set({ upstream }, holds.filter((id) => id.startsWith(`${holdPrefix(taskQueue)}${upstream}:`)).length);
      paused.set({ upstream }, pauses.filter((pause) => pause.upstream === upstream).length);
    }
  }

  async function readClosed(): Promise<void> {
    for (const flow of flows) {
      const ofFlow = `TaskQueue = '${taskQueue}' AND ${flowBesideState(flow)}`;
      for (const state of overStates) {
        const queries = conditionsOf(state).map((condition) => `${ofFlow} AND ${condition}`);
        const ended = await countOf({ count }, queries);
        const redriven = state === 'failed' && ended > 0 ? await countRedriven(queries, ofFlow) : 0;
        leads.set({ flow, state }, Math.max(0, ended - redriven));
      }
    }
  }

  /**
   * Counts the failed attempts that were redriven: their leads count by their newest attempts. It reads the memos, because only they have the
   * lead of an attempt that has continued as new.
   */
  async function countRedriven(failed: readonly string[], ofFlow: string): Promise<number> {
    const redrives = await listed(`${ofFlow} AND WorkflowId STARTS_WITH 'lead-r'`, ({ execution }) => execution?.workflowId ?? '');
    const listFailed = async (under: string) =>
      (await Promise.all(failed.map((query) => readDecryptable((only) => listRuns(client, `${query} AND ${under}${only}`))))).flat();
    const before = await listUnder(listFailed, [...new Set(redrives.map(previousAttemptIdOf))]);
    const known = new Set(redrives);
    return before.filter((run) => known.has(nextAttemptIdOf(run))).length;
  }

  const parts = [
    { read: readEngine, everyMs: 2_000, dueAt: 0 },
    { read: readOpen, everyMs: 10_000, dueAt: 0 },
    // Each flow and state needs a query, and these numbers are not urgent.
    { read: readClosed, everyMs: 60_000, dueAt: 0 },
  ];

  async function refresh(): Promise<void> {
    try {
      for (const part of parts) {
        const at = Date.now();
        if (at < part.dueAt) continue;
        await part.read();
        part.dueAt = Date.now() + Math.max(part.everyMs, (Date.now() - at) * restFactor);
      }
    } catch {
      // Unknown values are removed, because old ones would be wrong.
      leads.reset();
      held.reset();
      paused.reset();
      oldest.set(Number.NaN);
      undelivered.set(Number.NaN);
      stuck.set(Number.NaN);
      for (const part of parts) part.dueAt = 0;
    }
  }

  let refreshing: Promise<void> | undefined;
  return {
    registry,
    refresh: () =>
      (refreshing ??= refresh().finally(() => {
        refreshing = undefined;
      })),
  };
}

function openOf({ searchAttributes, startTime }: IndexRow): OpenLead {
  const read = (name: string) => String(attributeIn(searchAttributes?.indexedFields?.[name]) ?? '');
  return { flow: read('LeadFlow'), state: read('LeadState'), startedAt: Number(startTime?.seconds ?? 0) * 1000 };
}
