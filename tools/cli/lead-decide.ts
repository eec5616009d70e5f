/** Declares the commands that decide a parked lead, try, discard or correct a waiting lead, and redrive a failed lead. */
import { LeadgateError, type Leadgate } from '../client';
import type { ResendLeadOutput } from '../client/generated/leads';
import { isOver, type JsonObject } from '../../src/domain/lead';
import { command, statuses, CommandError, type Invocation, type Command, type Option, type ExitStatus } from './command';
import { gatewayOf, commandErrorOf } from './gateway';
import { leadId, reason } from './lead-options';
import { json } from './print';
import { program } from './program';

const group = 'Leads';
const example = 'bk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q';

interface LeadOrder {
  readonly leadId: string;
  readonly reason: string;
}

/** The request fields that come from options. A wrong corrected field of the lead is not wrong usage. */
const fields = ['reason', 'upstreamId', 'fields'];

async function decide(
  { io, args: [id = ''], options, config }: Pick<Invocation<{ readonly reason: typeof reason }>, 'io' | 'args' | 'options' | 'config'>,
  act: (leads: Leadgate['leads'], about: LeadOrder) => Promise<ResendLeadOutput>,
  done?: string,
): Promise<ExitStatus> {
  const about = { leadId: id, reason: options.reason ?? '' };
  const answer = await act(gatewayOf(config(), io.stopped).leads, about).catch((error: unknown) => {
    throw error instanceof LeadgateError ? commandErrorOf(error, fields) : error;
  });
  const next = isOver(answer) ? `; ${program} lead show ${id} shows its steps` : `; ${program} lead watch ${id} follows it`;
  io.out(options.json ? json(answer) : `${id} ${done ?? `is ${answer.state} now`}${next}\n`);
  return statuses.done;
}

const leadResend: Command = command({
  name: 'lead resend',
  group,
  summary: 'Decide that a parked lead is not in the upstream, and send the step again',
  about: ['If the lead is parked at send-comments, only the comment is sent: the lead itself is already in the site system.'],
  args: [leadId],
  options: { reason },
  examples: [`lead resend ${example} --reason 'looked: it is not there'`],
  run: (call) => decide(call, (leads, about) => leads.resendLead(about)),
});

const leadConfirm: Command = command({
  name: 'lead confirm',
  group,
  summary: 'Decide that a parked lead is in the upstream, and continue with its id there',
  about: ["If a comment was refused, write it by hand in the site system, then confirm with the patient's id there."],
  args: [leadId],
  options: {
    reason,
    'upstream-id': {
      type: 'string',
      value: 'id',
      required: true,
      about:
        "its id in the upstream, from the upstream itself or from an answer in `lead show <lead id> --exchanges --clear`; for a comment, the patient's id",
    },
  },
  examples: [`lead confirm ${example} --reason 'it is there' --upstream-id 139712`],
  run: (call) => decide(call, (leads, about) => leads.confirmLead({ ...about, upstreamId: call.options['upstream-id'] ?? '' })),
});

const leadDiscard: Command = command({
  name: 'lead discard',
  group,
  summary: 'End a parked or waiting lead, which is not sent again',
  about: ['At send-comments, only the comment is left out: the lead itself stays in the site system.'],
  args: [leadId],
  options: { reason },
  examples: [`lead discard ${example} --reason 'a test'`],
  run: (call) => decide(call, (leads, about) => leads.discardLead(about)),
});

export const set = {
  type: 'string',
  multiple: true,
  value: 'field=value',
  about: 'a corrected field, as text; field:=value is JSON; repeatable',
} as const satisfies Option;

export const notThereOption = {
  type: 'boolean',
  about: 'for RUN_ENDED: you have looked, and the lead is not in the upstream',
} as const satisfies Option;

const leadTry: Command = command({
  name: 'lead try',
  group,
  summary: 'Retry a waiting lead now',
  about: ['If the upstream is held, the first lead in its queue is tried, maybe not this one.'],
  args: [leadId],
  options: { reason },
  examples: [`lead try ${example} --reason 'the upstream is back'`],
  run: (call) =>
    decide(
      call,
      (leads, about) => leads.tryLead(about),
      'no longer waits for its next try; if the upstream is held, the first lead in its queue is tried, maybe not this one',
    ),
});

const leadRedrive: Command = command({
  name: 'lead redrive',
  group,
  summary: 'Send a failed lead again, or a waiting one with corrected fields',
  about: ['A waiting lead needs --set: its wait ends, and its next attempt begins.'],
  args: [leadId],
  options: { reason, set, 'not-there': notThereOption },
  examples: [
    `lead redrive ${example} --reason 'mistyped' --set email=ann.lee@example.org`,
    `lead redrive ${example} --reason 'wrong study' --set StudyID:=12`,
    `lead redrive ${example} --reason 'ended by mistake; looked: it is not there' --not-there`,
  ],
  run: (call) => decide(call, (leads, about) => leads.redriveLead({ ...about, ...redriveOf(call.options) })),
});

/** The part of a redrive request that comes from the options. */
export const redriveOf = ({
  set: written,
  'not-there': isNotThere,
}: {
  readonly set?: readonly string[];
  readonly 'not-there'?: boolean;
}) => ({
  ...(written && { fields: fieldsOf(written) }),
  ...(isNotThere && { notThere: true }),
});

const fieldsOf = (written: readonly string[]): JsonObject => Object.fromEntries(written.map(fieldOf));

function fieldOf(written: string): [string, unknown] {
  const [, name = '', isJson, value = ''] = /^([^=]+?)(:?)=(.*)$/s.exec(written) ?? [];
  if (!name) throw new CommandError(`--set must be field=value; see ${program} lead redrive --help`);
  if (!isJson) return [name, value];
  try {
    return [name, JSON.parse(value)];
  } catch {
    throw new CommandError(`--set ${name}:= requires JSON; use ${name}= for text`);
  }
}

export const leadDecisions: readonly Command[] = [leadResend, leadConfirm, leadDiscard, leadTry, leadRedrive];
