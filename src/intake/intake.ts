/**
 * Accepts leads and calls, single or from a file: checks the settings that a request needs, applies the limits, starts a run or attaches to
 * the existing one, and waits for its report.
 */
import type { Client } from '@temporalio/client';
import type { Config } from '../config/config';
import { addresses, settingOf, type Need, type Upstreams } from '../config/upstreams';
import type { Endpoint } from '../contract/endpoint';
import { ApiError } from '../contract/errors';
import type { SandboxBinding } from '../domain/execution-context';
import { accountOf, siteInstance } from '../domain/clinicsys';
import { pick, text } from '../domain/formats';
import type { ForwardFlow, PreparedLead } from '../domain/forward';
import { destinationOf } from '../domain/forwarders';
import { upstreamNames, type Destination } from '../domain/upstreams';
import { isSettled, type Detail, type JsonObject, type LeadReport } from '../domain/lead';
import { reportOfAccepted, type Reports } from '../leads/reports';
import { newestRun } from '../leads/attempts';
import { errorNameOf } from '../lib/errors';
import { log } from '../lib/log';
import { NotAdmitted, type Admission } from './admission';
import type { Input } from '../contract/input';
import type { AdmittedRun } from './open-leads';
import { payloadsOf, type Payload } from './payloads';
import type { RequestRun, Starter } from './start';

/** A request that has every setting it needs. */
export interface PreparedRequest {
  /** The payload for a flow that forwards one request; undefined for the others. */
  readonly prepared: PreparedLead | undefined;
  /** For each setting that the request needs: whether the sandbox stands in. */
  readonly binding: SandboxBinding;
  /** The destinations that the lead is sent to. */
  readonly goesTo: readonly Destination[];
}

export interface Preparation {
  /** Finds problems beyond single fields, such as an unknown site. They are reported together with the invalid fields. */
  problems(flow: string | undefined, given: JsonObject): readonly Detail[];
  /** Prepares a request before it is started. Throws CONFIG_ERROR if a setting that it needs is missing. */
  prepare(endpoint: Endpoint, body: JsonObject): PreparedRequest;
}

export interface IntakeRequest extends PreparedRequest {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly input: Input;
  readonly dryRun: boolean;
  readonly idempotencyKey: string | undefined;
  readonly caller: string;
  readonly requestId?: string;
  /** True for a row of a file or a lead of a bulk order: it gets a lower priority. */
  readonly bulk?: boolean;
  /** The import of the row. */
  readonly importId?: string;
  readonly callbackUrl?: string;
}

export type AcceptedRun = RequestRun & Pick<AdmittedRun<RequestRun>, 'release'>;

export interface Intake extends Preparation {
  /** Starts a run for the request, or attaches to the existing one. Any error but OUTCOME_UNKNOWN means that nothing was started. */
  accept(request: IntakeRequest): Promise<AcceptedRun>;
  /** Returns the rates that limit this caller's requests. */
  readonly rates: Admission['rates'];
  /** Returns the report once the run has ended or is parked, or after `waitMs`. */
  settled(run: AcceptedRun, waitMs: number): Promise<LeadReport>;
}

export interface IntakeNeeds {
  readonly client: Client;
  readonly preparation: Preparation;
  readonly admission: Admission;
  readonly starter: Starter;
  readonly reports: Reports;
}

export function createIntake({ client, preparation, admission, starter, reports }: IntakeNeeds): Intake {
  /** Finds the newest attempt of a repeated request's lead, because a redrive may have followed the run that was found. */
  async function newestOf(run: AcceptedRun): Promise<AcceptedRun> {
    if (!run.replayed || !run.leadId) return run;
    const { workflowId, runId } = await newestRun(client, run.leadId);
    return { ...run, workflowId, runId };
  }

  const reportOf = async (run: AcceptedRun, waitMs: number) => reports.settled(await newestOf(run), waitMs);

  return {
    ...preparation,
    rates: admission.rates,

    async accept({ endpoint, input, goesTo, ...rest }) {
      const { caller, bulk, dryRun } = rest;
      const carried = endpoint.handledBy === 'lead' ? 'lead' : 'call';
      const kind = carried === 'call' || dryRun ? 'call' : bulk ? 'bulk' : 'lead';
      const request = { ...rest, ...input, carried, flow: endpoint.flow } as const;
      try {
        const { run, release } = await admission.admit(caller, kind, () => starter.start(request), goesTo);
        return { ...run, release };
      } catch (refusal) {
        // The limits do not apply to the repeat of an accepted request, because it starts nothing.
        const run = refusal instanceof NotAdmitted ? await starter.find(request) : undefined;
        if (run) return { ...run, release: () => undefined };
        throw refusal;
      }
    },

    async settled(run, waitMs) {
      const report = await reportOf(run, waitMs).catch((error: unknown) => reportWithoutEngine(error, run));
      if (isSettled(report)) run.release();
      return report;
    },
  };
}

/** Reports a lead as accepted, not as failed, if the engine stops answering after it was accepted. */
function reportWithoutEngine(error: unknown, { leadId }: { readonly leadId: string }): LeadReport {
  log.warn('could not wait for the report of a run', { leadId, reason: errorNameOf(error) });
  if (!leadId) throw new ApiError('OUTCOME_UNKNOWN', 'The engine stopped answering while the request was in progress');
  return reportOfAccepted(leadId);
}

/** Returns the upstreams of the site system that a request needs, at the instance of its body. */
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

    prepare({ flow, uses }, body) {
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
