/** `leadgate reconcile`: compares leads with what the upstreams hold, and carries out what is proposed for parked leads. */
import { basename } from 'node:path';
import { apiUrl, type Config } from '../../src/config/config';
import { flows } from '../../src/contract/flows';
import { isObject, pick, text } from '../../src/domain/formats';
import type { ForwardFlow } from '../../src/domain/forward';
import { findingNames, type FindingName } from '../../src/domain/reconcile';
import { BadCsv, plainCsvLine } from '../../src/lib/csv';
import { messageOf } from '../../src/lib/errors';
import { LeadgateError, type Leadgate } from '../client';
import type { GetReconciliationOutput, StartReconciliationInput } from '../client/generated/leads';
import { command, CommandError, statuses, type ExitStatus, type Invocation, type Io } from './command';
import { compareExport, type Compared } from './compare-export';
import { withoutWrongIds } from './export-ids';
import { readOurLeads, type OurLead } from './export-leads';
import { columnKinds, readExport, type ColumnMap, type ReadExport } from './export-rows';
import { commandErrorOf, gatewayOf, isUnavailable } from './gateway';
import { readGivenFile } from './given-files';
import { moment, timeForms } from './lead-filters';
import { followOrder, numberIn, untilEnded } from './leads-order';
import { columns, json, lineStart, onOneLine, pluralize } from './print';
import { program } from './program';

const pageSize = 500;
const usualSince = '7d';
/** Leads from this long before the window may account for rows of an export. */
const earlierMs = 7 * 86_400_000;

/** The name of an export, and the flow whose leads it is compared with. */
const exportedFlows: Readonly<Record<string, ForwardFlow>> = {
  recruitment: 'recruit',
  leadforms: 'leadforms',
  'leadforms-sandbox': 'leadforms-sandbox',
  screening: 'screening',
};
const exportNames = Object.keys(exportedFlows);
/** These findings are for somebody to look at. */
const alarming: readonly FindingName[] = ['missing', 'twice', 'unknown-here'];

/** The request fields that come from options. */
const fields = ['since', 'until', 'flows', 'reason', 'count'];

type Finding = Compared;
type Leads = Leadgate['leads'];

interface Report {
  readonly reconciliation: Omit<GetReconciliationOutput, 'findings' | 'nextCursor' | 'success'>;
  /** Of the site system, and of the exports. */
  readonly findings: readonly Finding[];
  /** Those of the findings that the service itself proposes to decide. */
  readonly proposed: number;
  readonly ofExports: readonly (Finding & { readonly file: string })[];
}

const options = {
  since: { type: 'string', value: 'time', about: `leads that came at this time or later (${usualSince}): ${timeForms}` },
  until: { type: 'string', value: 'time', about: 'leads that came at this time or earlier; by default until now' },
  flow: { type: 'string', multiple: true, words: flows, about: 'only leads of this flow; may be repeated' },
  with: {
    type: 'string',
    multiple: true,
    value: 'upstream=file',
    about: `the export of an upstream that cannot be asked, as CSV: ${exportNames.join(', ')}; one file for each of them`,
  },
  map: {
    type: 'string',
    multiple: true,
    value: 'column=what',
    about: `what a column of an export holds, if its name does not tell: ${columnKinds.join(', ')}; may be repeated`,
  },
  'time-zone': { type: 'string', value: 'name', about: 'the time zone of dates in the exports, like America/New_York' },
  id: { type: 'string', value: 'id', about: 'show this reconciliation, instead of starting one' },
  stop: { type: 'boolean', about: 'with --id and --reason: stop it' },
  apply: { type: 'boolean', about: 'carry out the proposals: confirm or resend parked leads' },
  reason: { type: 'string', value: 'text', about: 'with --apply: why; stored encrypted with each lead and on the audit trail' },
  expect: {
    type: 'string',
    value: 'number',
    about: 'with --apply: start if there are exactly this many proposals; without it, only count',
  },
  csv: { type: 'boolean', about: 'print every finding as CSV' },
} as const;

type Call = Invocation<typeof options>;

export const reconcile = command({
  name: 'reconcile',
  group: 'Many leads',
  summary: 'Compare delivered and parked leads with what the upstreams hold',
  about: [
    'The service asks the site system about each lead. It sends nothing, and changes nothing without --apply. Ctrl-C leaves the reconciliation running.',
    'Recruitment, lead forms and screening cannot be asked: give an export of them with --with. It needs a column for the id, one for e-mail or phone and, to find missing leads, one for dates. It stays on this machine. The leads are read in clear for it, which the service records on the trail.',
    'Status 1 if a delivered lead is missing or there twice, or something is unknown here.',
  ],
  options,
  examples: [
    'reconcile --since 7d',
    'reconcile --since 30d --with recruitment=export.csv --csv',
    "reconcile --with recruitment=export.csv --map 'Case No=id' --map 'Contact=email'",
    `reconcile --id c4dw0749pys2mea40xjzv --apply --reason 'the findings were looked at' --expect 3`,
  ],
  async run(call) {
    const { io, options: flags, config } = call;
    const { leads } = gatewayOf(config(), io.stopped);
    if (flags.stop) return stop(call, leads);
    const exports = await readExports(call);
    const id = flags.id ?? (await start(call, leads));
    const reconciliation = await follow(io, leads, id, again(flags));
    const asked = await findingsOf(leads, id);
    const ofExports = await compareExports(call, leads, exports, reconciliation);
    const isExported = ({ flow }: Finding) => exports.some((each) => each.flow === flow);
    const report: Report = {
      reconciliation,
      findings: [...asked.filter((one) => one.finding !== 'not-comparable' || !isExported(one)), ...ofExports],
      proposed: reconciliation.proposals,
      ofExports,
    };
    if (flags.apply) return apply(call, leads, report);
    io.out(flags.json ? jsonOf(report) : flags.csv ? csvOf(report) : textOf(report, again(flags)));
    if (reconciliation.count === 0) io.err('No delivered or parked lead came in this time, so nothing was compared\n');
    return report.findings.some(({ finding, state }) => alarming.includes(finding) && state !== 'parked') ||
      reconciliation.state === 'stopped'
      ? statuses.no
      : statuses.done;
  },
});

/** The options that a further call needs, so that it makes the same proposals. */
const again = ({ with: exports = [], map = [], 'time-zone': timeZone }: Call['options']): string =>
  [
    ...exports.map((each) => ['--with', each]),
    ...map.map((each) => ['--map', each]),
    ...(timeZone === undefined ? [] : [['--time-zone', timeZone]]),
  ]
    .map(([option, value = '']) => ` ${option} ${quoted(value)}`)
    .join('');

/** For a shell. */
const quoted = (value: string): string => (/^[\w=./:+-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`);

const plainly = (error: unknown): never => {
  throw error instanceof LeadgateError ? commandErrorOf(error, fields) : error;
};

async function start({ options: { since = usualSince, until, flow } }: Call, leads: Leads): Promise<string> {
  const answer = await leads
    .startReconciliation({
      since: moment('since', since),
      ...(until !== undefined && { until: moment('until', until) }),
      flows: flow as StartReconciliationInput['flows'],
    })
    .catch(plainly);
  return 'reconciliationId' in answer ? answer.reconciliationId : '';
}

async function stop({ io, options: { id, reason, json: isJson } }: Call, leads: Leads): Promise<ExitStatus> {
  if (!id || !reason) throw new CommandError('--stop needs --id and --reason');
  const answer = await leads.stopReconciliation({ reconciliationId: id, reason }).catch(plainly);
  io.out(isJson ? json(answer) : `${id} is ${answer.state}\n`);
  return statuses.done;
}

async function follow(io: Io, leads: Leads, id: string, exportOptions: string): Promise<Report['reconciliation']> {
  let isNew = true;
  const read = () => leads.getReconciliation({ reconciliationId: id, limit: 1 });
  const ended = await untilEnded(io, 'reconciliation', read, ({ done, count, waitsFor }) => {
    if (isNew) io.err(`Reconciliation ${id}; ${program} reconcile --id ${id}${exportOptions} shows it\n`);
    isNew = false;
    const waits = waitsFor ? `; waits: ${onOneLine(waitsFor)}` : '';
    if (io.isTerminal) io.err(`${lineStart}${done} of ${pluralize(count, 'lead')} compared${waits}`);
  });
  if (io.isTerminal && !isNew) io.err('\n');
  const { findings: _, nextCursor: __, success: ___, ...report } = ended;
  return report;
}

async function findingsOf(leads: Leads, id: string): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (let cursor: number | undefined; ;) {
    const { findings, nextCursor } = await leads.getReconciliation({ reconciliationId: id, limit: pageSize, cursor });
    found.push(...findings);
    if (nextCursor === undefined) return found;
    cursor = Number(nextCursor);
  }
}

interface ExportFile {
  readonly upstream: string;
  readonly flow: ForwardFlow;
  readonly file: string;
  readonly read: ReadExport;
}

function columnMapOf(given: readonly string[] = []): ColumnMap {
  return new Map(
    given.map((each) => {
      const at = each.lastIndexOf('=');
      const kind = columnKinds.find((one) => one.toLowerCase() === each.slice(at + 1).toLowerCase());
      if (at < 1 || !kind) throw new CommandError(`--map must be like 'Contact=email': a column and one of ${columnKinds.join(', ')}`);
      return [each.slice(0, at).trim(), kind] as const;
    }),
  );
}

function exportGiven(given: string): Pick<ExportFile, 'upstream' | 'flow' | 'file'> {
  const [, upstream = '', file = ''] = /^([^=]*)=(.+)$/.exec(given) ?? [];
  const flow = pick<ForwardFlow>(exportedFlows, upstream);
  if (flow) return { upstream, flow, file };
  throw new CommandError(`--with must be an upstream and a file, like recruitment=export.csv; the upstreams are ${exportNames.join(', ')}`);
}

/** Reads the files before anything is started. */
async function readExports({ io, options: flags }: Call): Promise<readonly ExportFile[]> {
  const form = { timeZone: flags['time-zone'], map: columnMapOf(flags.map) };
  const given = (flags.with ?? []).map(exportGiven);
  const repeated = given.find(({ flow }, at) => given.findIndex((other) => other.flow === flow) < at);
  // Each file alone would lack the rows of the others, and a lead that one of them lacks would be sent twice.
  if (repeated) throw new CommandError(`--with ${repeated.upstream} is given twice: put the rows of its exports into one file`);
  const exports = await Promise.all(
    given.map(async ({ upstream, flow, file }) => {
      const read = await readExport(await readGivenFile(file), form).catch((error: unknown) => throwAsPlain(error, file));
      if (read.rows.length === 0) io.err(`${file} has column names only: nobody is in it\n`);
      return { upstream, flow, file, read };
    }),
  );
  const unknown = [...form.map.keys()].find((name) => !exports.some(({ read }) => read.columnNames.includes(name)));
  if (unknown !== undefined) throw new CommandError(`--map: no export has the column "${unknown}"`);
  return exports;
}

function throwAsPlain(error: unknown, file: string): never {
  if (error instanceof RangeError) throw new CommandError('--time-zone must be a name like America/New_York');
  throw error instanceof BadCsv ? new CommandError(`${file}, line ${error.line}: ${error.message}`) : error;
}

async function compareExports(
  { io, config }: Call,
  leads: Leads,
  exports: readonly ExportFile[],
  { since = '', until = '' }: Report['reconciliation'],
): Promise<Report['ofExports']> {
  const compared: Report['ofExports'][number][] = [];
  for (const { upstream, flow, file, read } of exports) {
    const ours = await ownLeads(config(), flow, new Date(Date.parse(since) - earlierMs).toISOString());
    const found = await withoutWrongIds(leads, flow, compareExport(ours, read, { since, until }));
    if (found.some(({ line }) => line) && !found.some(({ leadId, line }) => leadId && line))
      io.err(`No row of ${file} matches a lead of this time: is it the export of ${upstream}?\n`);
    compared.push(...found.map((one) => ({ flow, ...one, file })));
  }
  return compared;
}

/** The leads of a flow, in clear. */
async function ownLeads(config: Config, flow: string, since: string): Promise<readonly OurLead[]> {
  const query = new URLSearchParams({ flow, since, clear: 'true' });
  const headers = config.LEADGATE_API_KEY ? { authorization: `Bearer ${config.LEADGATE_API_KEY}` } : undefined;
  const response = await fetch(`${apiUrl(config)}/api/leads.csv?${query.toString()}`, { headers });
  if (!response.ok) throw new CommandError(`The leads could not be read in clear: ${await messageIn(response)}`);
  return readOurLeads(new Uint8Array(await response.arrayBuffer()));
}

async function messageIn(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined);
  return (isObject(body) && text(body.message)) || `the service answered ${response.status}`;
}

/** Carries out the proposals: of the site system as one order, and of the exports one by one. */
async function apply({ io, options: flags }: Call, leads: Leads, { reconciliation, proposed, ofExports }: Report): Promise<ExitStatus> {
  const { reason } = flags;
  if (!reason) throw new CommandError('--apply needs --reason');
  const own = ofExports.filter(({ proposal }) => proposal);
  const count = proposed + own.length;
  if (numberIn(flags.expect, 'expect') !== count) {
    const { reconciliationId: id } = reconciliation;
    const others = flags.expect === undefined ? '' : `${flags.expect} were expected: nothing was started. `;
    const next =
      count === 0
        ? 'Nothing is proposed'
        : `${pluralize(count, 'proposal')}; to carry them out, add${flags.id === undefined ? ` --id ${id}` : ''} --expect ${count}`;
    io.out(flags.json ? json({ count }) : `${others}${next}\n`);
    return flags.expect === undefined ? statuses.done : statuses.no;
  }
  const refused: string[] = [];
  for (const { leadId = '', proposal, upstreamId = '', file, why } of own) {
    const about = { leadId, reason: `${reason} (${[`compared with the export ${basename(file)}`, why].filter(Boolean).join(': ')})` };
    await (proposal === 'confirm' ? leads.confirmLead({ ...about, upstreamId }) : leads.resendLead(about)).catch((error: unknown) => {
      if (!(error instanceof LeadgateError) || isUnavailable(error)) throw error;
      refused.push(`${leadId}: ${onOneLine(messageOf(error))}`);
    });
  }
  if (own.length > 0) io.err(`${own.length - refused.length} of ${pluralize(own.length, 'lead')} of exports decided\n`);
  for (const line of refused) io.err(`${line}\n`);
  if (proposed === 0) return refused.length > 0 ? statuses.no : statuses.done;
  const { reconciliationId } = reconciliation;
  const onAnswer = ({ headers }: { readonly headers: Headers }) => {
    if (headers.has('idempotency-replayed')) io.err('The proposals were already carried out: this is the first order\n');
  };
  const answer = await leads.applyReconciliation({ reconciliationId, reason, count: proposed }, { onAnswer }).catch(plainly);
  const status = 'decisionId' in answer ? await followOrder(io, leads, answer.decisionId, flags.json) : statuses.no;
  return refused.length > 0 ? statuses.no : status;
}

/** Counts the findings, in the order of `findingNames`. */
const countsOf = (findings: readonly Finding[]) =>
  findingNames.map((name) => [name, findings.filter(({ finding }) => finding === name).length] as const);

const jsonOf = ({ reconciliation, findings }: Report): string =>
  json({
    ...reconciliation,
    counts: Object.fromEntries(countsOf(findings)),
    proposals: findings.filter(({ proposal }) => proposal).length,
    findings,
  });

const csvColumns = ['finding', 'proposal', 'leadId', 'flow', 'state', 'upstreamId', 'line', 'why'] as const satisfies (keyof Finding)[];

const csvOf = ({ findings }: Report): string =>
  [csvColumns, ...findings.map((finding) => csvColumns.map((name) => String(finding[name] ?? '')))].map(plainCsvLine).join('');

function textOf({ reconciliation, findings, ofExports }: Report, exportOptions: string): string {
  const { reconciliationId: id, state, count, done, leftOut, decisionId } = reconciliation;
  const counts = countsOf(findings).map(([name, found]) => [`  ${name}`, String(found)]);
  const toLookAt = findings.filter(({ finding, proposal }) => alarming.includes(finding) || proposal);
  const rows = toLookAt.map(({ finding, leadId = '', state: leadState = '', line, upstreamId = '', why = '', proposal }) => [
    ...[finding, leadState, leadId || (line === undefined ? '' : `line ${line}`), upstreamId],
    `${onOneLine(why)}${proposal ? ` → ${proposal}` : ''}`,
  ]);
  const whys = new Map<string, number>();
  for (const { finding, why = '' } of findings) if (finding === 'not-comparable') whys.set(why, (whys.get(why) ?? 0) + 1);
  const others = [...whys].map(([why, found]) => [`  ${found}`, onOneLine(why)]);
  const proposals = findings.filter(({ proposal }) => proposal).length;
  const isCarriedOut = decisionId !== undefined && !ofExports.some(({ proposal }) => proposal);
  return [
    `${id} is ${state}: ${done} of ${pluralize(count, 'lead')} compared${leftOut > 0 ? `, ${leftOut} left out` : ''}\n`,
    `${columns(counts)}\n`,
    rows.length > 0 ? `${columns(rows)}\n` : '',
    others.length > 0 ? `Not comparable:\n${columns(others)}\n` : '',
    isCarriedOut ? `What became of the proposals: ${program} leads report ${decisionId}\n` : '',
    proposals > 0 && !isCarriedOut
      ? `To carry out the ${pluralize(proposals, 'proposal')}: ${program} reconcile --id ${id}${exportOptions} --apply --reason '…' --expect ${proposals}\n`
      : '',
  ].join('');
}
