/** Declares the commands for bulk orders: redrive, resend or discard many leads, show the report, and stop the order. */
import { setTimeout as pause } from 'node:timers/promises';
import { bulkRefusals } from '../../src/domain/bulk';
import { LeadgateError, type Leadgate } from '../client';
import type {
  GetDecisionInput,
  GetDecisionOutput,
  GetRedriveInput,
  GetRedriveOutput,
  StartDecisionOutput,
  StartRedriveOutput,
} from '../client/generated/leads';
import { command, statuses, CommandError, type Argument, type Invocation, type Command, type Option, type ExitStatus } from './command';
import { gatewayOf, isUnavailable, commandErrorOf } from './gateway';
import { notThereOption, redriveOf, set } from './lead-decide';
import { filterOf, filters } from './lead-filters';
import { reason } from './lead-options';
import { columns, pluralize, onOneLine, json } from './print';
import { program } from './program';

const group = 'Many leads';
const pollMs = 1_000;

const options = {
  ...filters,
  reason,
  expect: { type: 'string', value: 'number', about: 'start the order if exactly this many leads match; without it, only count' },
  rate: { type: 'string', value: 'number', about: 'leads per second (5), at most 50' },
} as const satisfies Readonly<Record<string, Option>>;

const orderId: Argument = { name: 'orderId', about: 'the id of the order, from its start' };

const isDecision = (id: string): boolean => id.startsWith('d');

function numberIn(value: string | undefined, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value)) throw new CommandError(`--${name} must be a number`);
  return Number(value);
}

type OrderInvocation = Pick<Invocation, 'io' | 'config'> & { readonly options: Invocation<typeof options>['options'] };

interface OrderRequest {
  readonly filter: ReturnType<typeof filterOf>;
  readonly reason: string;
  readonly ratePerS?: number;
  readonly count?: number;
}

type Start = (leads: Leadgate['leads'], request: OrderRequest) => Promise<StartDecisionOutput | StartRedriveOutput>;

/** The request fields that come from options. A wrong corrected field of a lead is not wrong usage. */
const fields = ['filter', 'reason', 'verb', 'fields', 'ratePerS', 'count'];

/** Counts the leads. With `--expect` it starts the order and waits for its end. */
async function order({ io, options: flags, config }: OrderInvocation, start: Start): Promise<ExitStatus> {
  const { leads } = gatewayOf(config(), io.stopped);
  const request = {
    filter: filterOf(flags),
    reason: flags.reason ?? '',
    ratePerS: numberIn(flags.rate, 'rate'),
    count: numberIn(flags.expect, 'expect'),
  };
  const answer = await start(leads, request).catch((error: unknown) => {
    throw error instanceof LeadgateError ? commandErrorOf(error, fields) : error;
  });
  if ('redriveId' in answer) return follow(io, leads, answer.redriveId, flags.json);
  if ('decisionId' in answer) return follow(io, leads, answer.decisionId, flags.json);
  io.out(flags.json ? json(answer) : `${pluralize(answer.count, 'lead')}; to start, add --expect ${answer.count}\n`);
  return statuses.done;
}

type Report = GetRedriveOutput | GetDecisionOutput;

const reportOf = (leads: Leadgate['leads'], id: string, outcome?: string): Promise<Report> =>
  isDecision(id)
    ? leads.getDecision({ decisionId: id, outcome: outcome as GetDecisionInput['outcome'] })
    : leads.getRedrive({ redriveId: id, outcome: outcome as GetRedriveInput['outcome'] });

async function follow(io: Invocation['io'], leads: Leadgate['leads'], id: string, isJson: boolean | undefined): Promise<ExitStatus> {
  io.err(`Order ${id}; ${program} leads stop ${id} --reason '…' stops it\n`);
  for (let wasAway = false; ; await pause(pollMs)) {
    const report = await reportOf(leads, id).catch((error: unknown) => {
      if (!isUnavailable(error) || io.stopped.aborted) throw error;
      if (!wasAway) io.err(`${commandErrorOf(error).message}\nThe order continues; waiting for its report …\n`);
      wasAway = true;
    });
    if (report && report.state !== 'running') return printReport(io, report, isJson);
  }
}

function printReport(io: Invocation['io'], report: Report, isJson: boolean | undefined): ExitStatus {
  const { state, count, done, remaining, reasons } = report;
  const notDone = 'failedToStart' in report ? report.failedToStart : report.notDecided;
  if (isJson) io.out(json(report));
  else {
    const rows = reasons.map((why) => [String(why.count), why.outcome, onOneLine(why.message ?? '')]);
    io.out(`${state}: ${done} of ${count}, ${remaining} remaining\n${rows.length > 0 ? `${columns(rows)}\n` : ''}`);
  }
  return notDone > 0 || state === 'stopped' ? statuses.no : statuses.done;
}

const decision = (verb: 'resend' | 'discard', summary: string): Command =>
  command({
    name: `leads ${verb}`,
    group,
    summary,
    options,
    examples: [`leads ${verb} --code OUTCOME_UNKNOWN --upstream recruitment --reason 'looked: none is there' --expect 40`],
    run: (call) => order(call, (leads, request) => leads.startDecision({ ...request, verb })),
  });

const leadsRedrive = command({
  name: 'leads redrive',
  group,
  summary: 'Send failed leads again, optionally with corrected fields',
  options: { ...options, set, 'not-there': notThereOption },
  examples: [`leads redrive --code CONFIG_ERROR --since 2h --reason 'the setting is there now' --expect 12`],
  run: (call) => order(call, (leads, request) => leads.startRedrive({ ...request, ...redriveOf(call.options) })),
});

const leadsReport = command({
  name: 'leads report',
  group,
  summary: 'Show the progress of a bulk order, and why leads were left unchanged',
  args: [orderId],
  options: {
    outcome: { type: 'string', about: 'with --json: only results with this outcome', words: ['started', 'decided', ...bulkRefusals] },
  },
  examples: ['leads report r3k9dpj2ccyxvkazf9cm0 --json --outcome invalid'],
  async run({ io, args: [id = ''], options: flags, config }) {
    return printReport(io, await reportOf(gatewayOf(config(), io.stopped).leads, id, flags.outcome), flags.json);
  },
});

const leadsStop = command({
  name: 'leads stop',
  group,
  summary: 'Stop a bulk order; leads that it has not reached stay unchanged',
  args: [orderId],
  options: { reason },
  examples: [`leads stop r3k9dpj2ccyxvkazf9cm0 --reason 'the upstream is down again'`],
  async run({ io, args: [id = ''], options: flags, config }) {
    const { leads } = gatewayOf(config(), io.stopped);
    const why = flags.reason ?? '';
    const answer = await (isDecision(id)
      ? leads.stopDecision({ decisionId: id, reason: why })
      : leads.stopRedrive({ redriveId: id, reason: why }));
    io.out(flags.json ? json(answer) : `${id} is ${answer.state}\n`);
    return statuses.done;
  },
});

export const leadsOrders: readonly Command[] = [
  leadsRedrive,
  decision('resend', 'Decide that parked leads are not in the upstream, and send the step again'),
  decision('discard', 'End parked leads without sending them'),
  leadsReport,
  leadsStop,
];
