/** The rows of a file on their way: which were sent before, what is told of the others, and how each ended. */
import { setTimeout as pause } from 'node:timers/promises';
import { isObject, text } from '../domain/formats';
import { states, type JsonObject } from '../domain/lead';
import type { Io } from './command';
import { leadPath, refused, type Gateway } from './gateway';
import { fileFor, type FileRow, type LeadsFile } from './import-file';
import { openResults, type Known, type Result, type Results } from './import-results';
import { reportLines } from './import-words';
import { json } from './print';
import { leadIn } from './report';

const pollMs = 1_000;

export interface Sending {
  readonly gateway: Gateway;
  readonly query: URLSearchParams;
  readonly file: LeadsFile;
  readonly known: Known;
  /** Line → what is known of a row that is a lead already. */
  readonly leads: ReadonlyMap<number, Result>;
  readonly out: string;
  readonly io: Io;
  readonly isJson: boolean;
}

export interface Told {
  readonly results: Results;
  readonly byLine: Map<number, Result>;
  /** Every good row was taken. */
  readonly isWhole: boolean;
  readonly why: string;
  readonly isSandbox: boolean;
}

const isLead = ({ leadId, state }: Result): boolean => leadId !== '' && (states as readonly string[]).includes(state);

/** A row that is a lead is not sent again, however it ended; whether one is that may be, the API knows. */
export async function knownLeads(gateway: Gateway, { rows }: LeadsFile, known: Known): Promise<ReadonlyMap<number, Result>> {
  const leads = new Map<number, Result>();
  for (const { line, print } of rows) {
    const before = known.get(print);
    const now = before && before.leadId !== '' && !isLead(before) ? await asked(gateway, before) : before;
    if (now && isLead(now)) leads.set(line, { ...now, line });
  }
  return leads;
}

/** Undefined when the API refused the file, and has said why. */
export async function sent({ gateway, query, file, known, leads, out, io, isJson }: Sending): Promise<Told | undefined> {
  const rows = new Map(file.rows.map((row) => [row.line, row]));
  const byLine = new Map(leads);
  const answer = await gateway.sendCsv(
    `/api/imports?${query.toString()}`,
    fileFor(file, ({ line }) => leads.get(line)?.leadId ?? ''),
  );
  if (!(Symbol.asyncIterator in answer)) {
    if (!isObject(answer.body.report)) throw refused(answer);
    if (isJson) io.out(json(answer.body));
    else io.err(`${reportLines(answer.body.report)}${String(answer.body.message)}\n`);
    return undefined;
  }
  const results = await openResults(out, known);
  const shows = io.isTerminal && !isJson;
  let end: JsonObject | undefined;
  let isSandbox = false;
  for await (const line of answer) {
    if (isJson) io.out(`${JSON.stringify(line)}\n`);
    if (line.kind === 'end') end = line;
    isSandbox ||= line.sandbox === true;
    const row = line.kind === 'row' ? rows.get(Number(line.line)) : undefined;
    if (!row) continue;
    const result = resultOf(line, row);
    byLine.set(row.line, result);
    await results.add(result);
    if (shows) io.err(`\r${byLine.size} of ${rows.size} rows`);
  }
  if (shows) io.err('\n');
  const why = text(end?.message) ?? (io.stopped.aborted ? 'Stopped' : 'The API went away');
  return { results, byLine, isWhole: end?.complete === true, why, isSandbox };
}

const resultOf = ({ state, leadId, status, code, message }: JsonObject, { line, print }: FileRow): Result => ({
  line,
  state: text(state) ?? '',
  leadId: text(leadId) ?? '',
  status: text(status) ?? '',
  message: [text(code), text(message)].filter(Boolean).join(': '),
  row: print,
});

/** What stays as it is; a failed lead may be driven again, and a parked one decided about. */
const isDone = ({ state }: Result): boolean => ['delivered', 'skipped', 'discarded'].includes(state);
const isUnderWay = ({ state }: Result): boolean => ['running', 'waiting', 'verifying'].includes(state);

/** Asks about every lead that is not done for good, and about those under way until they are or the time is up. */
export async function askedUntil(deadline: number, { gateway, io }: Sending, { results, byLine }: Told): Promise<void> {
  let open = [...byLine.values()].filter((result) => isLead(result) && !isDone(result));
  while (open.length > 0) {
    const next: Result[] = [];
    for (const result of open) {
      if (io.stopped.aborted) return;
      const now = await asked(gateway, result);
      if (isUnderWay(now)) next.push(now);
      if (now.state === result.state) continue;
      byLine.set(result.line, now);
      await results.add(now);
    }
    if (Date.now() > deadline) return;
    open = next;
    if (open.length > 0) await pause(pollMs, undefined, { signal: io.stopped }).catch(() => undefined);
  }
}

/** As it was, where nobody can say. */
async function asked(gateway: Gateway, result: Result): Promise<Result> {
  const { status, body } = await gateway.ask('GET', leadPath(result.leadId));
  if (status >= 300) return result;
  const { state, steps } = leadIn(body);
  const error = steps.find((step) => step.error)?.error;
  const isWell = state === 'delivered' || state === 'skipped';
  return { ...result, state, status: isWell ? '200' : '', message: error && !isWell ? `${error.code}: ${error.message}` : '' };
}
