/** The commands for a bulk order: redrive, resend or discard many leads, look at the report, stop. */
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
import { command, statuses, Unable, type Argument, type Call, type Command, type Option, type Status } from './command';
import { gatewayOf, isAway, refused } from './gateway';
import { notThere, redriveOf, set } from './lead-decide';
import { filterOf, filters } from './lead-filters';
import { reason } from './lead-words';
import { columns, counted, inLine, json } from './print';
import { program } from './program';

const group = 'Many leads';
const pollMs = 1_000;

const options = {
  ...filters,
  reason,
  expect: { type: 'string', value: 'number', about: 'start, if the filter matches so many leads; without it they are only counted' },
  rate: { type: 'string', value: 'number', about: 'so many a second (5), at most 50' },
} as const satisfies Readonly<Record<string, Option>>;

const orderId: Argument = { name: 'orderId', about: 'the id of the order, as its start named it' };

const isDecision = (id: string): boolean => id.startsWith('d');

function numberIn(value: string | undefined, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value)) throw new Unable(`--${name} must be a number`);
  return Number(value);
}

type Ordered = Pick<Call, 'io' | 'config'> & { readonly options: Call<typeof options>['options'] };

interface Asked {
  readonly filter: ReturnType<typeof filterOf>;
  readonly reason: string;
  readonly ratePerS?: number;
  readonly count?: number;
}

type Start = (leads: Leadgate['leads'], asked: Asked) => Promise<StartDecisionOutput | StartRedriveOutput>;

/** The fields that come from options; a wrong one among the mended fields is no wrong usage. */
const fields = ['filter', 'reason', 'verb', 'fields', 'ratePerS', 'count'];

/** Counts the leads; with --expect starts the order and waits for its end. */
async function order({ io, options: given, config }: Ordered, start: Start): Promise<Status> {
  const { leads } = gatewayOf(config(), io.stopped);
  const asked = {
    filter: filterOf(given),
    reason: given.reason ?? '',
    ratePerS: numberIn(given.rate, 'rate'),
    count: numberIn(given.expect, 'expect'),
  };
  const answer = await start(leads, asked).catch((error: unknown) => {
    throw error instanceof LeadgateError ? refused(error, fields) : error;
  });
  if ('redriveId' in answer) return follow(io, leads, answer.redriveId, given.json);
  if ('decisionId' in answer) return follow(io, leads, answer.decisionId, given.json);
  io.out(given.json ? json(answer) : `${counted(answer.count, 'lead')}; to start: the same with --expect ${answer.count}\n`);
  return statuses.done;
}

type Report = GetRedriveOutput | GetDecisionOutput;

const reportOf = (leads: Leadgate['leads'], id: string, outcome?: string): Promise<Report> =>
  isDecision(id)
    ? leads.getDecision({ decisionId: id, outcome: outcome as GetDecisionInput['outcome'] })
    : leads.getRedrive({ redriveId: id, outcome: outcome as GetRedriveInput['outcome'] });

async function follow(io: Call['io'], leads: Leadgate['leads'], id: string, isJson: boolean | undefined): Promise<Status> {
  io.err(`Order ${id}; ${program} leads stop ${id} --reason '…' ends it\n`);
  for (let wasAway = false; ; await pause(pollMs)) {
    const report = await reportOf(leads, id).catch((error: unknown) => {
      if (!isAway(error) || io.stopped.aborted) throw error;
      if (!wasAway) io.err(`${refused(error).message}\nThe order goes on by itself; waiting for its report …\n`);
      wasAway = true;
    });
    if (report && report.state !== 'running') return said(io, report, isJson);
  }
}

function said(io: Call['io'], report: Report, isJson: boolean | undefined): Status {
  const { state, count, done, remaining, reasons } = report;
  const notDone = 'failedToStart' in report ? report.failedToStart : report.notDecided;
  if (isJson) io.out(json(report));
  else {
    const rows = reasons.map((why) => [String(why.count), why.outcome, inLine(why.message ?? '')]);
    io.out(`${state}: ${done} of ${count}, ${remaining} to go\n${rows.length > 0 ? `${columns(rows)}\n` : ''}`);
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
    run: (call) => order(call, (leads, asked) => leads.startDecision({ ...asked, verb })),
  });

const leadsRedrive = command({
  name: 'leads redrive',
  group,
  summary: 'Failed leads: send them again, with corrected fields where they are given',
  options: { ...options, set, 'not-there': notThere },
  examples: [`leads redrive --code CONFIG_ERROR --since 2h --reason 'the setting is there now' --expect 12`],
  run: (call) => order(call, (leads, asked) => leads.startRedrive({ ...asked, ...redriveOf(call.options) })),
});

const leadsReport = command({
  name: 'leads report',
  group,
  summary: 'How far an order for many leads is, and why leads were left as they are',
  args: [orderId],
  options: {
    outcome: { type: 'string', about: 'with --json: only results with this outcome', words: ['started', 'decided', ...bulkRefusals] },
  },
  examples: ['leads report r3k9dpj2ccyxvkazf9cm0 --json --outcome invalid'],
  async run({ io, args: [id = ''], options: given, config }) {
    return said(io, await reportOf(gatewayOf(config(), io.stopped).leads, id, given.outcome), given.json);
  },
});

const leadsStop = command({
  name: 'leads stop',
  group,
  summary: 'Stop an order for many leads; what is done stays done, the rest stays as it is',
  args: [orderId],
  options: { reason },
  examples: [`leads stop r3k9dpj2ccyxvkazf9cm0 --reason 'the upstream is down again'`],
  async run({ io, args: [id = ''], options: given, config }) {
    const { leads } = gatewayOf(config(), io.stopped);
    const why = given.reason ?? '';
    const answer = await (isDecision(id)
      ? leads.stopDecision({ decisionId: id, reason: why })
      : leads.stopRedrive({ redriveId: id, reason: why }));
    io.out(given.json ? json(answer) : `${id} is ${answer.state}\n`);
    return statuses.done;
  },
});

export const leadsOrders: readonly Command[] = [
  leadsRedrive,
  decision('resend', 'Parked leads: they are not in the upstream, send the parked step again'),
  decision('discard', 'Parked leads: end them without sending'),
  leadsReport,
  leadsStop,
];
