/** `leadgate erase`: counts the leads of a person, and with `--yes` ends and deletes them. */
import type { ErasePersonOutput } from '../client/generated/operators';
import { command, statuses, CommandError, type Option } from './command';
import { gatewayOf } from './gateway';
import { columns, json, pluralize } from './print';
import { program } from './program';

const who = (about: string, value: string) => ({ type: 'string', about, value }) as const satisfies Option;

const counted = ({ counts }: ErasePersonOutput): string =>
  counts.length === 0 ? '' : `${columns(counts.map(({ flow, state, site = '', leads }) => [flow, state, site, String(leads)]))}\n`;

export const erase = command({
  name: 'erase',
  group: 'Safety',
  summary: 'Erase a person: count their leads, and with --yes end and delete them',
  about: [
    'A lead matches if any of --email, --phone and --patient-id does. Upstreams, their logs and backups are not erased.',
    'Status 1 if the erasure is not complete yet: it continues, and the same command shows its progress.',
  ],
  options: {
    email: who("the person's e-mail", 'email'),
    phone: who('their phone number, in any format', 'number'),
    'patient-id': who('their id in the upstream', 'id'),
    instance: who('only leads for this site or instance', 'name'),
    reason: {
      type: 'string',
      value: 'text',
      required: true,
      about: 'why; kept on the audit trail, also after the erasure, so name no person',
    },
    yes: { type: 'boolean', about: 'erase; without it, only count' },
  },
  examples: ['erase --email ann.lee@example.org --reason asked', 'erase --email ann.lee@example.org --reason asked --yes'],
  async run({ io, options, config }) {
    const { email, phone, 'patient-id': patientId, instance: instanceName, reason, yes } = options;
    if (!email && !phone && !patientId) throw new CommandError(`--email, --phone or --patient-id is missing; see ${program} erase --help`);
    const request = { email, phone, patientId, instanceName, reason: reason ?? '', dryRun: yes !== true };
    const answer = await gatewayOf(config(), io.stopped).operators.erasePerson(request);
    if (options.json) io.out(json(answer));
    else {
      const { leads, runs, onTheWire = 0, underWay = [] } = answer;
      io.out(`${counted(answer)}${pluralize(leads, 'lead')}, ${pluralize(runs, 'run')}`);
      const erased = answer.success ? ` erased; receipt ${answer.receiptId}` : ' erased so far';
      io.out(yes ? `${erased}\n` : '; nothing was erased: --yes erases them\n');
      const names = underWay.length > 0 ? `: ${underWay.join(' ')}` : '';
      if (onTheWire > 0) io.out(`${onTheWire} of the leads were being sent or looked up, so look in the upstream${names}\n`);
      if (!answer.success) io.err(`${answer.message}\n`);
    }
    return answer.success ? statuses.done : statuses.no;
  },
});
