/** Prints a lead for people, step by step, and what they can do next. */
import type { GetExchangesOutput, GetLeadOutput } from '../client/generated/leads';
import { isDelivered, isSettled } from '../../src/domain/lead';
import type { Io } from './command';
import { columns, counted, inLine, styled } from './print';
import { program } from './program';

export type Lead = GetLeadOutput;
/** The exchanges and decisions of one attempt. */
export type Story = GetExchangesOutput;
export type Step = Lead['steps'][number];
export type Attempt = Lead['attempts'][number];

type Style = Parameters<typeof styled>[1];

const styles: Readonly<Record<string, Style>> = {
  ...{ delivered: 'green', done: 'green', skipped: 'green' },
  ...{ waiting: 'yellow', verifying: 'yellow', parked: 'yellow' },
  ...{ failed: 'red', discarded: 'red', pending: 'dim' },
  ...{ open: 'green', held: 'red', probing: 'yellow', draining: 'yellow', paused: 'yellow' },
};

export const stateWord = (io: Io, state: string): string => {
  const style = styles[state];
  return style ? styled(io, style, state) : state;
};

export const isWell = (lead: Pick<Lead, 'state'>): boolean => !isSettled(lead) || isDelivered(lead);

export const headline = (io: Io, { leadId, flow, state, step }: Pick<Lead, 'leadId' | 'flow' | 'state' | 'step'>): string =>
  `${leadId}  ${flow}  ${stateWord(io, state)}${step && state !== 'delivered' ? ` at ${step}` : ''}`;

export const waitLine = ({ words, nextTryAt }: NonNullable<Lead['waitsFor']>): string =>
  `${words}${nextTryAt ? `; next try at ${nextTryAt}` : ''}`;

const seconds = ({ startedAt, endedAt }: Step): string =>
  startedAt && endedAt ? `${((Date.parse(endedAt) - Date.parse(startedAt)) / 1000).toFixed(2)} s` : '';

const tries = ({ attempts }: Step): string => (attempts === 0 ? '' : counted(attempts, 'try', 'tries'));

export function stepLines(io: Io, steps: readonly Step[]): string {
  const rows = steps.map((step) => [`  ${step.name}`, step.state, tries(step), seconds(step)]);
  const lines = columns(rows).split('\n');
  return steps
    .flatMap(({ state, error }, at) => {
      const line = (lines[at] ?? '').replace(`  ${state}`, () => `  ${stateWord(io, state)}`);
      return error ? [line, `      ${error.code}: ${error.message}`] : [line];
    })
    .join('\n');
}

const whyAgain = ({ by, reason, changed = [] }: Attempt): string =>
  [
    `sent again${by ? ` by ${inLine(by)}` : ''}${reason ? `: ${inLine(reason)}` : ''}`,
    ...(changed.length > 0 ? [`mended: ${changed.join(', ')}`] : []),
  ].join('; ');

export function attemptLines(io: Io, attempts: readonly Attempt[]): string {
  const why = (one: Attempt) => (one.attempt === 1 ? 'as it came in' : whyAgain(one));
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

/** The fields that a redrive changed, each with its value before and after; empty for a first attempt. */
export function mendedLines({ attempt, mended = [] }: Pick<Story, 'attempt' | 'mended'>): string {
  if (mended.length === 0) return '';
  const written = (value: unknown) => (value === undefined ? '(empty)' : inLine(typeof value === 'string' ? value : JSON.stringify(value)));
  const rows = mended.map(({ field, before, after }) => [`  ${field}`, `${written(before)} → ${written(after)}`]);
  return `\nMended in attempt ${attempt}\n${columns(rows)}\n`;
}

/** The requests that failed, were refused or were not sent, each with the upstream's answer as the API shows it. */
export function troubleLines({ exchanges }: Pick<Story, 'exchanges'>): string {
  const troubled = exchanges.filter(({ error }) => error);
  if (troubled.length === 0) return '';
  const rows = troubled.map(({ call, step, status, endedAt, answer, error }) => {
    const isNotSent = error?.code === 'NOT_SENT';
    const http = status === undefined ? (isNotSent ? 'not sent' : 'no answer') : `HTTP ${String(status)}`;
    return [`  ${step ?? ''}`, call, http, String(endedAt), answer === undefined ? '' : inLine(JSON.stringify(answer))];
  });
  return `\nRefused, failed or not sent\n${columns(rows)}\n`;
}

type Standing = Pick<Lead, 'leadId' | 'state' | 'step' | 'waitsFor' | 'attempts'>;

/** The commands that help with this lead now. */
export function nextSteps({ leadId, state, step, waitsFor, attempts }: Standing): string {
  if (state === 'parked') return (step === 'send-comments' ? commentWords : leadWords)(leadId).join('\n');
  if (state === 'failed' && attempts.at(-1)?.error?.code === 'RUN_ENDED') return endedWords(leadId);
  if (state === 'failed')
    return `It was refused and nothing was sent on. Mended, it goes again:\n  ${program} lead redrive ${leadId} --reason '…' --set field=value\n`;
  if (isSettled({ state })) return '';
  if (waitsFor?.what === 'pause') return pauseWords(waitsFor);
  if (waitsFor?.what === 'person-lock') return lockWords(leadId);
  const sooner = state === 'waiting' ? `Sooner: ${program} lead try ${leadId} --reason 'the upstream is back'\n` : '';
  return `It goes on by itself: ${program} lead watch ${leadId}\n${sooner}`;
}

const endedWords = (leadId: string): string =>
  `Its run was ended outside of Leadgate. Look in the upstream; what is not there goes again:\n  ${program} lead redrive ${leadId} --reason '…' --not-there\n`;

const lockWords = (leadId: string): string =>
  `It goes on once the other lead of its person has ended; if that one is parked, a person must decide about it first:\n  ${program} lead watch ${leadId}\n`;

const pauseWords = ({ upstream, instance }: NonNullable<Lead['waitsFor']>): string =>
  `It goes on when a person resumes the upstream:\n  ${program} upstreams resume ${[upstream, instance].filter(Boolean).join(' ')} --reason '…'\n`;

const leadWords = (leadId: string): string[] => [
  'It waits for a person: look in the upstream, then say one of',
  `  ${program} lead resend ${leadId} --reason 'it is not there'`,
  `  ${program} lead confirm ${leadId} --reason 'it is there' --upstream-id <its id>`,
  `  ${program} lead discard ${leadId} --reason 'a test'\n`,
];

/** For a parked comment: the lead itself was sent, so a resend does not send it twice, and a discard does not take it back. */
const commentWords = (leadId: string): string[] => [
  'Only its comment waits for a person: look in the site system, then say one of',
  `  ${program} lead resend ${leadId} --reason 'the comment is not there'`,
  '      sends the comment alone',
  `  ${program} lead confirm ${leadId} --reason 'written by hand' --upstream-id <the patient's id>`,
  '      when the comment is there, or you have written it there by hand: so with one that was refused',
  `  ${program} lead discard ${leadId} --reason 'it needs no comment'`,
  '      leaves the person in the site system, without the comment\n',
];
