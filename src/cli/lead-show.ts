/** `leadgate lead show`: shows what happened to a lead, or in one of its attempts. */
import { isObject } from '../domain/formats';
import type { JsonObject } from '../domain/lead';
import { maskedDecision, maskedLead } from '../domain/mask';
import { command, statuses, type Call, type Status } from './command';
import { gatewayOf, leadPath, type Answered, type Gateway } from './gateway';
import { attempt, clear, leadId } from './lead-words';
import { inLine, json } from './print';
import { attemptIn, attemptLines, headline, leadIn, nextSteps, stepLines, type Lead } from './report';

const options = { attempt, clear };

export const leadShow = command({
  name: 'lead show',
  group: 'Leads',
  summary: 'What happened to one lead, step by step, and what it became',
  about: ['Of a lead that was sent again its attempts are listed, and the steps are those of the newest. With --attempt: of that one.'],
  args: [leadId],
  options,
  examples: [
    'lead show pk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q',
    'lead show pk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q --clear --json',
    'lead show pk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q --attempt 1',
  ],
  async run(call) {
    const { io, args, options: given, config } = call;
    const [id = ''] = args;
    const gateway = gatewayOf(config(), io.stopped);
    const body = await gateway.get(leadPath(id));
    const lead = leadIn(body);
    if (given.attempt !== undefined) return showAttempt(call, gateway, lead, given.attempt);
    const seen = given.clear ? body : maskedLead(body);
    const decisions = decisionsIn(await gateway.ask('GET', leadPath(id, 'exchanges')));
    if (given.json) {
      io.out(json({ ...seen, ...(decisions && { decisions: shown(call, decisions) }) }));
      return statuses.done;
    }
    io.out(`${headline(io, lead)}\ncreated ${lead.createdAt}, last changed ${lead.updatedAt}\n`);
    if (lead.sandbox) io.out('Answered by the sandbox: a simulator stood in where no upstream was set.\n');
    if (isOneOfMany(lead)) io.out(`\nIts attempts (--attempt shows one)\n${attemptLines(io, lead.attempts)}\n`);
    io.out(`\n${stepLines(io, lead.steps)}\n${(decisions ?? []).map(said).join('')}\n`);
    if (seen.result !== undefined) io.out(`${given.clear ? 'Result' : 'Result (masked; --clear shows it)'}\n${json(seen.result)}\n`);
    io.out(nextSteps(lead));
    return statuses.done;
  },
});

type ShowCall = Call<typeof options>;

async function showAttempt(call: ShowCall, gateway: Gateway, { leadId, flow, attempts }: Lead, wanted: string): Promise<Status> {
  const { io, options: given } = call;
  const answered = await gateway.get(`${leadPath(leadId, 'exchanges')}?attempt=${encodeURIComponent(wanted)}`);
  const { number, steps, decisions } = attemptIn(answered);
  const known = attempts.filter((one) => one.attempt === number);
  if (given.json) io.out(json({ success: true, leadId, flow, ...known[0], steps, decisions: shown(call, decisions) }));
  else io.out(`${leadId}  ${flow}\n${attemptLines(io, known)}\n\n${stepLines(io, steps)}\n${decisions.map(said).join('')}`);
  return statuses.done;
}

const isOneOfMany = ({ attempts }: Lead): boolean => attempts.some((one) => one.attempt > 1);

/** The decisions, which alone tell whether the upstream or a person confirmed a step. Only operators may read them; others see none. */
const decisionsIn = ({ status, body }: Answered): JsonObject[] | undefined =>
  status === 200 && Array.isArray(body.decisions) ? body.decisions.filter(isObject) : undefined;

const shown = ({ options: given }: ShowCall, decisions: readonly JsonObject[]) => (given.clear ? decisions : decisions.map(maskedDecision));

const said = ({ at, verb, reason, by = 'A person' }: JsonObject): string =>
  `  ${inLine(by)} said ${String(verb)} at ${String(at)}: ${inLine(reason)}\n`;
