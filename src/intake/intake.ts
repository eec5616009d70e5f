/**
 * Takes in every lead and call, alone or as a row of a file: checks that the settings that it needs are there, admits it, starts its run
 * or attaches to the open one, and waits for the report.
 */
import type { Client } from '@temporalio/client';
import type { Config } from '../config/config';
import { addresses, settingOf, type Need, type Upstreams } from '../config/upstreams';
import type { Endpoint } from '../contract/endpoint';
import { ApiError } from '../contract/errors';
import type { SandboxBinding } from '../domain/execution-context';
import { accountOf, siteInstance } from '../domain/clinicsys';
import { pick, text } from '../domain/formats';
import type { ForwardFlow, Prepared } from '../domain/forward';
import { destinationOf } from '../domain/forwarders';
import { upstreamNames, type Destination } from '../domain/upstreams';
import { isSettled, type Detail, type JsonObject, type LeadReport } from '../domain/lead';
import { reportOfAccepted, type Reports } from '../leads/reports';
import { newestRun } from '../leads/attempts';
import { errorNameOf } from '../lib/errors';
import { log } from '../lib/log';
import { NotAdmitted, type Admission } from './admission';
import type { Input } from '../contract/input';
import type { Admitted } from './open-leads';
import { payloadsOf, type Payload } from './payloads';
import type { Run, Starter } from './start';

/** A request whose settings are all there. */
export interface Ready {
  /** The payload for a flow that forwards one request; undefined for the others. */
  readonly prepared: Prepared | undefined;
  /** For each setting that it needs: whether the sandbox stands in. */
  readonly binding: SandboxBinding;
  /** The destinations of its requests. */
  readonly goesTo: readonly Destination[];
}

export interface Preparation {
  /** Problems beyond single fields, such as an unknown site. They are reported together with the wrong fields. */
  problems(flow: string | undefined, given: JsonObject): readonly Detail[];
  /** Prepares the request before anything is started. Throws CONFIG_ERROR if a setting that it needs is missing. */
  ready(endpoint: Endpoint, body: JsonObject): Ready;
}

export interface Entering extends Ready {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly input: Input;
  readonly dryRun: boolean;
  readonly idempotencyKey: string | undefined;
  readonly caller: string;
  readonly requestId?: string;
  /** One of many, such as a row of a file: it goes behind single requests. */
  readonly bulk?: boolean;
  /** The import that the row came with. */
  readonly importId?: string;
  /** Its X-Callback-URL. */
  readonly callbackUrl?: string;
}

/** A run that was admitted. */
export type Entered = Run & Pick<Admitted<Run>, 'left'>;

export interface Intake extends Preparation {
  /** Admits and starts the request, or attaches it to its open run. If it throws, nothing was started, except with OUTCOME_UNKNOWN. */
  enter(entering: Entering): Promise<Entered>;
  /** The report at the run's end, when it is parked, or after `patienceMs`. */
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
  /** The newest attempt of a repeated request's lead: a redrive may have followed the run that was found. */
  async function newestOf(run: Entered): Promise<Entered> {
    if (!run.replayed || !run.leadId) return run;
    const { workflowId, runId } = await newestRun(client, run.leadId);
    return { ...run, workflowId, runId };
  }

  const told = async (run: Entered, patienceMs: number) => reports.settled(await newestOf(run), patienceMs);

  return {
    ...preparation,

    async enter({ endpoint, input, goesTo, ...entering }) {
      const { caller, bulk, dryRun } = entering;
      const carried = endpoint.carried === 'lead' ? 'lead' : 'call';
      const entrant = carried === 'call' || dryRun ? 'call' : bulk ? 'one of many' : 'lead';
      const asked = { ...entering, ...input, carried, flow: endpoint.flow } as const;
      try {
        const { run, left } = await admission.admit(caller, entrant, () => starter.start(asked), goesTo);
        return { ...run, left };
      } catch (refusal) {
        // A repeat of an accepted request is answered even when the limits are reached: it starts nothing.
        const run = refusal instanceof NotAdmitted ? await starter.find(asked) : undefined;
        if (run) return { ...run, left: () => undefined };
        throw refusal;
      }
    },

    async settled(run, patienceMs) {
      const report = await told(run, patienceMs).catch((error: unknown) => unfinished(error, run));
      if (isSettled(report)) run.left();
      return report;
    },
  };
}

/** The run was accepted. If the engine then stops answering, a lead is reported as accepted, not as failed. */
function unfinished(error: unknown, { leadId }: { readonly leadId: string }): LeadReport {
  log.warn('the wait for a run failed', { leadId, reason: errorNameOf(error) });
  if (!leadId) throw new ApiError('OUTCOME_UNKNOWN', 'The engine stopped answering while the request was carried');
  return reportOfAccepted(leadId);
}

/** The upstreams of the site system that a request needs, at the instance of its body. */
function siteSystemIn(needs: readonly Need[], body: JsonObject): Destination[] {
  const settings = needs.map(settingOf);
  const instance = siteInstance(accountOf(body), text(body.instanceName) ?? '');
  return upstreamNames
    .filter((name) => addresses[name].some((need) => settings.includes(settingOf(need))))
    .map((upstream) => ({ upstream, instance }));
}

/** `redrive.ts` prepares the next attempt of a lead with the same checks. */
export function createPreparation(config: Config, upstreams: Upstreams): Preparation {
  const payloads = payloadsOf(config, upstreams);
  const of = (flow = '') => pick<Payload>(payloads, flow);
  return {
    problems: (flow, given) => of(flow)?.problems?.(given) ?? [],

    ready({ flow, uses }, body) {
      const payload = of(flow);
      const prepared = payload?.prepare(body);
      const needs = prepared?.bounce ? [] : (uses?.(body) ?? []);
      const missing = [...needs.filter((need) => !upstreams.find(need)).map(settingOf), ...(payload?.missing?.(body) ?? [])];
      if (missing.length > 0) throw new ApiError('CONFIG_ERROR', `Not set on the server: ${missing.join(', ')}`);
      const binding = Object.fromEntries(needs.map((need) => [settingOf(need), Boolean(upstreams.find(need)?.sandbox)]));
      return {
        prepared,
        binding,
        goesTo: payload && needs.length > 0 ? [destinationOf(flow as ForwardFlow, body)] : siteSystemIn(needs, body),
      };
    },
  };
}
