/** The commands for a bulk order: redrive, resend or discard many leads, look at the report, stop. */
import { setTimeout as pause } from 'node:timers/promises';
import { bulkRefusals } from '../domain/bulk';
import { isObject, text } from '../domain/formats';
import type { JsonObject } from '../domain/lead';
import { command, statuses, Unable, type Argument, type Call, type Command, type Option, type Status } from './command';
import { gatewayOf, type Gateway } from './gateway';
import { fieldsOf, set } from './lead-decide';
import { filterOf, filters } from './lead-filters';
import { reason } from './lead-words';
import { columns, counted, inLine, json } from './print';

const group = 'Many leads';
const pollMs = 1_000;

const options = {
  ...filters,
  reason,
  expect: { type: 'string', value: 'number', about: 'start, if the filter matches so many leads; without it they are only counted' },
  rate: { type: 'string', value: 'number', about: 'so many a second (5), at most 50' },
} as const satisfies Readonly<Record<string, Option>>;

const orderId: Argument = { name: 'orderId', about: 'the id of the order, as its start named it' };

const pathOf = (id: string) => `/api/${id.startsWith('d') ? 'decisions' : 'redrives'}/${encodeURIComponent(id)}`;

function numberIn(value: string | undefined, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value)) throw new Unable(`--${name} must be a number`);
  return Number(value);
}

type Ordered = Pick<Call, 'io' | 'config'> & { readonly options: Call<typeof options>['options'] };

/** Counts the leads; with --expect starts the order and waits for its end. */
async function order({ io, options: given, config }: Ordered, path: string, more: JsonObject): Promise<Status> {
  const gateway = gatewayOf(config(), io.stopped);
  const count = numberIn(given.expect, 'expect');
  const ratePerS = numberIn(given.rate, 'rate');
  const answer = await gateway.post(path, { filter: filterOf(given), reason: given.reason, ...more, ratePerS, count });
  if (count !== undefined) return follow(io, gateway, String(answer.redriveId ?? answer.decisionId), given.json);
  io.out(
    given.json ? json(answer) : `${counted(Number(answer.count), 'lead')}; to start: the same with --expect ${String(answer.count)}\n`,
  );
  return statuses.done;
}

async function follow(io: Call['io'], gateway: Gateway, id: string, isJson: boolean | undefined): Promise<Status> {
  io.err(`Order ${id}; leadgate leads stop ${id} --reason '…' ends it\n`);
  for (;;) {
    const report = await gateway.get(pathOf(id));
    if (report.state !== 'running') return said(io, report, isJson);
    await pause(pollMs);
  }
}

function said(io: Call['io'], report: JsonObject, isJson: boolean | undefined): Status {
  const { state, count, done, remaining } = report;
  const refused = Number(report.failedToStart ?? report.notDecided);
  if (isJson) io.out(json(report));
  else {
    const reasons = Array.isArray(report.reasons) ? report.reasons.filter(isObject) : [];
    const rows = reasons.map((why) => [String(why.count), String(why.outcome), inLine(text(why.message) ?? '')]);
    io.out(
      `${String(state)}: ${String(done)} of ${String(count)}, ${String(remaining)} to go\n${rows.length > 0 ? `${columns(rows)}\n` : ''}`,
    );
  }
  return refused > 0 || state === 'stopped' ? statuses.no : statuses.done;
}

const decision = (verb: 'resend' | 'discard', summary: string): Command =>
  command({
    name: `leads ${verb}`,
    group,
    summary,
    options,
    examples: [`leads ${verb} --code OUTCOME_UNKNOWN --upstream recruitment --reason 'looked: none is there' --expect 40`],
    run: (call) => order(call, '/api/decisions', { verb }),
  });

const leadsRedrive: Command = command({
  name: 'leads redrive',
  group,
  summary: 'Failed leads: send them again, with corrected fields where they are given',
  options: { ...options, set },
  examples: [`leads redrive --code CONFIG_ERROR --since 2h --reason 'the setting is there now' --expect 12`],
  run: (call) => order(call, '/api/redrives', call.options.set ? { fields: fieldsOf(call.options.set) } : {}),
});

const leadsReport: Command = command({
  name: 'leads report',
  group,
  summary: 'How far an order for many leads is, and why leads were left as they are',
  args: [orderId],
  options: {
    outcome: { type: 'string', about: 'with --json: only results with this outcome', words: ['started', 'decided', ...bulkRefusals] },
  },
  examples: ['leads report r3k9dpj2ccyxvkazf9cm0 --json --outcome invalid'],
  async run({ io, args: [id = ''], options: given, config }) {
    const query = given.outcome ? `?outcome=${given.outcome}` : '';
    return said(io, await gatewayOf(config(), io.stopped).get(`${pathOf(id)}${query}`), given.json);
  },
});

const leadsStop: Command = command({
  name: 'leads stop',
  group,
  summary: 'Stop an order for many leads; what is done stays done, the rest stays as it is',
  args: [orderId],
  options: { reason },
  examples: [`leads stop r3k9dpj2ccyxvkazf9cm0 --reason 'the upstream is down again'`],
  async run({ io, args: [id = ''], options: given, config }) {
    const answer = await gatewayOf(config(), io.stopped).post(`${pathOf(id)}/stop`, { reason: given.reason });
    io.out(given.json ? json(answer) : `${id} is ${String(answer.state)}\n`);
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
