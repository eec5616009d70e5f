/** The commands for a decision about a parked lead, for a try of a waiting one, and for a redrive of a failed one. */
import { LeadgateError, type Leadgate } from '../client';
import type { ResendLeadOutput } from '../client/generated/leads';
import { isOver, type JsonObject } from '../../src/domain/lead';
import { command, statuses, Unable, type Call, type Command, type Option, type Status } from './command';
import { gatewayOf, refused } from './gateway';
import { leadId, reason } from './lead-words';
import { json } from './print';
import { program } from './program';

const group = 'Leads';
const example = 'bk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q';

interface About {
  readonly leadId: string;
  readonly reason: string;
}

/** The fields that come from options; a wrong mended field is no wrong usage. */
const fields = ['reason', 'upstreamId', 'fields'];

async function decide(
  { io, args: [id = ''], options, config }: Pick<Call<{ readonly reason: typeof reason }>, 'io' | 'args' | 'options' | 'config'>,
  act: (leads: Leadgate['leads'], about: About) => Promise<ResendLeadOutput>,
  done?: string,
): Promise<Status> {
  const about = { leadId: id, reason: options.reason ?? '' };
  const answer = await act(gatewayOf(config(), io.stopped).leads, about).catch((error: unknown) => {
    throw error instanceof LeadgateError ? refused(error, fields) : error;
  });
  const next = isOver(answer) ? `; ${program} lead show ${id} shows its steps` : `; ${program} lead watch ${id} shows how it goes on`;
  io.out(options.json ? json(answer) : `${id} ${done ?? `is ${answer.state} now`}${next}\n`);
  return statuses.done;
}

const leadResend: Command = command({
  name: 'lead resend',
  group,
  summary: 'A parked lead: it is not in the upstream, send the step again',
  about: ['Of a lead that is parked at send-comments only the comment is sent: the lead itself is in the site system already.'],
  args: [leadId],
  options: { reason },
  examples: [`lead resend ${example} --reason 'looked: it is not there'`],
  run: (call) => decide(call, (leads, about) => leads.resendLead(about)),
});

const leadConfirm: Command = command({
  name: 'lead confirm',
  group,
  summary: "A parked lead: it is in the upstream, go on with that system's id",
  about: ["A comment that was refused is written by hand in the site system, and then confirmed with the patient's id there."],
  args: [leadId],
  options: {
    reason,
    'upstream-id': { type: 'string', value: 'id', needed: true, about: "the id that the upstream gave it; of a comment, the patient's id" },
  },
  examples: [`lead confirm ${example} --reason 'it is there' --upstream-id 139712`],
  run: (call) => decide(call, (leads, about) => leads.confirmLead({ ...about, upstreamId: call.options['upstream-id'] ?? '' })),
});

const leadDiscard: Command = command({
  name: 'lead discard',
  group,
  summary: 'A parked lead: end it without sending',
  about: ['Of a lead that is parked at send-comments only the comment is left out: the lead itself stays in the site system.'],
  args: [leadId],
  options: { reason },
  examples: [`lead discard ${example} --reason 'a test'`],
  run: (call) => decide(call, (leads, about) => leads.discardLead(about)),
});

export const set = {
  type: 'string',
  multiple: true,
  value: 'field=value',
  about: 'a corrected field, as text; field:=value is read as JSON; may be repeated',
} as const satisfies Option;

export const notThere = {
  type: 'boolean',
  about: 'RUN_ENDED: you have looked, and what may have been sent is not in the upstream',
} as const satisfies Option;

const leadTry: Command = command({
  name: 'lead try',
  group,
  summary: 'A waiting lead: try it now',
  about: ['Before an upstream that is held, the next lead of the line goes.'],
  args: [leadId],
  options: { reason },
  examples: [`lead try ${example} --reason 'the upstream is back'`],
  run: (call) =>
    decide(
      call,
      (leads, about) => leads.tryLead(about),
      'no longer waits for its next try; at an upstream that is held, the next lead of its line goes',
    ),
});

const leadRedrive: Command = command({
  name: 'lead redrive',
  group,
  summary: 'A failed lead: send it again, with corrected fields where they are given',
  args: [leadId],
  options: { reason, set, 'not-there': notThere },
  examples: [
    `lead redrive ${example} --reason 'mistyped' --set email=ann.lee@example.org`,
    `lead redrive ${example} --reason 'wrong study' --set StudyID:=12`,
    `lead redrive ${example} --reason 'ended by mistake; looked: it is not there' --not-there`,
  ],
  run: (call) => decide(call, (leads, about) => leads.redriveLead({ ...about, ...redriveOf(call.options) })),
});

/** The part of an order to redrive that its options give. */
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
  if (!name) throw new Unable(`--set must be field=value; see ${program} lead redrive --help`);
  if (!isJson) return [name, value];
  try {
    return [name, JSON.parse(value)];
  } catch {
    throw new Unable(`--set ${name}:= must be followed by JSON; text is set with ${name}=`);
  }
}

export const leadDecisions: readonly Command[] = [leadResend, leadConfirm, leadDiscard, leadTry, leadRedrive];
