/** `leadgate erase`: erases a person. */
import type { ErasePersonOutput } from '../client/generated/operators';
import { command, statuses, Unable, type Option } from './command';
import { gatewayOf } from './gateway';
import { columns, json } from './print';
import { program } from './program';

const who = (about: string, value: string) => ({ type: 'string', about, value }) as const satisfies Option;

const counted = ({ counts }: ErasePersonOutput): string =>
  counts.length === 0 ? '' : `${columns(counts.map(({ flow, state, site = '', leads }) => [flow, state, site, String(leads)]))}\n`;

export const erase = command({
  name: 'erase',
  group: 'Safety',
  summary: 'Forget a person: count what is there, and with --yes end and delete it',
  about: [
    'Several of --email, --phone and --patient-id mean any of them. Not erased are the upstreams, their logs, and backups.',
    'Status 1 when not everything is gone yet: it goes on by itself, and the same command tells how far it is.',
  ],
  options: {
    email: who("the person's e-mail", 'email'),
    phone: who('their phone number, in any punctuation', 'number'),
    'patient-id': who("the upstream's id of them", 'id'),
    instance: who('only what went to this site or instance', 'name'),
    reason: { type: 'string', value: 'text', needed: true, about: 'why; it is asked for and not kept' },
    yes: { type: 'boolean', about: 'erase; without it only count' },
  },
  examples: ['erase --email ann.lee@example.org --reason asked', 'erase --email ann.lee@example.org --reason asked --yes'],
  async run({ io, options, config }) {
    const { email, phone, 'patient-id': patientId, instance: instanceName, reason, yes } = options;
    if (!email && !phone && !patientId) throw new Unable(`--email, --phone or --patient-id is missing; see ${program} erase --help`);
    const asked = { email, phone, patientId, instanceName, reason: reason ?? '', dryRun: yes !== true };
    const answer = await gatewayOf(config(), io.stopped).operators.erasePerson(asked);
    if (options.json) io.out(json(answer));
    else {
      const { leads, runs, onTheWire = 0, underWay = [] } = answer;
      io.out(`${counted(answer)}${leads} leads, ${runs} runs`);
      const erased = answer.success ? ` erased; receipt ${answer.receiptId}` : ' erased so far';
      io.out(yes ? `${erased}\n` : '; nothing was erased, --yes does it\n');
      const names = underWay.length > 0 ? `: ${underWay.join(' ')}` : '';
      if (onTheWire > 0) io.out(`A request of ${onTheWire} was on the wire, so look in the upstream${names}\n`);
      if (!answer.success) io.err(`${answer.message}\n`);
    }
    return answer.success ? statuses.done : statuses.no;
  },
});
