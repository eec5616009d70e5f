/** Formats a lead as text: its steps, attempts and failed requests, and the commands that are useful next. */
import type { GetExchangesOutput, GetLeadOutput } from '../client/generated/leads';
import { isDelivered, isSettled } from '../../src/domain/lead';
import type { Io } from './command';
import { columns, groups, pluralize, onOneLine, applyStyle } from './print';
import { program } from './program';

export type LeadDetail = GetLeadOutput;
/** The exchanges and decisions of one attempt. */
export type AttemptStory = GetExchangesOutput;
export type LeadStep = LeadDetail['steps'][number];
export type LeadAttempt = LeadDetail['attempts'][number];

type Style = Parameters<typeof applyStyle>[1];

const styles: Readonly<Record<string, Style>> = {
  ...{ delivered: 'green', done: 'green', skipped: 'green' },
  ...{ waiting: 'yellow', verifying: 'yellow', parked: 'yellow' },
  ...{ failed: 'red', discarded: 'red', pending: 'dim' },
  ...{ open: 'green', held: 'red', probing: 'yellow', draining: 'yellow', paused: 'yellow' },
};

export const stateWord = (io: Io, state: string): string => {
  const style = styles[state];
  return style ? applyStyle(io, style, state) : state;
};

export const isOkSoFar = (lead: Pick<LeadDetail, 'state'>): boolean => !isSettled(lead) || isDelivered(lead);

export const headline = (io: Io, { leadId, flow, state, step }: Pick<LeadDetail, 'leadId' | 'flow' | 'state' | 'step'>): string =>
  `${leadId}  ${flow}  ${stateWord(io, state)}${step && state !== 'delivered' ? ` at ${step}` : ''}`;

export const waitLine = ({ words, nextTryAt }: NonNullable<LeadDetail['waitsFor']>): string =>
  `${words}${nextTryAt ? `; next try at ${nextTryAt}` : ''}`;

const seconds = ({ startedAt, endedAt }: LeadStep): string =>
  startedAt && endedAt ? `${((Date.parse(endedAt) - Date.parse(startedAt)) / 1000).toFixed(2)} s` : '';

const tries = ({ attempts }: LeadStep): string => (attempts === 0 ? '' : pluralize(attempts, 'try', 'tries'));

export function stepLines(io: Io, steps: readonly LeadStep[]): string {
  const rows = steps.map((step) => [`  ${step.name}`, step.state, tries(step), seconds(step)]);
  const lines = columns(rows).split('\n');
  return steps
    .flatMap(({ state, error }, at) => {
      const line = (lines[at] ?? '').replace(`  ${state}`, () => `  ${stateWord(io, state)}`);
      return error ? [line, `      ${error.code}: ${error.message}`] : [line];
    })
    .join('\n');
}

const whyAgain = ({ by, reason, changed = [] }: LeadAttempt): string =>
  [
    `redriven${by ? ` by ${onOneLine(by)}` : ''}${reason ? `: ${onOneLine(reason)}` : ''}`,
    ...(changed.length > 0 ? [`corrected: ${changed.join(', ')}`] : []),
  ].join('; ');

export function attemptLines(io: Io, attempts: readonly LeadAttempt[]): string {
  const why = (one: LeadAttempt) => (one.attempt === 1 ? 'original request' : whyAgain(one));
  const rows = attempts.map((one) => [`  attempt ${one.attempt}`, stateWord(io, one.state), one.startedAt, why(one)]);
  const lines = columns(rows).split('\n');
  return attempts
    .flatMap(({ error, temporalUrl }, at) => [
      lines[at] ?? '',
      ...(error ? [`      ${error.code}: ${error.message}`] : []),
      ...(temporalUrl ? [`      ${temporalUrl}`] : []),
    ])
    .join('\n');
}

/** The fields that a redrive corrected, with the values before and after; empty for a first attempt. */
export function correctedLines({ attempt, mended = [] }: Pick<AttemptStory, 'attempt' | 'mended'>): string {
  if (mended.length === 0) return '';
  // Masked values may look alike, although the field was changed.
  const afterOf = (before: string, after: string) => (before === after ? `${after} (another value)` : after);
  const written = (value: unknown) =>
    value === undefined ? '(empty)' : onOneLine(typeof value === 'string' ? value : JSON.stringify(value));
  const rows = mended.map(({ field, before, after }) => [`  ${field}`, `${written(before)} → ${afterOf(written(before), written(after))}`]);
  return `\nCorrected in attempt ${attempt}\n${columns(rows)}\n`;
}

/** The requests that failed, were refused or were not sent, with the upstream's answers as the API shows them. */
export function troubleLines({ exchanges }: Pick<AttemptStory, 'exchanges'>): string {
  const troubled = exchanges.filter(({ error }) => error);
  if (troubled.length === 0) return '';
  const tries = troubled.map(({ call, step, status, endedAt, answer, error }) => {
    const isNotSent = error?.code === 'NOT_SENT';
    const http = status === undefined ? (isNotSent ? 'not sent' : 'no answer') : `HTTP ${String(status)}`;
    return {
      start: [`  ${step ?? ''}`, call, http],
      endedAt: String(endedAt),
      answer: answer === undefined ? '' : onOneLine(JSON.stringify(answer)),
    };
  });
  // Tries with the same answer are one line.
  const alike = groups(tries, ({ start, answer }) => JSON.stringify([start, answer]));
  const rows = alike.flatMap((group) => {
    const [first, last] = [group.at(0), group.at(-1)];
    if (!first || !last) return [];
    const when = group.length > 1 ? `${group.length} tries, ${first.endedAt} to ${last.endedAt}` : first.endedAt;
    return [[...first.start, when, first.answer]];
  });
  return `\nRefused, failed or not sent\n${columns(rows)}\n`;
}

const againWords: Readonly<Record<string, string>> = {
  UPSTREAM_REJECTED: 'refused again',
  OUTCOME_UNKNOWN: 'its outcome is unknown again',
};

/** Says that a lead that was sent again has failed again; empty for another lead. */
export function againLine({ state, steps }: Pick<LeadDetail, 'state' | 'steps'>, { decisions }: Pick<AttemptStory, 'decisions'>): string {
  const last = decisions.findLast(({ verb }) => verb === 'resend' || verb === 'redrive');
  const error = steps.findLast((step) => step.error)?.error;
  if (!last || !error || (state !== 'parked' && state !== 'failed')) return '';
  return `Sent again at ${last.at}; ${againWords[error.code] ?? 'failed again'}: ${error.message}\n`;
}

type LeadStatus = Pick<LeadDetail, 'leadId' | 'state' | 'step' | 'steps' | 'waitsFor' | 'attempts'>;

/** The commands that are useful for this lead now. */
export function nextSteps({ leadId, state, step, steps, waitsFor, attempts }: LeadStatus): string {
  const code = steps.find(({ name }) => name === step)?.error?.code;
  if (state === 'parked') return step === 'send-comments' ? commentCommands(leadId, code) : leadCommands(leadId).join('\n');
  if (state === 'failed' && attempts.at(-1)?.error?.code === 'RUN_ENDED') return endedRunCommands(leadId);
  if (state === 'failed')
    return `${attempts.at(-1)?.error?.code === 'UPSTREAM_REJECTED' ? 'The upstream refused this lead.' : 'This lead failed.'} No later step ran. Send it again with corrected fields:\n  ${program} lead redrive ${leadId} --reason '…' --set field=value\n`;
  if (isSettled({ state })) return '';
  const others = state === 'waiting' ? waitingCommands(leadId, step, steps) : '';
  if (waitsFor?.what === 'pause') return `${pauseCommands(waitsFor)}${others}`;
  if (waitsFor?.what === 'person-lock') return `${lockCommands(leadId)}${others}`;
  const sooner = state === 'waiting' ? `To retry now: ${program} lead try ${leadId} --reason 'the upstream is back'\n` : '';
  return `It continues on its own: ${program} lead watch ${leadId}\n${sooner}${others}`;
}

/** A lead that is in the site system cannot be corrected. */
function waitingCommands(leadId: string, step: string | undefined, steps: readonly LeadStep[]): string {
  const isComment = step === 'send-comments';
  const isSent = isComment && steps.some(({ name, state }) => name === 'send-to-rt' && state === 'done');
  const mend = isSent ? '' : `To send it corrected: ${program} lead redrive ${leadId} --reason '…' --set field=value\n`;
  return `${mend}To end it${isComment ? ' without its comment' : ''}: ${program} lead discard ${leadId} --reason '…'\n`;
}

const endedRunCommands = (leadId: string): string =>
  `Its run was ended outside of Leadgate. Look in the upstream. If it is not there, send it again:\n  ${program} lead redrive ${leadId} --reason '…' --not-there\n`;

const lockCommands = (leadId: string): string =>
  `It continues when the other lead of the same person has ended. If that lead is parked, decide it first:\n  ${program} lead watch ${leadId}\n`;

const pauseCommands = ({ upstream, instance }: NonNullable<LeadDetail['waitsFor']>): string =>
  `It continues when the upstream is resumed:\n  ${program} upstreams resume ${[upstream, instance].filter(Boolean).join(' ')} --reason '…'\n`;

const leadCommands = (leadId: string): string[] => [
  'It waits for a decision. Look in the upstream, then run one of:',
  `  ${program} lead resend ${leadId} --reason 'it is not there'`,
  `  ${program} lead confirm ${leadId} --reason 'it is there' --upstream-id <its id>`,
  `  ${program} lead discard ${leadId} --reason 'a test'\n`,
];

/** For a parked comment: the lead itself is sent. A resend sends only the comment, and a discard leaves the lead in place. */
function commentCommands(leadId: string, code: string | undefined): string {
  const resend = [`  ${program} lead resend ${leadId} --reason 'the comment is not there'`, '      sends only the comment'];
  const confirm = [
    `  ${program} lead confirm ${leadId} --reason 'written by hand' --upstream-id <the patient's id>`,
    '      if the comment is there, or you have written it by hand, as for a refused comment',
  ];
  return [
    'Only its comment waits for a decision. Look in the site system, then run one of:',
    ...(code === 'UPSTREAM_REJECTED' ? [...confirm, ...resend] : [...resend, ...confirm]),
    `  ${program} lead discard ${leadId} --reason 'it needs no comment'`,
    '      leaves the patient in the site system without the comment\n',
  ].join('\n');
}
