/** `leadgate lead watch`: prints each step as it changes, until the lead has ended or is parked. */
import { setTimeout as pause } from 'node:timers/promises';
import { isSettled } from '../../src/domain/lead';
import { command, statuses } from './command';
import { gatewayOf } from './gateway';
import { leadId } from './lead-options';
import { jsonLine, shortTime } from './print';
import { headline, isOkSoFar, nextSteps, stateWord, type LeadStep } from './report';

const pollMs = 500;

export const leadWatch = command({
  name: 'lead watch',
  group: 'Leads',
  summary: 'Follow the steps of a lead until it ends or is parked',
  about: ['Status 0 if it was delivered or skipped, 1 if it failed, was discarded or is parked.'],
  args: [leadId],
  examples: ['lead watch bk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q'],
  async run({ io, args: [id = ''], options, config }) {
    const gateway = gatewayOf(config(), io.stopped);
    const seen = new Map<string, string>();
    const isNew = (step: LeadStep) => step.state !== 'pending' && seen.get(step.name) !== outline(step);
    for (;;) {
      const lead = await gateway.leads.getLead({ leadId: id, clear: 'false' });
      for (const step of lead.steps.filter(isNew)) {
        seen.set(step.name, outline(step));
        // A step that has not ended is the last one that changed.
        const changedAt = step.endedAt ?? lead.updatedAt;
        io.out(
          options.json ? jsonLine({ leadId: id, ...step, changedAt }) : `${shortTime(changedAt)}  ${step.name.padEnd(14)} ${line(step)}\n`,
        );
      }
      if (isSettled(lead)) {
        const { leadId, flow, state, step } = lead;
        io.out(options.json ? jsonLine({ leadId, flow, state, step }) : `${headline(io, lead)}\n${nextSteps(lead)}`);
        return isOkSoFar(lead) ? statuses.done : statuses.no;
      }
      await pause(pollMs, undefined, { signal: io.stopped }).catch(() => undefined);
    }

    function line({ state, attempts, error }: LeadStep): string {
      return [stateWord(io, state), attempts > 1 && `(${attempts} tries)`, error && `${error.code}: ${error.message}`]
        .filter(Boolean)
        .join('  ');
    }
  },
});

const outline = ({ state, attempts, error }: LeadStep) => [state, attempts, error?.code].join(' ');
