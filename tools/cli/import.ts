/** `leadgate import`: imports leads from a CSV file. If you run it again, it continues where it stopped. */
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { ImportLeadsInput } from '../client/generated/leads';
import { flows } from '../../src/contract/flows';
import { isDelivered } from '../../src/domain/lead';
import { command, statuses, CommandError, type Option } from './command';
import { gatewayOf } from './gateway';
import { apiFile, readLeadsFile } from './import-file';
import { readEarlierResults } from './import-results';
import { pollLeads, areAllUnknown, isUnknownLead, lookUpSentRows, sendFile, type ImportJob } from './import-send';
import { countsOf, unknownLeadsWarning, reportLines, rowLine, summaryLine } from './import-messages';
import { json, jsonLine } from './print';
import { program } from './program';

const single = (about: string, value: string) => ({ type: 'string', about, value }) as const satisfies Option;
const many = (about: string, value: string) => ({ type: 'string', about, value, multiple: true }) as const satisfies Option;

export const importLeads = command({
  name: 'import',
  group: 'Leads',
  summary: 'Send the leads of a CSV file, each row once; the same command again continues',
  about: [
    'The first row names the fields of the flow. The whole file is checked first: if a row or a column is invalid, nothing is sent.',
    'The result file, which only you can read, has the outcome of each row. A row that is already a lead is looked up and never sent again.',
    'Status 0 if every row is delivered, skipped or a duplicate; 1 if one is not, or if the service does not know a row that was sent before; 2 if not every row was processed: run it again.',
  ],
  args: [{ name: 'file', about: 'the CSV file; cells are separated by comma, semicolon, tab or |', file: true }],
  options: {
    flow: { type: 'string', value: 'flow', about: 'the flow of every row', words: flows, required: true },
    check: { type: 'boolean', about: 'only check the file' },
    map: many('rename a column; with no field, leave it out', 'column=field'),
    set: many('a field with the same value in every row', 'field=value'),
    'set-env': many('the same from an environment variable, for secrets', 'field=variable'),
    'skip-bad': { type: 'boolean', about: 'send the valid rows even if others are invalid' },
    'drop-unknown': { type: 'boolean', about: 'leave out columns that are not fields of the flow' },
    rate: single('the most leads to start per second, 1 to 50 (5)', 'number'),
    wait: single('how long to wait for open leads at the end (60)', 'seconds'),
    out: { type: 'string', value: 'file', file: true, about: 'the result file; for leads.csv, leads.result.csv by default' },
  },
  examples: [
    'import leads.csv --flow no-prescreen --check',
    "import leads.csv --flow no-prescreen --set instanceName=erg-oct --map 'First Name=firstName'",
  ],
  async run({ io, args: [path = ''], options, config }) {
    const { flow = '', map = [], set = [], 'set-env': setEnv = [], wait = '60' } = options;
    const isJson = options.json === true;
    if (!/^\d{1,6}$/.test(wait)) throw new CommandError(`--wait must be a number of seconds; see ${program} import --help`);
    const out = options.out ?? join(dirname(path), `${basename(path, extname(path))}.result.csv`);
    if (resolve(out) === resolve(path)) throw new CommandError('--out must not be the file of leads');
    const file = await readLeadsFile(path, flow, { map, set, setEnv });
    const query: ImportLeadsInput = {
      flow: flow as ImportLeadsInput['flow'],
      skipBad: options['skip-bad'] ? 'true' : undefined,
      dropUnknown: options['drop-unknown'] ? 'true' : undefined,
      ratePerS: options.rate,
    };
    const gateway = gatewayOf(config(), io.stopped);
    const known = await readEarlierResults(out);
    const job: ImportJob = { gateway, query, file, known, leads: await lookUpSentRows(gateway, file, known, io), out, io, isJson };
    if (options.check) return checkFile(job);

    const before = [...job.leads.values()];
    if (before.length < file.rows.length && areAllUnknown(before)) {
      io.err(unknownLeadsWarning(before.filter(isUnknownLead).length, out));
      throw new CommandError('Nothing was sent: this service knows none of the rows that were sent before', statuses.no);
    }
    const sentFile = await sendFile(job);
    if (!sentFile) return statuses.no;
    const { results, byLine, isComplete: isWhole, why, isSandbox, sentBefore } = sentFile;
    try {
      if (isWhole) await pollLeads(Date.now() + Number(wait) * 1000, job, sentFile);
      const all = [...byLine.values()].toSorted((one, other) => one.line - other.line);
      await results.finish(all);
      const isSuccess = all.every((result) => isDelivered(result) || result.state === 'duplicate');
      const counts = countsOf(all);
      if (isJson) io.out(jsonLine({ kind: 'summary', success: isWhole && isSuccess, states: counts, sentBefore, out }));
      else io.out(`${summaryLine({ counts, rows: file.rows.length, sentBefore, out })}${isSandbox ? 'Answered by the sandbox.\n' : ''}`);
      io.err(unknownLeadsWarning(all.filter(isUnknownLead).length, out));
      if (!isWhole) throw new CommandError(`${why}: run the same command again to continue`);
      return isSuccess ? statuses.done : statuses.no;
    } finally {
      await results.close();
    }
  },
});

async function checkFile({ gateway, query, file, leads, out, io, isJson }: ImportJob) {
  const report = await gateway.leads.importLeads(
    { ...query, check: 'true' },
    apiFile(file, ({ line }) => leads.get(line)?.leadId ?? ''),
  );
  if (!('right' in report)) throw new CommandError('The API did not answer with a report. It may be another version of Leadgate');
  const lost = [...leads.values()].filter(isUnknownLead);
  io.out(isJson ? json({ ...report, unknownHere: lost.map(rowLine) }) : reportLines(report));
  io.err(unknownLeadsWarning(lost.length, out));
  return report.right && lost.length === 0 ? statuses.done : statuses.no;
}
