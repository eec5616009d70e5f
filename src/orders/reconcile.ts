/**
 * Reads the leads that a reconciliation compares: the list of a window, what is known of each, and the person and comment to look for.
 */
import type { Client } from '@temporalio/client';
import type { Config } from '../config/config';
import { breachOf, ofAccount, settingOf, type Upstreams } from '../config/upstreams';
import { mostLeads } from '../domain/bulk';
import { accountOf, comment, commentDay, patientId, subjectId, type FlowRecord } from '../domain/clinicsys';
import { isObject, text } from '../domain/formats';
import { siteSystemFlows, type JsonObject, type LeadReport } from '../domain/lead';
import type { LeadInput } from '../domain/lead-input';
import { memoOf } from '../domain/memo';
import { comparedStates, type ComparedLead, type ComparedLeads, type LeadFacts, type ReconcileWindow } from '../domain/reconcile';
import { rulesOf } from '../intake/run-options';
import { newestRun } from '../leads/attempts';
import type { LeadList } from '../leads/lead-list';
import type { Reports } from '../leads/reports';
import { firstRunIdOf, ignoreLeadNotFound, leadInputOf } from '../leads/runs';
import { inGroups } from '../lib/in-groups';
import type { RunDescription } from '../temporal/ask';

/** The most leads of a page of the list. */
const pageSize = 200;
const readInParallel = 8;

export interface Reconcile extends ComparedLeads {
  countCompared(window: ReconcileWindow): Promise<number>;
}

export interface ReconcileNeeds {
  readonly client: Client;
  readonly config: Config;
  readonly upstreams: Upstreams;
  readonly leadList: Pick<LeadList, 'page' | 'counts'>;
  readonly reports: Pick<Reports, 'now'>;
}

const isOfSiteSystem = (flow: string): boolean => siteSystemFlows.some((each) => each === flow);

export function createReconcile({ client, config, upstreams, leadList, reports }: ReconcileNeeds): Reconcile {
  /** One filter for each flow and state, parked leads first: most of them can be decided by what is found. */
  const filtersOf = ({ since, until, flows }: ReconcileWindow) =>
    comparedStates.flatMap((state) => (flows ?? [undefined]).map((flow) => ({ since, until, state, flow })));

  async function countCompared({ since, until, flows }: ReconcileWindow): Promise<number> {
    const counted = await inGroups(flows ?? [undefined], readInParallel, async (flow) => {
      const { counts } = await leadList.counts({ since, until, flow });
      return comparedStates.map((state) => (isObject(counts) ? Number(counts[state] ?? 0) : 0));
    });
    return counted.flat().reduce((sum, count) => sum + count, 0);
  }

  async function readLead(leadId: string): Promise<{ run: RunDescription; report: LeadReport; input: LeadInput } | undefined> {
    const run = await newestRun(client, leadId).catch(ignoreLeadNotFound);
    const report = run && (await reports.now(run).catch(ignoreLeadNotFound));
    return run && report && { run, report, input: await leadInputOf(client, run) };
  }

  async function readCompared(leadId: string): Promise<ComparedLead | undefined> {
    const found = await readLead(leadId);
    if (!found) return undefined;
    const { run, report, input } = found;
    const record = recordOf(report) ?? input.body;
    const step = report.steps.find(({ name }) => name === 'send-comments');
    const day = commentDay(new Date(step?.startedAt ?? run.startTime), input.rules.timeZone);
    return {
      facts: { ...factsIn(report, record), leadId, notComparable: whyNotComparable(run, report, record) },
      record,
      runId: firstRunIdOf(run),
      startedAt: run.startTime.toISOString(),
      comment: comment(record, report.flow === 'with-prescreen' ? 'with-prescreen' : 'no-prescreen', day),
    };
  }

  function whyNotComparable(run: RunDescription, report: LeadReport, record: FlowRecord): string | undefined {
    const { flow, state, failure } = report;
    if (!isOfSiteSystem(flow)) {
      const upstream = flow === 'recruit' ? 'recruitment' : flow;
      return `${upstream} cannot be asked: compare an export of it with npx leadgate reconcile --with ${upstream}=FILE`;
    }
    if (failure?.code === 'POSSIBLE_REPEAT') return 'Nothing was sent: it waits for a person, because it may be a repeat';
    const need = ofAccount('CLINICSYS_V2_URL', accountOf(record));
    const there = upstreams.find(need);
    if (!there) return `${settingOf(need)} is not set, so the site system cannot be asked`;
    if (breachOf(memoOf(run)?.binding ?? {}, settingOf(need), there.sandbox))
      return there.sandbox ? 'It was sent to a real system, and the sandbox cannot tell about it' : 'It was sent to the sandbox';
    const isParked = state === 'parked';
    if (isParked && report.step !== 'send-to-rt' && report.step !== 'send-comments') return 'Nothing was sent to the site system yet';
    if ((!isParked || report.step === 'send-comments') && patientId(record) === undefined)
      return 'It has no PatientID: it ran a single step';
    return !isParked || report.step === 'send-to-rt' ? (text(record.email) ? undefined : 'It has no e-mail to look for') : undefined;
  }

  return {
    countCompared,
    readCompared,

    async listCompared(window = scheduledWindow(config)) {
      const leadIds: string[] = [];
      for (const filter of filtersOf(window))
        for (let cursor: string | undefined; leadIds.length < mostLeads;) {
          const { leads, nextCursor } = await leadList.page({ ...filter, cursor }, Math.min(pageSize, mostLeads - leadIds.length));
          if (Array.isArray(leads)) leadIds.push(...leads.filter(isObject).map((lead) => String(lead.leadId)));
          cursor = text(nextCursor);
          if (!cursor) break;
        }
      const leftOut = leadIds.length < mostLeads ? 0 : Math.max(0, (await countCompared(window)) - leadIds.length);
      return { window, leadIds, leftOut, rules: rulesOf(config, siteSystemFlows[0]) };
    },

    async factsOf(leadIds) {
      const read: LeadFacts[] = [];
      // One after the other, so that leads on their way do not wait.
      for (const leadId of leadIds) {
        const lead = await readCompared(leadId);
        if (lead) read.push(lead.facts);
      }
      return read;
    },

    async countComments({ facts: { leadId, instanceName }, comment: written }, subject) {
      const { leads } = await leadList.page({ patientId: String(subject), instanceName }, pageSize);
      const others = (Array.isArray(leads) ? leads.filter(isObject) : []).map((lead) => String(lead.leadId)).filter((id) => id !== leadId);
      const read = await inGroups(others, readInParallel, readCompared);
      return read.filter((other) => other?.comment === written && other.facts.hasComment).length;
    },
  };
}

/** The leads of the last two intervals: one that was still on its way at the last reconciliation is compared at this one. */
function scheduledWindow({ RECONCILE_EVERY_H: hours }: Config): ReconcileWindow {
  const until = Date.now();
  return { since: new Date(until - 2 * hours * 3_600_000).toISOString(), until: new Date(until).toISOString() };
}

/** The record of an ended lead, or of a parked one so far. */
function recordOf({ result, errorContext = {} }: LeadReport): FlowRecord | undefined {
  if (result) return result;
  return isObject(errorContext.record) ? errorContext.record : undefined;
}

function factsIn({ flow, state, step, steps, failure }: LeadReport, record: FlowRecord): Omit<LeadFacts, 'leadId'> {
  return {
    flow,
    state,
    account: accountOf(record),
    instanceName: text(record.instanceName) ?? '',
    patientId: patientId(record),
    before: subjectsBefore(record),
    hasComment: steps.some(({ name, state: stepState }) => name === 'send-comments' && stepState === 'done'),
    ...(state === 'parked' && { step, code: failure?.code }),
  };
}

/** The answer of the look-up, from before the send. */
function subjectsBefore(record: FlowRecord): readonly number[] | undefined {
  const { data, emailExists }: JsonObject = isObject(record.emailCheckResult) ? record.emailCheckResult : record;
  if (Array.isArray(data)) return data.flatMap((subject: unknown) => subjectId(subject) ?? []);
  return emailExists === false ? [] : undefined;
}
