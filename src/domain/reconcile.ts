/**
 * Compares what Leadgate says of its leads with what the upstreams hold. A reconciliation asks the site system; it proposes what to do with
 * parked leads and changes nothing by itself. Findings have ids and counts, and no other data of a person.
 */
import type { BulkState } from './bulk';
import type { Account } from './clinicsys';
import type { ErrorCode, JsonObject, State } from './lead';
import type { Rules } from './lead-input';

export const findingNames = ['missing', 'twice', 'unknown-here', 'not-comparable', 'matched'] as const;
export type FindingName = (typeof findingNames)[number];

export const proposals = ['confirm', 'resend'] as const;
export type Proposal = (typeof proposals)[number];

/** The states of the leads that are compared. Other leads are on their way, or a person or an upstream has ended them. */
export const comparedStates = ['parked', 'delivered', 'skipped'] as const satisfies readonly State[];

/** A finding about one lead. */
export interface Finding {
  readonly finding: FindingName;
  readonly why?: string;
  /** The upstream's id of the person that the finding is about. */
  readonly upstreamId?: string;
  readonly proposal?: Proposal;
}

/** The facts of a lead that a run may keep. Only the activities know the person. */
export interface LeadFacts {
  readonly leadId: string;
  readonly flow: string;
  readonly state: State;
  /** Why it cannot be compared; absent if it can. */
  readonly notComparable?: string;
  readonly account?: Account;
  readonly instanceName?: string;
  /** The upstream's id of the person, once the upstream has given it. */
  readonly patientId?: number;
  /** The subjects with the e-mail of the lead that its look-up found before the send. Undefined if there was no look-up. */
  readonly before?: readonly number[];
  /** True if its comment was written. */
  readonly hasComment?: boolean;
  /** Of a parked lead. */
  readonly step?: string;
  readonly code?: ErrorCode;
}

/** The subjects of the site system with the e-mail of a lead. */
export interface PersonThere {
  /** The ids of those with the name of the lead. */
  readonly same: readonly number[];
  /** The ids of those with other names: people may share an e-mail. */
  readonly others: readonly number[];
  /** Those of all of them that another lead may have added. */
  readonly ofOtherLeads: readonly number[];
}

export interface CommentThere {
  /** How often the subject has the comment of the lead. */
  readonly there: number;
  /** How often other leads have written the same comment. */
  readonly ofOtherLeads: number;
}

const notComparable = (why: string): Finding => ({ finding: 'not-comparable', why });
const countOf = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

const newIn = (ids: readonly number[], before: readonly number[]): readonly number[] => ids.filter((id) => !before.includes(id));

/** Returns the finding about the person of a delivered lead. Undefined if the person is there once. */
export function judgeDelivered(patientId: number, { same, others }: PersonThere): Finding | undefined {
  const upstreamId = String(patientId);
  if (![...same, ...others].includes(patientId)) {
    const named = same.length > 0 ? `, but it has this person as ${same.join(', ')}` : '';
    return { finding: 'missing', upstreamId, why: `The site system has no subject ${patientId} with this e-mail${named}` };
  }
  const twins = same.filter((id) => id !== patientId);
  if (twins.length === 0) return undefined;
  return { finding: 'twice', upstreamId, why: `The site system has this person ${twins.length + 1} times: also as ${twins.join(', ')}` };
}

/** Returns the finding about the comment of a delivered lead whose person is there once. */
export function judgeComment(patientId: number, { there, ofOtherLeads }: CommentThere): Finding {
  const upstreamId = String(patientId);
  if (there === 0) return { finding: 'missing', upstreamId, why: 'The person is there, but the comment is not' };
  const expected = ofOtherLeads + 1;
  if (there < expected)
    return { finding: 'missing', upstreamId, why: `The comment is there ${countOf(there, 'time')}, but ${expected} leads wrote it` };
  if (there > expected) return { finding: 'twice', upstreamId, why: `The comment is there ${countOf(there, 'time')}` };
  return { finding: 'matched', upstreamId };
}

/** Returns the finding about a lead that is parked with its person, and the proposal if the site system proves one. */
export function judgeParkedPerson({ before, code }: LeadFacts, { same, others, ofOtherLeads }: PersonThere): Finding {
  if (same.length + others.length === 0)
    return { finding: 'missing', proposal: 'resend', why: 'The site system has no subject with this e-mail, so the lead did not arrive' };
  if (!before)
    return notComparable('The site system has a subject with this e-mail, and no look-up before the send tells whether it was there');
  const added = newIn(same, before);
  const [found] = added;
  if (added.length > 1) return { finding: 'twice', why: `The site system has this person ${same.length} times: as ${same.join(', ')}` };
  if (found !== undefined) return judgeAdded(found, code, ofOtherLeads.includes(found));
  if (same.length > 0)
    return notComparable('The person was there before the send, so the site system does not tell whether the lead arrived');
  if (newIn(others, before).length > 0)
    return notComparable(
      'The site system has a new subject with this e-mail under another name: a person must look whether it is this lead',
    );
  return {
    finding: 'missing',
    proposal: 'resend',
    why: 'The site system has nobody of this name with this e-mail, so the lead did not arrive',
  };
}

function judgeAdded(found: number, code: ErrorCode | undefined, isOfOtherLead: boolean): Finding {
  const upstreamId = String(found);
  if (isOfOtherLead)
    return { ...notComparable(`The site system has this person as ${found}, which another lead may have added`), upstreamId };
  if (code !== 'OUTCOME_UNKNOWN')
    return { finding: 'unknown-here', upstreamId, why: `Nothing was sent for this lead, but the site system has this person as ${found}` };
  const why = `The site system has this person once, as ${found}, which was not there before the send`;
  return { finding: 'matched', upstreamId, proposal: 'confirm', why };
}

/** Returns the finding about a lead that is parked with its comment. */
export function judgeParkedComment({ patientId, code }: LeadFacts, { there, ofOtherLeads }: CommentThere): Finding {
  const upstreamId = String(patientId);
  if (there > ofOtherLeads) return { finding: 'matched', upstreamId, proposal: 'confirm', why: 'The comment is there' };
  if (there > 0) return { ...notComparable('The comment is there, but another lead may have written it'), upstreamId };
  const why = 'The person is there, but the comment is not';
  return code === 'OUTCOME_UNKNOWN'
    ? { finding: 'missing', upstreamId, proposal: 'resend', why }
    : { finding: 'missing', upstreamId, why: `${why}: the upstream refused it, and would again` };
}

/** A lead of the site system, with the data by which it is looked for. */
export interface ComparedLead {
  readonly facts: LeadFacts;
  readonly record: JsonObject;
  /** The run of the lead, and when it began. */
  readonly runId: string;
  readonly startedAt: string;
  /** The comment that the lead writes. */
  readonly comment: string;
}

/** Reads leads from their runs, for the activities. */
export interface ComparedLeads {
  /** Without a window, lists the leads since the last scheduled reconciliation. */
  listCompared(window?: ReconcileWindow): Promise<ComparableLeads>;
  /** Returns the facts of those of the leads that still exist. */
  factsOf(leadIds: readonly string[]): Promise<readonly LeadFacts[]>;
  /** Undefined if the lead was erased. */
  readCompared(leadId: string): Promise<ComparedLead | undefined>;
  /** Counts the other leads that have written the comment of this one about the subject. */
  countComments(lead: ComparedLead, subject: number): Promise<number>;
}

/** Which leads to compare. */
export interface ReconcileWindow {
  readonly since: string;
  readonly until: string;
  /** Absent: the leads of every flow. */
  readonly flows?: readonly string[];
}

/** The input of a reconciliation; a scheduled one has none. One that continues another also gets the results so far. */
export interface ReconcileInput {
  readonly window: ReconcileWindow;
  readonly progress?: ReconcileProgress;
}

export interface ReconcileProgress extends ComparableLeads {
  readonly startedAt: string;
  readonly kinds: readonly FindingKind[];
  readonly results: readonly FindingResult[];
}

/** The leads of a window, parked ones first, and the settings by which the site system is asked about them. */
export interface ComparableLeads {
  readonly window: ReconcileWindow;
  readonly leadIds: readonly string[];
  /** The leads of the window beyond the most that one reconciliation compares. */
  readonly leftOut: number;
  readonly rules: Rules;
}

/** A finding without its id, as many leads have it. */
export interface FindingKind extends Omit<Finding, 'upstreamId'> {
  readonly flow?: string;
  readonly state?: State;
}

/** An index into `kinds`, so that ten thousand leads fit into one payload. */
export type FindingResult = readonly [kind: number, upstreamId?: string];

export type FindingCounts = Readonly<Record<FindingName, number>>;

export function countsOf(kinds: readonly FindingKind[], results: readonly FindingResult[]): FindingCounts {
  const counts = { missing: 0, twice: 0, 'unknown-here': 0, 'not-comparable': 0, matched: 0 };
  for (const [kind] of results) {
    const { finding } = kinds[kind] ?? {};
    if (finding) counts[finding]++;
  }
  return counts;
}

/** Counts the leads that are not as we say. A parked lead says nothing of itself, and has its own alert. */
export const countWrong = (kinds: readonly FindingKind[], results: readonly FindingResult[]): number =>
  results.filter(([at]) => {
    const { finding, state } = kinds[at] ?? {};
    return (finding === 'missing' || finding === 'twice') && state !== 'parked';
  }).length;

/** Most leads share a few findings, so each distinct finding is stored once. Returns its index. */
export function kindOf(kinds: FindingKind[], { finding, why, proposal, flow, state }: FindingKind): number {
  const isSame = (kind: FindingKind) =>
    kind.finding === finding && kind.why === why && kind.proposal === proposal && kind.flow === flow && kind.state === state;
  const found = kinds.findIndex(isSame);
  return found >= 0 ? found : kinds.push({ finding, why, proposal, flow, state }) - 1;
}

/** The memo of a reconciliation, which the engine returns in lists without a query to the run. */
export interface ReconcileMemo extends Partial<ReconcileWindow> {
  readonly state: BulkState;
  readonly startedAt?: string;
  readonly digest?: string;
  readonly by?: string;
  readonly endedAt?: string;
  readonly count?: number;
  readonly done?: number;
  readonly counts?: FindingCounts;
  /** The leads for which an alert is opened. */
  readonly wrong?: number;
}

/** Without a window until a scheduled reconciliation has begun. */
export interface ReconcileReport extends Partial<ReconcileWindow> {
  readonly state: BulkState;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly count: number;
  readonly done: number;
  readonly leftOut: number;
  readonly counts: FindingCounts;
  /** The reason why it waits, if the site system does not answer. */
  readonly waitsFor?: string;
  readonly kinds: readonly FindingKind[];
  readonly results: readonly (readonly [leadId: string, ...FindingResult])[];
}

export interface FindingPage {
  readonly from: number;
  readonly upTo: number;
  readonly finding?: string;
  /** True: only findings with a proposal. */
  readonly proposed?: boolean;
}

/** A report with one page of its findings. */
export interface ReconcilePart extends ReconcileReport {
  /** How many findings the page was taken from. */
  readonly found: number;
  readonly proposed: number;
}

export function pageOfFindings(report: ReconcileReport, { from, upTo, finding, proposed }: FindingPage): ReconcilePart {
  const kindOf = (at: number) => report.kinds[at];
  const withProposal = report.results.filter(([, kind]) => kindOf(kind)?.proposal);
  const found = (proposed ? withProposal : report.results).filter(([, kind]) => !finding || kindOf(kind)?.finding === finding);
  return { ...report, found: found.length, proposed: withProposal.length, results: found.slice(from, upTo) };
}

export const reconcileWorkflow = 'reconcile';
export const reconcileScheduleOf = (taskQueue: string): string => `${reconcileWorkflow}:${taskQueue}`;
/** The engine adds the time of the start. */
export const scheduledPrefixOf = (taskQueue: string): string => `${reconcileWorkflow}-s-${taskQueue}`;
