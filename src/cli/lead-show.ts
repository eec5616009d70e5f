/** `leadgate lead show`: what happened to one lead. */
import { isObject } from '../domain/formats';
import type { JsonObject } from '../domain/lead';
import { maskedDecision, maskedLead } from '../domain/mask';
import { command, statuses } from './command';
import { gatewayOf, leadPath, type Answered } from './gateway';
import { clear, leadId } from './lead-words';
import { inLine, json } from './print';
import { headline, leadIn, nextSteps, stepLines } from './report';

export const leadShow = command({
  name: 'lead show',
  group: 'Leads',
  summary: 'What happened to one lead, step by step, and what it became',
  args: [leadId],
  options: { clear },
  examples: ['lead show pk349nmth4mdkdr919y89-0a1b2c3d4e', 'lead show pk349nmth4mdkdr919y89-0a1b2c3d4e --clear --json'],
  async run({ io, args: [id = ''], options, config }) {
    const gateway = gatewayOf(config(), io.stopped);
    const body = await gateway.get(leadPath(id));
    const seen = options.clear ? body : maskedLead(body);
    const decisions = decisionsIn(await gateway.ask('GET', leadPath(id, 'exchanges')));
    if (options.json) {
      io.out(json({ ...seen, ...(decisions && { decisions: options.clear ? decisions : decisions.map(maskedDecision) }) }));
      return statuses.done;
    }
    const lead = leadIn(body);
    io.out(`${headline(io, lead)}\ncreated ${lead.createdAt}, last changed ${lead.updatedAt}\n`);
    if (body.sandbox === true) io.out('Answered by the sandbox: a simulator stood in where no upstream was set.\n');
    io.out(`\n${stepLines(io, lead.steps)}\n${(decisions ?? []).map(said).join('')}\n`);
    if (seen.result !== undefined) io.out(`${options.clear ? 'Result' : 'Result (masked; --clear shows it)'}\n${json(seen.result)}\n`);
    io.out(nextSteps(lead));
    return statuses.done;
  },
});

/** Of a step that is done nothing else tells whether the upstream or a person said so. Reasons are for operators: to others nothing is said. */
const decisionsIn = ({ status, body }: Answered): JsonObject[] | undefined =>
  status === 200 && Array.isArray(body.decisions) ? body.decisions.filter(isObject) : undefined;

const said = ({ at, verb, reason }: JsonObject): string => `  A person said ${String(verb)} at ${String(at)}: ${inLine(reason)}\n`;
