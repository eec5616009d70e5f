/**
 * Compares the leads of a window with the site system, lead by lead. It sends nothing. While the site system does not answer, is held or is
 * paused, it waits.
 */
import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { ApiKey, KeyedInstance } from '../activities/clinicsys';
import { siteInstance } from '../domain/clinicsys';
import type { Rules } from '../domain/lead-input';
import {
  countsOf,
  countWrong,
  judgeComment,
  judgeDelivered,
  judgeParkedComment,
  judgeParkedPerson,
  kindOf,
  pageOfFindings,
  type ComparableLeads,
  type Finding,
  type FindingPage,
  type LeadFacts,
  type ReconcileInput,
  type ReconcileMemo,
  type ReconcilePart,
  type ReconcileReport,
} from '../domain/reconcile';
import { failedAttempt } from './failures';
import { growingPause } from './long-waits';
import { reading, renewingKey, untilDone } from './proxies';
import type { FailedAttempt, Try } from './step';
import { withCurrentBuild } from './with-current-build';

const findingsQuery = defineQuery<ReconcilePart, [FindingPage]>('findings');
const stopSignal = defineSignal<[reason: string]>('stop');

/** The leads that are read from their runs at once. */
const batchSize = 40;
/** The run continues as new after this many leads, which keeps the history short. */
const leadsPerRun = 200;
const listMs = 120_000;
const readMs = 60_000;
/** The first pauses while the site system does not answer. */
const pausesMs = [5_000, 15_000, 60_000] as const;
/** An access key is used for this long, then a new one is asked for. */
const keyMs = 60_000;

/** This run may wait for days, so it moves to the current build. */
withCurrentBuild(reconcile);

/** Without input, it compares the leads since the last scheduled reconciliation. */
export async function reconcile({ window, progress }: Partial<ReconcileInput> = {}): Promise<ReconcileReport> {
  const startedAt = progress?.startedAt ?? workflowInfo().startTime.toISOString();
  const kinds = [...(progress?.kinds ?? [])];
  const results = [...(progress?.results ?? [])];
  const continueAt = results.length + leadsPerRun;
  let leads: ComparableLeads | undefined = progress;
  let stopped = false;
  let waitsFor: string | undefined;
  const isStopped = () => stopped;

  const report = (state: ReconcileReport['state']): ReconcileReport => ({
    ...{
      state,
      ...(leads?.window ?? window),
      startedAt,
      waitsFor,
      count: leads?.leadIds.length ?? 0,
      done: results.length,
      leftOut: leads?.leftOut ?? 0,
    },
    ...{ counts: countsOf(kinds, results), kinds, results: results.map((result, at) => [leads?.leadIds[at] ?? '', ...result]) },
  });
  setHandler(findingsQuery, (page) => pageOfFindings(report('running'), page));
  setHandler(stopSignal, () => {
    stopped = true;
  });

  noteInMemo(report('running'));
  leads ??= await untilDone('list the leads', listMs).listCompared(window);
  const { leadIds } = leads;
  noteInMemo(report('running'));
  const site = createSiteSystem(leads.rules, isStopped, (reason) => {
    waitsFor = reason;
  });
  while (results.length < leadIds.length && !isStopped()) {
    if (results.length >= continueAt || workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof reconcile>({ progress: { ...leads, startedAt, kinds, results } });
    setCurrentDetails(`Compares leads: ${results.length} of ${leadIds.length} done`);
    const batch = leadIds.slice(results.length, results.length + batchSize);
    const facts = new Map((await untilDone('read the leads', readMs).readFacts(batch)).map((each) => [each.leadId, each]));
    // One at a time, so that leads on their way do not wait.
    for (const leadId of batch) {
      const known = facts.get(leadId);
      const { upstreamId, ...finding } = known ? await compare(known, site) : gone;
      // After a stop, the question may have no answer.
      if (isStopped()) break;
      const kind = kindOf(kinds, { ...finding, flow: known?.flow, state: known?.state });
      results.push(upstreamId === undefined ? [kind] : [kind, upstreamId]);
    }
  }

  const ended = { ...report(results.length < leadIds.length ? 'stopped' : 'done'), endedAt: new Date(Date.now()).toISOString() };
  noteInMemo(ended);
  return ended;
}

function noteInMemo({ state, since, until, flows, startedAt, endedAt, count, done, counts, kinds, results }: ReconcileReport): void {
  const before = workflowInfo().memo?.reconcile as ReconcileMemo | undefined;
  const wrong = countWrong(
    kinds,
    results.map(([, ...result]) => result),
  );
  const memo = { ...before, state, since, until, flows, startedAt, endedAt, count, done, counts, wrong };
  upsertMemo({ reconcile: memo satisfies ReconcileMemo });
}

/** A question that got no answer, and will get none. */
interface Unanswered {
  readonly why: string;
}

type Answer<T> = T | Unanswered;
const isUnanswered = <T extends object>(answer: Answer<T>): answer is Unanswered => 'why' in answer;
const stoppedWords: Unanswered = { why: 'The reconciliation was stopped before the site system answered' };
const gone: Finding = { finding: 'not-comparable', why: 'The lead was erased' };
const notTold = ({ why }: Unanswered): Finding => ({ finding: 'not-comparable', why });

type SiteSystem = ReturnType<typeof createSiteSystem>;

/** Asks the site system: each question is one request to V2, with the access key of the lead's instance. */
function createSiteSystem(rules: Rules, isStopped: () => boolean, onWait: (reason?: string) => void) {
  const keys = new Map<string, { readonly key: ApiKey; readonly until: number }>();
  const keyService = { rules, upstream: 'key-service', timeoutMs: rules.keyTimeoutMs } as const;
  const v2 = { rules, upstream: 'V2', timeoutMs: rules.timeoutMs } as const;

  /** Asks until there is an answer, a refusal or a stop. */
  async function untilAnswered<T extends object>(question: (attempt: Try) => Promise<T>): Promise<Answer<T>> {
    for (let tries = 0; !isStopped(); tries++) {
      try {
        return await question({ tries: 1, leftMs: Infinity, bypassHold: false });
      } catch (error) {
        const failed = failedAttempt(error);
        if (isFinal(failed)) return { why: `The site system did not tell: ${failed.message}` };
        onWait(failed.message);
        await condition(isStopped, growingPause(pausesMs, tries));
        onWait();
      }
    }
    return stoppedWords;
  }

  function ask<T extends object>(
    { account = 'ERG', instanceName = '' }: LeadFacts,
    question: (attempt: Try, keyed: KeyedInstance) => Promise<T>,
  ): Promise<Answer<T>> {
    const instance = { account, instanceName };
    const name = siteInstance(account, instanceName);
    const keep = (key: ApiKey): ApiKey => {
      keys.set(name, { key, until: Date.now() + keyMs });
      return key;
    };
    return untilAnswered(async (attempt) => {
      const kept = keys.get(name);
      const isKept = kept !== undefined && kept.until > Date.now();
      const known = isKept ? kept.key : keep(await reading('key service', keyService, attempt).getApiKey(instance));
      return renewingKey(rules, instance, attempt, (renewed) =>
        question(attempt, { ...instance, key: (renewed ? keep(renewed) : known).key }),
      );
    });
  }

  return {
    /** `person` is undefined if the lead was erased. */
    lookForPerson: (facts: LeadFacts) =>
      ask(facts, async (attempt, keyed) => ({
        person: await reading('V2: subjects of an e-mail', v2, attempt).lookForPerson(keyed, facts.leadId),
      })),
    /** `comments` is undefined if the lead was erased. */
    lookForComment: (facts: LeadFacts, subject: number) =>
      ask(facts, async (attempt, keyed) => ({
        comments: await reading('V2: comments of a subject', v2, attempt).lookForComment(keyed, facts.leadId, subject),
      })),
  };
}

const isFinal = ({ type }: FailedAttempt): boolean => type === 'REFUSED' || type === 'CONFIG_ERROR' || type === 'KEY_REFUSED';

async function compare(facts: LeadFacts, site: SiteSystem): Promise<Finding> {
  const { state, step, notComparable } = facts;
  if (notComparable) return { finding: 'not-comparable', why: notComparable };
  if (state === 'parked' && step === 'send-comments') return compareParkedComment(facts, site);
  const answer = await site.lookForPerson(facts);
  if (isUnanswered(answer)) return notTold(answer);
  if (!answer.person) return gone;
  if (state === 'parked') return judgeParkedPerson(facts, answer.person);
  const patientId = facts.patientId ?? 0;
  return judgeDelivered(patientId, answer.person) ?? compareComment(facts, patientId, site);
}

async function compareParkedComment(facts: LeadFacts, site: SiteSystem): Promise<Finding> {
  const answer = await site.lookForComment(facts, facts.patientId ?? 0);
  if (isUnanswered(answer)) return notTold(answer);
  return answer.comments ? judgeParkedComment(facts, answer.comments) : gone;
}

/** Compares the comment of a lead whose person is there once. */
async function compareComment(facts: LeadFacts, patientId: number, site: SiteSystem): Promise<Finding> {
  const matched: Finding = { finding: 'matched', upstreamId: String(patientId) };
  if (!facts.hasComment) return matched;
  const answer = await site.lookForComment(facts, patientId);
  if (isUnanswered(answer)) return { ...matched, why: `The person is there. Its comment was not looked for: ${answer.why}` };
  return answer.comments ? judgeComment(patientId, answer.comments) : gone;
}
