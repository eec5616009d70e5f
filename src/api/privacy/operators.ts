/** Handles the routes for operators: the audit trail, erasures, the retention times, and the name of the caller. */
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import type { EvidenceStore } from '../../audit/evidence';
import { auditDir, trailNames } from '../../audit/lines';
import { createPageReader, readTrail, type ListedEntry } from '../../audit/read';
import type { Config } from '../../config/config';
import { endpoints } from '../../contract';
import { invalidCursor } from '../../contract/errors';
import { erasurePendingMessage } from '../../contract/operators';
import { receiptFacts, sumCounts, totalsOf } from '../../domain/erase';
import type { Requester } from '../../domain/requester';
import { retentionH } from '../../temporal/retention';
import type { Handlers } from '../handler';
import type { Erase, Person } from './erase';
import { createShowEvidence } from './evidence';
import type { Reads } from './reads';

const usualLimit = 100;
const hourMs = 3_600_000;

interface TrailQuery {
  readonly since?: string;
  readonly until?: string;
  readonly leadId?: string;
  readonly action?: string;
  readonly limit?: number;
  readonly cursor?: string;
  readonly clear?: string;
}

interface Needs {
  readonly client: Client;
  readonly config: Config;
  readonly erase: Erase;
  readonly evidence: EvidenceStore;
  readonly reads: Reads;
}

const counts = z.array(z.object({ flow: z.string(), state: z.string(), site: z.string().optional(), leads: z.int() }));

export function operatorHandlers({ client, config, erase, evidence, reads }: Needs) {
  const dir = auditDir(config.LEADGATE_DATA_DIR);
  const readPage = createPageReader(dir);
  const showEvidence = createShowEvidence(dir, evidence);

  /** Records the leads whose values are shown in clear. A bulk order has no lead, so its entry stands for it. */
  async function recordClear(requester: Requester, clear: readonly ListedEntry[]): Promise<void> {
    const { path: route } = endpoints.listAudit;
    const leadIds = [...new Set(clear.flatMap(({ leadId }) => leadId ?? []))];
    if (leadIds.length > 0) await reads.record(requester, { route, leadIds });
    for (const { leadId, evidence } of clear) if (leadId === undefined) await reads.record(requester, { route, question: evidence });
  }

  return {
    async listAudit({ requester, input }) {
      const { limit = usualLimit, cursor, clear, ...filter }: TrailQuery = input.body;
      const page = await readPage(filter, limit, cursor);
      if (!page) throw invalidCursor();
      const shown = await showEvidence(page.entries, clear === 'true');
      await recordClear(
        requester,
        page.entries.filter((_, at) => shown[at]?.isClear),
      );
      const entries = page.entries.map((entry, at) => ({ ...entry, evidence: shown[at]?.evidence }));
      return { status: 200, body: { success: true, count: entries.length, entries, nextCursor: page.next } };
    },

    async listErasures({ input }) {
      const filter: TrailQuery = input.body;
      const receipts = (await readTrail(dir, { ...filter, action: 'erase' })).filter(({ receiptId }) => receiptId !== undefined);
      // The worker and the API both record the receipt: count it once.
      const done = [...new Map(receipts.map((entry) => [entry.receiptId, entry])).values()];
      const rows = sumCounts(done.flatMap((entry) => counts.safeParse(entry.counts).data ?? []));
      const leads = rows.reduce((sum, row) => sum + row.leads, 0);
      return { status: 200, body: { success: true, erasures: done.length, leads, counts: rows } };
    },

    async erasePerson({ input, requester }) {
      const { dryRun, ...person }: Person & { readonly dryRun?: boolean } = input.body;
      if (dryRun) {
        const { leadIds, runs, counts } = await erase.count(person);
        return { status: 200, body: { success: true, dryRun: true, leads: leadIds.length, runs, counts } };
      }
      const erased = await erase.erase(person, requester);
      if ('receiptId' in erased) return { status: 200, body: { success: true, ...erased }, facts: receiptFacts(erased) };
      const progress = { ...totalsOf(erased), ...erased };
      return { status: 202, body: { success: false, pending: true, message: erasurePendingMessage, ...progress }, outcome: 'pending' };
    },

    async getRetention() {
      const keptH = await retentionH(client);
      const [oldest] = await trailNames(dir);
      return {
        status: 200,
        body: {
          success: true,
          closedRuns: { keptH, keptSince: new Date(Date.now() - keptH * hourMs).toISOString() },
          idempotencyKeys: { keptH: config.IDEMPOTENCY_WINDOW_H },
          audit: { keptD: config.AUDIT_RETENTION_D, oldest: oldest && startOf(oldest) },
        },
      };
    },

    async getCaller({ caller: { name } }) {
      return { status: 200, body: { success: true, ...(name && { name }) } };
    },
  } satisfies Partial<Handlers>;
}

/** Reads the time of a file's first line from its name. */
const startOf = (name: string): string => name.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z.*$/, '$1-$2-$3T$4:$5:$6.$7Z');
