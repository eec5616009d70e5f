/** The commands for a decision about a parked lead, for a try of a waiting one, and for a redrive of a failed one. */
import type { JsonObject } from '../domain/lead';
import { command, statuses, Unable, type Call, type Command, type Option, type Status } from './command';
import { gatewayOf, leadPath } from './gateway';
import { leadId, reason } from './lead-words';
import { json } from './print';

const group = 'Leads';
const example = 'pk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q';

async function decide(
  { io, args: [id = ''], options, config }: Pick<Call, 'io' | 'args' | 'options' | 'config'>,
  verb: string,
  body: JsonObject,
  done?: string,
): Promise<Status> {
  const answer = await gatewayOf(config(), io.stopped).post(leadPath(id, verb), body);
  io.out(
    options.json ? json(answer) : `${id} ${done ?? `is ${String(answer.state)} now`}; leadgate lead watch ${id} shows how it goes on\n`,
  );
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
  run: (call) => decide(call, 'resend', { reason: call.options.reason }),
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
  run: (call) => decide(call, 'confirm', { reason: call.options.reason, upstreamId: call.options['upstream-id'] }),
});

const leadDiscard: Command = command({
  name: 'lead discard',
  group,
  summary: 'A parked lead: end it without sending',
  about: ['Of a lead that is parked at send-comments only the comment is left out: the lead itself stays in the site system.'],
  args: [leadId],
  options: { reason },
  examples: [`lead discard ${example} --reason 'a test'`],
  run: (call) => decide(call, 'discard', { reason: call.options.reason }),
});

export const set = {
  type: 'string',
  multiple: true,
  value: 'field=value',
  about: 'a corrected field, as text; field:=value is read as JSON; may be repeated',
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
      'try',
      { reason: call.options.reason },
      'no longer waits for its next try; at an upstream that is held, the next lead of its line goes',
    ),
});

const leadRedrive: Command = command({
  name: 'lead redrive',
  group,
  summary: 'A failed lead: send it again, with corrected fields where they are given',
  args: [leadId],
  options: {
    reason,
    set,
  },
  examples: [
    `lead redrive ${example} --reason 'mistyped' --set email=ann.lee@example.org`,
    `lead redrive ${example} --reason 'wrong study' --set StudyID:=12`,
  ],
  run: (call) => decide(call, 'redrive', { reason: call.options.reason, ...(call.options.set && { fields: fieldsOf(call.options.set) }) }),
});

export const fieldsOf = (written: readonly string[]): JsonObject => Object.fromEntries(written.map(fieldOf));

function fieldOf(written: string): [string, unknown] {
  const [, name = '', isJson, value = ''] = /^([^=]+?)(:?)=(.*)$/s.exec(written) ?? [];
  if (!name) throw new Unable('--set must be field=value; see leadgate lead redrive --help');
  if (!isJson) return [name, value];
  try {
    return [name, JSON.parse(value)];
  } catch {
    throw new Unable(`--set ${name}:= must be followed by JSON; text is set with ${name}=`);
  }
}

export const leadDecisions: readonly Command[] = [leadResend, leadConfirm, leadDiscard, leadTry, leadRedrive];
