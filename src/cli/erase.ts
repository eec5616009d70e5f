/** `leadgate erase`: erases a person. */
import { isObject } from '../domain/formats';
import type { JsonObject } from '../domain/lead';
import { command, statuses, Unable, type Command, type Option } from './command';
import { gatewayOf, refused } from './gateway';
import { columns, json } from './print';

const who = (about: string, value: string) => ({ type: 'string', about, value }) as const satisfies Option;

const counted = ({ counts }: JsonObject): string => {
  const rows = Array.isArray(counts) ? counts.filter(isObject) : [];
  return rows.length === 0 ? '' : `${columns(rows.map(({ flow, state, site, leads }) => [flow, state, site ?? '', leads].map(String)))}\n`;
};

export const erase: Command = command({
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
    if (!email && !phone && !patientId) throw new Unable('--email, --phone or --patient-id is missing; see leadgate erase --help');
    const body = { email, phone, patientId, instanceName, reason, dryRun: yes !== true };
    const answered = await gatewayOf(config(), io.stopped).ask('POST', '/api/erase', body);
    if (answered.status >= 300 || typeof answered.body.success !== 'boolean') throw refused(answered, Object.keys(body));
    const { body: answer } = answered;
    const isDone = answered.status === 200;
    if (options.json) io.out(json(answer));
    else {
      const underWay = Array.isArray(answer.underWay) ? answer.underWay.map(String) : [];
      io.out(`${counted(answer)}${String(answer.leads)} leads, ${String(answer.runs)} runs`);
      const erased = isDone ? ` erased; receipt ${String(answer.receiptId)}` : ' erased so far';
      io.out(yes ? `${erased}\n` : '; nothing was erased, --yes does it\n');
      if (underWay.length > 0) io.out(`A request was on the wire, so look in the upstream: ${underWay.join(' ')}\n`);
      if (!isDone) io.err(`${String(answer.message)}\n`);
    }
    return isDone ? statuses.done : statuses.no;
  },
});
