/** What every lead and every call goes through, alone or as a row of a file: prepared, admitted, started or attached to its run, waited for. */
import type { Client } from '@temporalio/client';
import type { Endpoint } from '../contract/endpoint';
import { isOver, type LeadReport } from '../domain/lead';
import { log } from '../lib/log';
import { NotAdmitted, type Admission } from './admission';
import { ApiError } from '../contract/errors';
import { newestRun } from '../leads/runs';
import type { Preparation, Ready } from './prepare';
import type { Input } from './input';
import { accepted, type Reports } from '../leads/reports';
import type { Run, Starter } from './start';

export interface Entering extends Ready {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly input: Input;
  readonly dryRun: boolean;
  readonly idempotencyKey: string | undefined;
  readonly caller: string;
  readonly requestId?: string;
  /** One of many: it goes behind those that come in one by one. */
  readonly bulk?: boolean;
}

/** A run, and what makes room for the next one when it has ended. */
export type Entered = Run & { readonly ended: () => void };

export interface Intake extends Preparation {
  /** Throws where nothing was started. */
  enter(entering: Entering): Promise<Entered>;
  settled(run: Entered, patienceMs: number): Promise<LeadReport>;
}

export interface IntakeNeeds {
  readonly client: Client;
  readonly preparation: Preparation;
  readonly admission: Admission;
  readonly starter: Starter;
  readonly reports: Reports;
}

export function createIntake({ client, preparation, admission, starter, reports }: IntakeNeeds): Intake {
  /** A lead that was here before may have been driven again since: its newest run tells what became of it. */
  async function newestOf(run: Entered): Promise<Entered> {
    if (!run.replayed || !run.leadId) return run;
    const { workflowId, runId } = await newestRun(client, run.leadId);
    return { ...run, workflowId, runId };
  }

  const told = async (run: Entered, patienceMs: number) => reports.settled(await newestOf(run), patienceMs);

  return {
    ...preparation,

    async enter({ endpoint, input, ...entering }) {
      const { caller, bulk } = entering;
      const carried = endpoint.carried === 'lead' ? 'lead' : 'call';
      const asked = { ...entering, ...input, carried, flow: endpoint.flow } as const;
      try {
        const { run, ended } = await admission.admit(caller, Boolean(bulk), () => starter.start(asked));
        return { ...run, ended };
      } catch (refusal) {
        // What was accepted before is told again, however many are under way: it starts nothing.
        const run = refusal instanceof NotAdmitted ? await starter.find(asked) : undefined;
        if (run) return { ...run, ended: () => undefined };
        throw refusal;
      }
    },

    async settled(run, patienceMs) {
      const report = await told(run, patienceMs).catch((error: unknown) => unfinished(error, run));
      if (isOver(report)) run.ended();
      return report;
    },
  };
}

/** The run was accepted: if the engine stops answering now, that is all there is to say, and it is no failure of the lead. */
function unfinished(error: unknown, { leadId }: { readonly leadId: string }): LeadReport {
  log.warn('wait broken off', { leadId, reason: error instanceof Error ? error.name : 'unknown' });
  if (!leadId) throw new ApiError('OUTCOME_UNKNOWN', 'The engine stopped answering while the request was carried');
  return accepted(leadId);
}
