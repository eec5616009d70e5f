/** Judges every trial: the upstream's records, the gateway's list and the callers' answers must agree. */
import { setTimeout as pause } from 'node:timers/promises';
import { isObject } from '../../src/domain/formats';
import type { CallerAnswer, CallerAnswers } from './caller';
import { idIn, isSite, type TestLead } from './lead';
import type { Stage } from './stage';
import { upstreamOf, type UpstreamRecords } from './upstream';

/** `open`: listed as waiting or verifying. `lost`: neither at the upstream nor listed, or listed in another state. */
export type End = 'delivered' | 'parked' | 'failed' | 'open' | 'lost';

export interface SentLead {
  readonly lead: TestLead;
  /** One entry per caller. */
  readonly answers: readonly CallerAnswers[];
}

export interface LeadVerdict {
  readonly lead: TestLead;
  readonly end: End;
  readonly duplicated: boolean;
  readonly falseAnswers: readonly string[];
  /** From the end of the fault to the lead's last change, if it has ended or is parked. */
  readonly finalMs?: number;
  readonly state: string;
}

interface ListedLead {
  readonly leadId: string;
  readonly state: string;
  readonly updatedAt: number;
  readonly hasReason: boolean;
  readonly result?: unknown;
}

const ends: Readonly<Record<string, End>> = {
  delivered: 'delivered',
  skipped: 'delivered',
  parked: 'parked',
  failed: 'failed',
  waiting: 'open',
  verifying: 'open',
};
const isFinal = (listed: ListedLead | undefined) =>
  listed !== undefined && ends[listed.state] !== undefined && ends[listed.state] !== 'open';

const nothing: UpstreamRecords = { commits: 0, id: '', comments: [] };
/** The id of an answer "it may have been accepted" counts only if the lead exists. */
const isDoubtful = ({ code, state }: CallerAnswer) => code === 'OUTCOME_UNKNOWN' && !state;
const leadIdsOf = ({ answers }: SentLead) => [
  ...new Set(answers.flat().flatMap((answer) => (answer && !isDoubtful(answer) && answer.leadId ? answer.leadId : []))),
];

async function inParallel<T, R>(items: readonly T[], most: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const one = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at]!);
  };
  await Promise.all(Array.from({ length: most }, one));
  return results;
}

async function read({ ask, url }: Stage, leadId: string, waitS: number): Promise<ListedLead | undefined> {
  const { status, body } = await ask(`${url}/api/leads/${leadId}${waitS ? `?wait=${waitS}` : ''}`);
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`GET /api/leads/${leadId} answered ${status}`);
  const steps = Array.isArray(body.steps) ? body.steps.filter(isObject) : [];
  // Without a worker, only the state is available, from the engine. The reason follows later.
  if (steps.length === 0) throw new Error(`GET /api/leads/${leadId} has no steps yet`);
  return {
    leadId,
    state: String(body.state),
    updatedAt: Date.parse(String(body.updatedAt)),
    hasReason: steps.some(({ error }) => error !== undefined),
    result: body.result,
  };
}

/** Finds a lead by e-mail if no answer had its id. */
async function idOf({ ask, url }: Stage, sentLead: SentLead): Promise<string | undefined> {
  const [answered] = leadIdsOf(sentLead);
  if (answered) return answered;
  const { status, body } = await ask(`${url}/api/leads?email=${encodeURIComponent(sentLead.lead.email)}`);
  if (status !== 200) throw new Error(`GET /api/leads answered ${status}`);
  const [first] = Array.isArray(body.leads) ? body.leads.filter(isObject) : [];
  return first && String(first.leadId);
}

/** Additional time for a lead that is not listed at the deadline, before it counts as lost. */
const lastGraceMs = 300_000;

/** Reads the lead once if `waitS` is 0, otherwise until it ends or the deadline passes. An unavailable gateway proves nothing about the lead. */
async function listedAs(stage: Stage, sentLead: SentLead, deadline: number, waitS: number): Promise<ListedLead | undefined> {
  for (;;) {
    const { listed, wasAnswered } = await idOf(stage, sentLead)
      .then(async (leadId) => ({ listed: leadId ? await read(stage, leadId, waitS) : undefined, wasAnswered: true }))
      .catch(() => ({ listed: undefined, wasAnswered: false }));
    if (waitS === 0 || isFinal(listed)) return listed;
    const isListed = listed !== undefined && listed.state in ends;
    if (Date.now() > deadline + (isListed ? 0 : lastGraceMs)) {
      if (wasAnswered) return listed;
      throw new Error('the gateway did not answer the oracle long after the fault was undone');
    }
    await pause(500);
  }
}

/** Returns why this answer is false, or undefined. `isOnlyLead`: the trial has no other lead of the same person. */
function findContradiction(
  answer: CallerAnswer,
  sentLead: SentLead,
  held: UpstreamRecords,
  listed: ListedLead | undefined,
  isOnlyLead: boolean,
): string | undefined {
  const { status, code, state, body } = answer;
  const { flow, tag } = sentLead.lead;
  const answerText = [status, code, state].filter(Boolean).join(' ');
  const isSame = listed?.leadId === answer.leadId;
  if (status === 200) {
    if (held.commits !== 1) return `${answerText}, but it was accepted ${held.commits} times`;
    if (idIn(flow, body) !== held.id) return `${answerText}, but with another patient's id`;
    const comments = held.comments.filter((comment) => comment.includes(tag)).length;
    return isSite(flow) && comments !== 1 ? `${answerText}, but with ${comments} comments` : undefined;
  }
  if (status === 503) return undefined;
  if (isDoubtful(answer)) return undefined;
  if (status === 202 || state === 'parked') return isSame ? undefined : `${answerText}, but it is not listed`;
  if (state === 'failed') return isOnlyLead && held.commits > 0 ? `${answerText}, but it was accepted` : undefined;
  return `${answerText}: not a valid answer for a valid lead`;
}

/** After only 503 answers the lead must be new: an earlier start would show as a replay. */
function startedDespite503(answers: CallerAnswers): boolean {
  const first = answers.findIndex((answer) => answer?.status !== 503);
  return first > 0 && answers[first]?.replayed === true;
}

function judge(
  sentLead: SentLead,
  held: UpstreamRecords,
  listed: ListedLead | undefined,
  isOnlyLead: boolean,
  healedAt: number,
): LeadVerdict {
  const { lead, answers: byCaller } = sentLead;
  const answers = byCaller.flat().filter((answer) => answer !== null);
  const end: End = (listed && ends[listed.state]) ?? 'lost';
  const comments = held.comments.filter((comment) => comment.includes(lead.tag)).length;
  const falseAnswers = [
    ...answers.flatMap((answer) => findContradiction(answer, sentLead, held, listed, isOnlyLead) ?? []),
    ...(lead.callers === 1 && byCaller.some(startedDespite503) ? ['503, but it was started'] : []),
    ...(lead.key && leadIdsOf(sentLead).length > 1 ? ['two lead ids for one Idempotency-Key'] : []),
    ...(end === 'failed' && isOnlyLead && held.commits > 0 ? ['listed as failed, but it was accepted'] : []),
    ...((end === 'failed' || end === 'parked') && !listed?.hasReason ? [`listed as ${end} without a reason`] : []),
    ...(end === 'delivered' && held.commits === 1 && idIn(lead.flow, listed?.result) !== held.id
      ? [`listed with the id ${idIn(lead.flow, listed?.result)} instead of ${held.id}`]
      : []),
  ];
  return {
    lead,
    end: end === 'delivered' && held.commits === 0 ? 'lost' : end,
    duplicated: held.commits > 1 || comments > 1,
    falseAnswers,
    state: listed?.state ?? 'not listed',
    ...(isFinal(listed) && { finalMs: Math.max(0, (listed?.updatedAt ?? 0) - healedAt) }),
  };
}

/** Adds violations that concern no single lead to the first verdict. */
export const addViolations = (verdicts: readonly LeadVerdict[], violations: readonly string[]): LeadVerdict[] =>
  verdicts.map((verdict, at) => (at === 0 ? { ...verdict, falseAnswers: [...verdict.falseAnswers, ...violations] } : verdict));

/** Waits for the leads to end, at most `patienceMs` from `healedAt`, and judges them. */
export async function judgeLeads(stage: Stage, all: readonly SentLead[], healedAt: number, patienceMs: number): Promise<LeadVerdict[]> {
  const deadline = healedAt + patienceMs;
  const first = await inParallel(all, 16, (sentLead) => listedAs(stage, sentLead, deadline, 0));
  const listed = await Promise.all(
    all.map(async (sentLead, at) => (isFinal(first[at]) ? first[at] : listedAs(stage, sentLead, deadline, 5))),
  );
  const held = await upstreamOf(stage).held();
  const leadsOf = new Map<string, number>();
  for (const { lead } of all) leadsOf.set(lead.email, (leadsOf.get(lead.email) ?? 0) + 1);
  return all.map((sentLead, at) => {
    const isOnlyLead = leadsOf.get(sentLead.lead.email) === 1;
    return judge(sentLead, held.get(sentLead.lead.email.toLowerCase()) ?? nothing, listed[at], isOnlyLead, healedAt);
  });
}
