/** Judges every trial: what the upstream holds, what the gateway lists and what the callers heard must agree. */
import { setTimeout as pause } from 'node:timers/promises';
import { isObject } from '../../src/domain/formats';
import type { Answer, Heard } from './caller';
import { idIn, isSite, type Lead } from './lead';
import type { Stage } from './stage';
import { upstreamOf, type Held } from './upstream';

/** `open`: listed as waiting or verifying. `lost`: neither upstream nor listed, or listed in a state that nothing comes of. */
export type End = 'delivered' | 'parked' | 'failed' | 'open' | 'lost';

export interface Told {
  readonly lead: Lead;
  /** One entry a caller. */
  readonly heard: readonly Heard[];
}

export interface Verdict {
  readonly lead: Lead;
  readonly end: End;
  readonly doubled: boolean;
  readonly falseAnswers: readonly string[];
  /** From the end of the fault to the lead's last change, where it has ended or is parked. */
  readonly finalMs?: number;
  readonly state: string;
}

interface Listed {
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
const isFinal = (listed: Listed | undefined) => listed !== undefined && ends[listed.state] !== undefined && ends[listed.state] !== 'open';

const nothing: Held = { commits: 0, id: '', comments: [] };
/** An id that was given with "it may have been accepted" is only kept when the lead is there. */
const isDoubtful = ({ code, state }: Answer) => code === 'OUTCOME_UNKNOWN' && !state;
const leadIdsOf = ({ heard }: Told) => [
  ...new Set(heard.flat().flatMap((answer) => (answer && !isDoubtful(answer) && answer.leadId ? answer.leadId : []))),
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

async function read({ ask, url }: Stage, leadId: string, waitS: number): Promise<Listed | undefined> {
  const { status, body } = await ask(`${url}/api/leads/${leadId}${waitS ? `?wait=${waitS}` : ''}`);
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`GET /api/leads/${leadId} answered ${status}`);
  const steps = Array.isArray(body.steps) ? body.steps.filter(isObject) : [];
  // Only the engine has spoken, because no worker did in time: the state is true, the reason is still to come.
  if (steps.length === 0) throw new Error(`GET /api/leads/${leadId} has no steps yet`);
  return {
    leadId,
    state: String(body.state),
    updatedAt: Date.parse(String(body.updatedAt)),
    hasReason: steps.some(({ error }) => error !== undefined),
    result: body.result,
  };
}

/** Whom nobody told a lead id is looked for by e-mail. */
async function idOf({ ask, url }: Stage, told: Told): Promise<string | undefined> {
  const [heard] = leadIdsOf(told);
  if (heard) return heard;
  const { status, body } = await ask(`${url}/api/leads?email=${encodeURIComponent(told.lead.email)}`);
  if (status !== 200) throw new Error(`GET /api/leads answered ${status}`);
  const [first] = Array.isArray(body.leads) ? body.leads.filter(isObject) : [];
  return first && String(first.leadId);
}

/** What is not even listed as open by then is given this much more time before it counts as lost. */
const lastGraceMs = 300_000;

/** With `waitS` 0 one look; else until its end or the deadline. That the gateway could not be asked proves nothing about the lead. */
async function listedAs(stage: Stage, told: Told, deadline: number, waitS: number): Promise<Listed | undefined> {
  for (;;) {
    const { listed, wasAnswered } = await idOf(stage, told)
      .then(async (leadId) => ({ listed: leadId ? await read(stage, leadId, waitS) : undefined, wasAnswered: true }))
      .catch(() => ({ listed: undefined, wasAnswered: false }));
    if (waitS === 0 || isFinal(listed)) return listed;
    const isListed = listed !== undefined && listed.state in ends;
    if (Date.now() > deadline + (isListed ? 0 : lastGraceMs)) {
      if (wasAnswered) return listed;
      throw new Error('the gateway did not answer the oracle, long after everything was healed');
    }
    await pause(500);
  }
}

/** Why this answer is not true, given what is. `alone`: no other lead of the same person is about. */
function untruth(answer: Answer, told: Told, held: Held, listed: Listed | undefined, alone: boolean): string | undefined {
  const { status, code, state, body } = answer;
  const { flow, tag } = told.lead;
  const said = [status, code, state].filter(Boolean).join(' ');
  const isSame = listed?.leadId === answer.leadId;
  if (status === 200) {
    if (held.commits !== 1) return `${said}, but it was accepted ${held.commits} times`;
    if (idIn(flow, body) !== held.id) return `${said}, but with another patient's id`;
    const comments = held.comments.filter((comment) => comment.includes(tag)).length;
    return isSite(flow) && comments !== 1 ? `${said}, but with ${comments} comments` : undefined;
  }
  if (status === 503) return undefined;
  if (isDoubtful(answer)) return undefined;
  if (status === 202 || state === 'parked') return isSame ? undefined : `${said}, but it is not listed`;
  if (state === 'failed') return alone && held.commits > 0 ? `${said}, but it was accepted` : undefined;
  return `${said}: not an answer to a right lead`;
}

/** After nothing but 503 the lead must be new: an earlier start would show as a replay. */
function startedSecretly(heard: Heard): boolean {
  const first = heard.findIndex((answer) => answer?.status !== 503);
  return first > 0 && heard[first]?.replayed === true;
}

function judge(told: Told, held: Held, listed: Listed | undefined, alone: boolean, healedAt: number): Verdict {
  const { lead, heard } = told;
  const answers = heard.flat().filter((answer) => answer !== null);
  const end: End = (listed && ends[listed.state]) ?? 'lost';
  const comments = held.comments.filter((comment) => comment.includes(lead.tag)).length;
  const falseAnswers = [
    ...answers.flatMap((answer) => untruth(answer, told, held, listed, alone) ?? []),
    ...(lead.callers === 1 && heard.some(startedSecretly) ? ['503, but it was started'] : []),
    ...(lead.key && leadIdsOf(told).length > 1 ? ['two lead ids for one Idempotency-Key'] : []),
    ...(end === 'failed' && alone && held.commits > 0 ? ['listed as failed, but it was accepted'] : []),
    ...((end === 'failed' || end === 'parked') && !listed?.hasReason ? [`listed as ${end} without a reason`] : []),
    ...(end === 'delivered' && held.commits === 1 && idIn(lead.flow, listed?.result) !== held.id
      ? [`listed with the id ${idIn(lead.flow, listed?.result)} instead of ${held.id}`]
      : []),
  ];
  return {
    lead,
    end: end === 'delivered' && held.commits === 0 ? 'lost' : end,
    doubled: held.commits > 1 || comments > 1,
    falseAnswers,
    state: listed?.state ?? 'not listed',
    ...(isFinal(listed) && { finalMs: Math.max(0, (listed?.updatedAt ?? 0) - healedAt) }),
  };
}

/** Adds what was not true beside the answers to the first lead's verdict. */
export const withUntrue = (verdicts: readonly Verdict[], untrue: readonly string[]): Verdict[] =>
  verdicts.map((verdict, at) => (at === 0 ? { ...verdict, falseAnswers: [...verdict.falseAnswers, ...untrue] } : verdict));

/** Waits for the leads' ends, no longer than `patienceMs` from `healedAt` on, and judges them. */
export async function judged(stage: Stage, all: readonly Told[], healedAt: number, patienceMs: number): Promise<Verdict[]> {
  const deadline = healedAt + patienceMs;
  const first = await inParallel(all, 16, (told) => listedAs(stage, told, deadline, 0));
  const listed = await Promise.all(all.map(async (told, at) => (isFinal(first[at]) ? first[at] : listedAs(stage, told, deadline, 5))));
  const held = await upstreamOf(stage).held();
  const leadsOf = new Map<string, number>();
  for (const { lead } of all) leadsOf.set(lead.email, (leadsOf.get(lead.email) ?? 0) + 1);
  return all.map((told, at) => {
    const alone = leadsOf.get(told.lead.email) === 1;
    return judge(told, held.get(told.lead.email.toLowerCase()) ?? nothing, listed[at], alone, healedAt);
  });
}
