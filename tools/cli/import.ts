/** `leadgate import`: imports leads from a CSV file. If it is run again, it continues where it stopped. */
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { ImportLeadsInput } from '../client/generated/leads';
import { flows } from '../../src/contract/flows';
import { isDelivered } from '../../src/domain/lead';
import { command, statuses, Unable, type Option } from './command';
import { gatewayOf } from './gateway';
import { fileFor, leadsFile } from './import-file';
import { knownResults } from './import-results';
import { askedUntil, isElsewhere, isNotHere, knownLeads, sent, type Sending } from './import-send';
import { countsOf, notHereWords, reportLines, rowLine, summaryLine } from './import-words';
import { json, jsonLine } from './print';
import { program } from './program';

const named = (about: string, value: string) => ({ type: 'string', about, value }) as const satisfies Option;
const many = (about: string, value: string) => ({ type: 'string', about, value, multiple: true }) as const satisfies Option;

export const importLeads = command({
  name: 'import',
  group: 'Leads',
  summary: 'Send the leads of a CSV file, each row once; the same command again goes on where it was',
  about: [
    'The first row names the fields of the flow. The whole file is looked at first: when a row or a column is not right, nothing is sent.',
    'What became of each row stands in the result file, which only you can read: a row that was a lead is asked about and never sent again.',
    'Status 0 when every row is delivered, skipped or a duplicate; 1 when one is not, or when the service does not know a row that was sent before; 2 when not every row could be taken: run it again.',
  ],
  args: [{ name: 'file', about: 'the leads, as CSV; comma, semicolon, tab or | between the cells', file: true }],
  options: {
    flow: { type: 'string', value: 'flow', about: 'the way every row takes', words: flows, needed: true },
    check: { type: 'boolean', about: 'only look at the file' },
    map: many('a column by another name; to nothing leaves it out', 'column=field'),
    set: many('a field that is the same in every row', 'field=value'),
    'set-env': many('the same with the value of an environment variable, for secrets', 'field=variable'),
    'skip-bad': { type: 'boolean', about: 'send the rows that are right where others are not' },
    'drop-unknown': { type: 'boolean', about: 'leave out the columns that the flow does not know' },
    rate: named('most leads started a second, 1 to 50 (5)', 'number'),
    wait: named('how long to wait at the end for leads that are still under way (60)', 'seconds'),
    out: { type: 'string', value: 'file', file: true, about: 'the result file; without it leads.result.csv, beside leads.csv' },
  },
  examples: [
    'import leads.csv --flow no-prescreen --check',
    "import leads.csv --flow no-prescreen --set instanceName=erg-oct --map 'First Name=firstName'",
  ],
  async run({ io, args: [path = ''], options, config }) {
    const { flow = '', map = [], set = [], 'set-env': setEnv = [], wait = '60' } = options;
    const isJson = options.json === true;
    if (!/^\d{1,6}$/.test(wait)) throw new Unable(`--wait must be a number of seconds; see ${program} import --help`);
    const out = options.out ?? join(dirname(path), `${basename(path, extname(path))}.result.csv`);
    if (resolve(out) === resolve(path)) throw new Unable('--out must be another file than the leads');
    const file = await leadsFile(path, flow, { map, set, setEnv });
    const asked: ImportLeadsInput = {
      flow: flow as ImportLeadsInput['flow'],
      skipBad: options['skip-bad'] ? 'true' : undefined,
      dropUnknown: options['drop-unknown'] ? 'true' : undefined,
      ratePerS: options.rate,
    };
    const gateway = gatewayOf(config(), io.stopped);
    const known = await knownResults(out);
    const sending: Sending = { gateway, asked, file, known, leads: await knownLeads(gateway, file, known, io), out, io, isJson };
    if (options.check) return checked(sending);

    const before = [...sending.leads.values()];
    if (before.length < file.rows.length && isElsewhere(before)) {
      io.err(notHereWords(before.filter(isNotHere).length, out));
      throw new Unable('Nothing was sent: this service knows none of the rows that were sent before', statuses.no);
    }
    const told = await sent(sending);
    if (!told) return statuses.no;
    const { results, byLine, isWhole, why, isSandbox, sentBefore } = told;
    try {
      if (isWhole) await askedUntil(Date.now() + Number(wait) * 1000, sending, told);
      const all = [...byLine.values()].toSorted((one, other) => one.line - other.line);
      await results.finish(all);
      const isWell = all.every((result) => isDelivered(result) || result.state === 'duplicate');
      const counts = countsOf(all);
      if (isJson) io.out(jsonLine({ kind: 'summary', success: isWhole && isWell, states: counts, sentBefore, out }));
      else io.out(`${summaryLine({ counts, rows: file.rows.length, sentBefore, out })}${isSandbox ? 'Answered by the sandbox.\n' : ''}`);
      io.err(notHereWords(all.filter(isNotHere).length, out));
      if (!isWhole) throw new Unable(`${why}: run the same command again to continue`);
      return isWell ? statuses.done : statuses.no;
    } finally {
      await results.close();
    }
  },
});

async function checked({ gateway, asked, file, leads, out, io, isJson }: Sending) {
  const report = await gateway.leads.importLeads(
    { ...asked, check: 'true' },
    fileFor(file, ({ line }) => leads.get(line)?.leadId ?? ''),
  );
  if (!('right' in report)) throw new Unable('The answer of the API is not a report: is it another version of Leadgate?');
  const lost = [...leads.values()].filter(isNotHere);
  io.out(isJson ? json({ ...report, notHere: lost.map(rowLine) }) : reportLines(report));
  io.err(notHereWords(lost.length, out));
  return report.right && lost.length === 0 ? statuses.done : statuses.no;
}
