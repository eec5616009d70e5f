/** Declares the commands for bulk orders: redrive, resend or discard many leads, resend their events, list the orders, show the report, and stop one. */
import { setTimeout as pause } from 'node:timers/promises';
import { bulkRefusals } from '../../src/domain/bulk';
import { LeadgateError, type Leadgate } from '../client';
import type {
  GetDecisionInput,
  GetDecisionOutput,
  GetRedriveInput,
  GetRedriveOutput,
  GetResendInput,
  GetResendOutput,
  StartDecisionOutput,
  StartRedriveOutput,
  StartResendOutput,
} from '../client/generated/leads';
import { command, statuses, CommandError, type Argument, type Invocation, type Command, type Option, type ExitStatus } from './command';
import { gatewayOf, isUnavailable, commandErrorOf } from './gateway';
import { notThereOption, redriveOf, set } from './lead-decide';
import { filterOf, filters } from './lead-filters';
import { reason } from './lead-options';
import { columns, pluralize, onOneLine, json, shortTime } from './print';
import { program } from './program';

const group = 'Many leads';
const pollMs = 1_000;

export const orderOptions = {
  reason,
  expect: { type: 'string', value: 'number', about: 'start the order if exactly this many leads match; without it, only count' },
  rate: { type: 'string', value: 'number', about: 'leads per second (5), at most 50' },
} as const satisfies Readonly<Record<string, Option>>;

const options = { ...filters, ...orderOptions };

const orderId: Argument = { name: 'orderId', about: 'the id of the order, from its start' };

type Leads = Leadgate['leads'];

/** The calls about an order, by the first letter of its id. */
const ordersBy = {
  r: {
    report: (leads: Leads, id: string, outcome?: string) =>
      leads.getRedrive({ redriveId: id, outcome: outcome as GetRedriveInput['outcome'] }),
    stop: (leads: Leads, id: string, why: string) => leads.stopRedrive({ redriveId: id, reason: why }),
  },
  d: {
    report: (leads: Leads, id: string, outcome?: string) =>
      leads.getDecision({ decisionId: id, outcome: outcome as GetDecisionInput['outcome'] }),
    stop: (leads: Leads, id: string, why: string) => leads.stopDecision({ decisionId: id, reason: why }),
  },
  e: {
    report: (leads: Leads, id: string, outcome?: string) =>
      leads.getResend({ resendId: id, outcome: outcome as GetResendInput['outcome'] }),
    stop: (leads: Leads, id: string, why: string) => leads.stopResend({ resendId: id, reason: why }),
  },
} as const;

const isLetter = (letter: string): letter is keyof typeof ordersBy => Object.hasOwn(ordersBy, letter);

/** An id of no kind goes to the redrives, which answer that there is none. */
function callsOf(id: string) {
  const letter = id.charAt(0);
  return ordersBy[isLetter(letter) ? letter : 'r'];
}

export function numberIn(value: string | undefined, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value)) throw new CommandError(`--${name} must be a number`);
  return Number(value);
}

type OrderInvocation = Pick<Invocation, 'io' | 'config'> & { readonly options: Invocation<typeof orderOptions>['options'] };

interface OrderRequest<Filter> {
  readonly filter: Filter;
  readonly reason: string;
  readonly ratePerS?: number;
  readonly count?: number;
}

type Started = StartDecisionOutput | StartRedriveOutput | StartResendOutput;
type Start<Filter> = (leads: Leads, request: OrderRequest<Filter>) => Promise<Started>;

/** The request fields that come from options. A wrong corrected field of a lead is not wrong usage. */
const fields = ['filter', 'reason', 'verb', 'fields', 'ratePerS', 'count'];

/** Counts the leads. With `--expect` it starts the order and waits for its end. */
export async function order<Filter>(
  { io, options: flags, config }: OrderInvocation,
  filter: Filter,
  start: Start<Filter>,
): Promise<ExitStatus> {
  const { leads } = gatewayOf(config(), io.stopped);
  const request = {
    filter,
    reason: flags.reason ?? '',
    ratePerS: numberIn(flags.rate, 'rate'),
    count: numberIn(flags.expect, 'expect'),
  };
  const answer = await start(leads, request).catch((error: unknown) => {
    throw error instanceof LeadgateError ? commandErrorOf(error, fields) : error;
  });
  const id = Object.entries(answer).find(([name]) => name.endsWith('Id'))?.[1];
  if (typeof id === 'string') return followOrder(io, leads, id, flags.json);
  io.out(flags.json ? json(answer) : `${pluralize(answer.count, 'lead')}; to start, add --expect ${answer.count}\n`);
  return statuses.done;
}

type Report = GetRedriveOutput | GetDecisionOutput | GetResendOutput;

/** Waits until the report says that it has ended. While the service does not answer, the work continues. */
export async function untilEnded<R extends { readonly state: string }>(
  io: Invocation['io'],
  name: string,
  read: () => Promise<R>,
  onProgress: (report: R) => void = () => {},
): Promise<R> {
  for (let wasAway = false; ; await pause(pollMs)) {
    const report = await read().catch((error: unknown) => {
      if (!isUnavailable(error) || io.stopped.aborted) throw error;
      if (!wasAway) io.err(`${commandErrorOf(error).message}\nThe ${name} continues; waiting for its report …\n`);
      wasAway = true;
    });
    if (!report) continue;
    if (report.state !== 'running') return report;
    onProgress(report);
  }
}

/** Waits for the end of an order, and prints its report. */
export async function followOrder(io: Invocation['io'], leads: Leads, id: string, isJson: boolean | undefined): Promise<ExitStatus> {
  io.err(`Order ${id}; ${program} leads stop ${id} --reason '…' stops it\n`);
  return printReport(io, await untilEnded(io, 'order', () => callsOf(id).report(leads, id) as Promise<Report>), isJson);
}

function printReport(io: Invocation['io'], report: Report, isJson: boolean | undefined): ExitStatus {
  const { state, count, done, remaining, reasons } = report;
  const notDone = 'failedToStart' in report ? report.failedToStart : 'notDecided' in report ? report.notDecided : report.notResent;
  if (isJson) io.out(json(report));
  else {
    const rows = reasons.map((why) => [String(why.count), why.outcome, onOneLine(why.message ?? '')]);
    io.out(`${state}: ${done} of ${count}, ${remaining} remaining\n${rows.length > 0 ? `${columns(rows)}\n` : ''}`);
  }
  return notDone > 0 || state === 'stopped' ? statuses.no : statuses.done;
}

const waiting = { type: 'boolean', about: 'the leads that wait, instead' } as const satisfies Option;
const leadsOf = (flags: Parameters<typeof filterOf>[0] & { readonly waiting?: unknown }) => ({
  ...filterOf(flags),
  ...(flags.waiting === true && { state: 'waiting' as const }),
});

const decision = (verb: 'resend' | 'discard', summary: string, more: Readonly<Record<string, Option>> = {}): Command =>
  command({
    name: `leads ${verb}`,
    group,
    summary,
    options: { ...options, ...more },
    examples: [`leads ${verb} --code OUTCOME_UNKNOWN --upstream recruitment --reason 'looked: none is there' --expect 40`],
    run: (call) => order(call, leadsOf(call.options), (leads, request) => leads.startDecision({ ...request, verb })),
  });

const leadsRedrive = command({
  name: 'leads redrive',
  group,
  summary: 'Send failed leads again, or waiting ones with corrected fields',
  options: { ...options, waiting, set, 'not-there': notThereOption },
  examples: [`leads redrive --code CONFIG_ERROR --since 2h --reason 'the setting is there now' --expect 12`],
  run: (call) => order(call, leadsOf(call.options), (leads, request) => leads.startRedrive({ ...request, ...redriveOf(call.options) })),
});

const leadsReport = command({
  name: 'leads report',
  group,
  summary: 'Show the progress of a bulk order, and why leads were left unchanged',
  args: [orderId],
  options: {
    outcome: {
      type: 'string',
      about: 'with --json: only results with this outcome',
      words: ['started', 'decided', 'resent', ...bulkRefusals],
    },
  },
  examples: ['leads report r3k9dpj2ccyxvkazf9cm0 --json --outcome invalid'],
  async run({ io, args: [id = ''], options: flags, config }) {
    return printReport(io, await callsOf(id).report(gatewayOf(config(), io.stopped).leads, id, flags.outcome), flags.json);
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
    const answer = await callsOf(id).stop(leads, id, flags.reason ?? '');
    io.out(flags.json ? json(answer) : `${id} is ${answer.state}\n`);
    return statuses.done;
  },
});

const leadsOrdersList = command({
  name: 'leads orders',
  group,
  summary: 'List bulk orders with who gave them, why, and their results, newest first',
  examples: ['leads orders'],
  async run({ io, options: flags, config }) {
    const { leads } = gatewayOf(config(), io.stopped);
    const [{ redrives }, { decisions }, { resends }] = await Promise.all([
      leads.listRedrives(),
      leads.listDecisions(),
      leads.listResends(),
    ]);
    const orders = [
      ...redrives.map(({ redriveId: id, failedToStart: refused, ...rest }) => ({ orderId: id, verb: 'redrive', refused, ...rest })),
      ...decisions.map(({ decisionId: id, notDecided: refused, ...rest }) => ({ orderId: id, refused, ...rest })),
      ...resends.map(({ resendId: id, notResent: refused, ...rest }) => ({ orderId: id, verb: 'resend events', refused, ...rest })),
    ].toSorted((one, other) => other.startedAt.localeCompare(one.startedAt));
    const rows = orders.map(({ orderId: id, verb, state, count, done, refused = 0, startedAt, by = 'local', reason: why }) => [
      ...[shortTime(startedAt), id, by, verb, state, pluralize(count, 'lead')],
      done === undefined ? '' : `${done - refused} done, ${refused} not`,
      onOneLine(why),
    ]);
    io.out(flags.json ? json({ orders }) : rows.length > 0 ? `${columns(rows)}\n` : 'There are no bulk orders.\n');
    return statuses.done;
  },
});

export const leadsOrders: readonly Command[] = [
  leadsRedrive,
  decision('resend', 'Decide that parked leads are not in the upstream, and send the step again'),
  decision('discard', 'End parked or waiting leads, which are not sent again', { waiting }),
  leadsOrdersList,
  leadsReport,
  leadsStop,
];
