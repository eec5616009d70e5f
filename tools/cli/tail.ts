/** `leadgate tail`: prints leads as they change, until Ctrl-C. */
import { setTimeout as pause } from 'node:timers/promises';
import { flows } from '../../src/contract/flows';
import { states } from '../../src/domain/lead';
import { command, statuses, type Io } from './command';
import { gatewayOf, isUnavailable, commandErrorOf } from './gateway';
import { changesSince, timeOf } from './lead-changes';
import { filterWithState, moment, state, terms, timeForms, type FoundLead } from './lead-filters';
import { jsonLine, shortTime } from './print';
import { stateWord } from './report';

const pollMs = 1_000;

export const tail = command({
  name: 'tail',
  group: 'Leads',
  summary: 'Print leads as they change, newest last, until Ctrl-C',
  about: [
    'Each line is a lead and its new state. If a lead changes several times within a second, only the last change may be printed.',
    'While the gateway is unavailable, the command waits. It then prints the changes since.',
  ],
  options: {
    state,
    ...terms,
    since: { type: 'string', value: 'time', about: `start with the changes since this time: ${timeForms}; now by default` },
  },
  examples: ['tail', 'tail --state parked --site erg-oct', 'tail --since 2h --json'],
  async run({ io, options: { since, ...options }, config }) {
    const gateway = gatewayOf(config(), io.stopped);
    const written = options.json ? jsonLine : (lead: FoundLead) => line(io, lead);
    const print = (leads: readonly FoundLead[]) => leads.forEach((lead) => io.out(written(lead)));
    try {
      const next = changesSince(gateway, filterWithState(options), since === undefined ? await timeOf(gateway) : moment('since', since));
      print(await next());
      for (let wasAway = false; ;) {
        await pause(pollMs, undefined, { signal: io.stopped });
        const leads = await next().catch((error: unknown) => {
          if (!isUnavailable(error)) throw error;
          if (!wasAway) io.err(`${commandErrorOf(error).message}\nWaiting for the API …\n`);
          wasAway = true;
        });
        if (!leads) continue;
        if (wasAway) io.err('The API answers again.\n');
        wasAway = false;
        print(leads);
      }
    } catch (error) {
      if (io.stopped.aborted) return statuses.done;
      throw error;
    }
  },
});

const widthOf = (words: readonly string[]) => Math.max(...words.map(({ length }) => length));
const [flowWidth, stateWidth] = [widthOf(flows), widthOf(states)];

function line(io: Io, { updatedAt, leadId, flow, state: word, step = '', site = '' }: FoundLead): string {
  const shown = [shortTime(updatedAt), leadId, flow.padEnd(flowWidth), stateWord(io, word) + ' '.repeat(stateWidth - word.length)];
  return `${[...shown, step.padEnd(13), site].join('  ').trimEnd()}\n`;
}
