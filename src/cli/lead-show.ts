/** `leadgate lead show`: what happened to one lead. */
import { isObject } from '../domain/formats';
import { maskedLead } from '../domain/mask';
import { command, statuses } from './command';
import { gatewayOf, leadPath, type Answered } from './gateway';
import { clear, leadId } from './lead-words';
import { json } from './print';
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
    if (options.json) {
      io.out(json(seen));
      return statuses.done;
    }
    const lead = leadIn(body);
    io.out(
      `${headline(io, lead)}\ncreated ${lead.createdAt}, last changed ${lead.updatedAt}\n\n${stepLines(io, lead.steps)}\n${said(await gateway.ask('GET', leadPath(id, 'exchanges')))}\n`,
    );
    if (seen.result !== undefined) io.out(`${options.clear ? 'Result' : 'Result (masked; --clear shows it)'}\n${json(seen.result)}\n`);
    io.out(nextSteps(lead));
    return statuses.done;
  },
});

/** Of a step that is done nothing else tells whether the upstream or a person said so. Reasons are for operators: to others nothing is said. */
function said({ status, body }: Answered): string {
  const decisions = status === 200 && Array.isArray(body.decisions) ? body.decisions.filter(isObject) : [];
  return decisions.map(({ at, verb, reason }) => `  A person said ${String(verb)} at ${String(at)}: ${String(reason)}\n`).join('');
}
