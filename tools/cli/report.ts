/** Formats a lead as text: its steps, attempts and failed requests, and the commands that are useful next. */
import type { GetExchangesOutput, GetLeadOutput } from '../client/generated/leads';
import { isDelivered, isSettled } from '../../src/domain/lead';
import type { Io } from './command';
import { columns, pluralize, onOneLine, applyStyle } from './print';
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
  const written = (value: unknown) =>
    value === undefined ? '(empty)' : onOneLine(typeof value === 'string' ? value : JSON.stringify(value));
  const rows = mended.map(({ field, before, after }) => [`  ${field}`, `${written(before)} → ${written(after)}`]);
  return `\nCorrected in attempt ${attempt}\n${columns(rows)}\n`;
}

/** The requests that failed, were refused or were not sent, with the upstream's answers as the API shows them. */
export function troubleLines({ exchanges }: Pick<AttemptStory, 'exchanges'>): string {
  const troubled = exchanges.filter(({ error }) => error);
  if (troubled.length === 0) return '';
  const rows = troubled.map(({ call, step, status, endedAt, answer, error }) => {
    const isNotSent = error?.code === 'NOT_SENT';
    const http = status === undefined ? (isNotSent ? 'not sent' : 'no answer') : `HTTP ${String(status)}`;
    return [`  ${step ?? ''}`, call, http, String(endedAt), answer === undefined ? '' : onOneLine(JSON.stringify(answer))];
  });
  return `\nRefused, failed or not sent\n${columns(rows)}\n`;
}

type LeadStatus = Pick<LeadDetail, 'leadId' | 'state' | 'step' | 'waitsFor' | 'attempts'>;

/** The commands that are useful for this lead now. */
export function nextSteps({ leadId, state, step, waitsFor, attempts }: LeadStatus): string {
  if (state === 'parked') return (step === 'send-comments' ? commentCommands : leadCommands)(leadId).join('\n');
  if (state === 'failed' && attempts.at(-1)?.error?.code === 'RUN_ENDED') return endedRunCommands(leadId);
  if (state === 'failed')
    return `It was refused, and nothing was stored. Send it again with corrected fields:\n  ${program} lead redrive ${leadId} --reason '…' --set field=value\n`;
  if (isSettled({ state })) return '';
  if (waitsFor?.what === 'pause') return pauseCommands(waitsFor);
  if (waitsFor?.what === 'person-lock') return lockCommands(leadId);
  const sooner = state === 'waiting' ? `To retry now: ${program} lead try ${leadId} --reason 'the upstream is back'\n` : '';
  return `It continues on its own: ${program} lead watch ${leadId}\n${sooner}`;
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
const commentCommands = (leadId: string): string[] => [
  'Only its comment waits for a decision. Look in the site system, then run one of:',
  `  ${program} lead resend ${leadId} --reason 'the comment is not there'`,
  '      sends only the comment',
  `  ${program} lead confirm ${leadId} --reason 'written by hand' --upstream-id <the patient's id>`,
  '      if the comment is there, or you have written it by hand, as for a refused comment',
  `  ${program} lead discard ${leadId} --reason 'it needs no comment'`,
  '      leaves the patient in the site system without the comment\n',
];
