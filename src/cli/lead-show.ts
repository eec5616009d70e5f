/** `leadgate lead show`: what happened to one lead. */
import { maskedLead } from '../domain/mask';
import { command, statuses } from './command';
import { gatewayOf, leadPath } from './gateway';
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
    const body = await gatewayOf(config(), io.stopped).get(leadPath(id));
    const seen = options.clear ? body : maskedLead(body);
    if (options.json) {
      io.out(json(seen));
      return statuses.done;
    }
    const lead = leadIn(body);
    io.out(`${headline(io, lead)}\ncreated ${lead.createdAt}, last changed ${lead.updatedAt}\n\n${stepLines(io, lead.steps)}\n\n`);
    if (seen.result !== undefined) io.out(`${options.clear ? 'Result' : 'Result (masked; --clear shows it)'}\n${json(seen.result)}\n`);
    io.out(nextSteps(lead));
    return statuses.done;
  },
});
