/** The rows of a file on their way: what became of those sent before, what is told of the others, and how each ended. */
import { setTimeout as pause } from 'node:timers/promises';
import { isObject, text } from '../domain/formats';
import { isOver, states, type JsonObject } from '../domain/lead';
import type { Io } from './command';
import { isUnknownLead, leadPath, refused, type Answered, type Gateway } from './gateway';
import { fileFor, type FileRow, type LeadsFile } from './import-file';
import { openResults, type Known, type Result, type Results } from './import-results';
import { notHere, notHereMessage, reportLines, rowLine } from './import-words';
import { json, jsonLine, lineStart } from './print';
import { leadIn } from './report';

const pollMs = 1_000;
/** Questions about leads. */
const atOnce = 10;

export interface Sending {
  readonly gateway: Gateway;
  readonly query: URLSearchParams;
  readonly file: LeadsFile;
  readonly known: Known;
  /** Line → what the service says of a row that was sent before, or that it does not know it. */
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
export const isNotHere = ({ state }: Result): boolean => state === notHere;

/** Another service has the rows that were sent before, as far as can be told: it knows none of them. */
export const isElsewhere = (before: readonly Result[]): boolean => before.some(isNotHere) && !before.some(isLead);

/** A row that was a lead is not sent again, whoever knows it; of one that may have become one the API says whether it did. */
export async function knownLeads(gateway: Gateway, { rows }: LeadsFile, known: Known, io: Io): Promise<ReadonlyMap<number, Result>> {
  const before = rows.flatMap(({ line, print }) => {
    const result = known.get(print);
    return result?.leadId ? [{ ...result, line }] : [];
  });
  const now: Result[] = [];
  for await (const result of answers(gateway, before, unsaid)) {
    now.push(result);
    if (io.isTerminal) io.err(`${lineStart}${now.length} of ${before.length} sent before asked about`);
  }
  if (io.isTerminal && before.length > 0) io.err('\n');
  // Where leads are missing, another service may have the doubtful ones, too.
  const areLost = now.some(isNotHere);
  return new Map(now.filter((result) => areLost || isLead(result)).map((result) => [result.line, result]));
}

const unsaid = (answer: Answered): never => {
  throw refused(answer);
};

/** Undefined when the API refused the file, and has said why. */
export async function sent({ gateway, query, file, known, leads, out, io, isJson }: Sending): Promise<Told | undefined> {
  const rows = new Map(file.rows.map((row) => [row.line, row]));
  const byLine = new Map(leads);
  const answer = await gateway.sendCsv(
    `/api/imports?${query.toString()}`,
    fileFor(file, ({ line }) => leads.get(line)?.leadId ?? ''),
  );
  if (!(Symbol.asyncIterator in answer)) {
    if (!isObject(answer.body.report)) throw refused(answer, query.keys());
    if (isJson) io.out(json(answer.body));
    else io.err(`${reportLines(answer.body.report)}${String(answer.body.message)}\n`);
    return undefined;
  }
  const results = await openResults(out, known);
  const shows = io.isTerminal && !isJson;
  let end: JsonObject | undefined;
  let isSandbox = [...leads.values()].some((lead) => lead.isSandbox === true);
  for await (const line of answer) {
    if (isJson) io.out(jsonLine(line));
    if (isJson && line.kind === 'begin') for (const result of leads.values()) io.out(jsonLine(rowLine(result)));
    if (line.kind === 'end') end = line;
    isSandbox ||= line.sandbox === true;
    const row = line.kind === 'row' ? rows.get(Number(line.line)) : undefined;
    if (!row) continue;
    const result = resultOf(line, row);
    byLine.set(row.line, result);
    await results.add(result);
    if (shows) io.err(`${lineStart}${byLine.size} of ${rows.size} rows`);
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
const isDone = (result: Result): boolean => isOver(result) && result.state !== 'failed';
const isUnderWay = ({ state }: Result): boolean => ['running', 'waiting', 'verifying'].includes(state);

/** Asks about every lead that is not done for good, and about those under way until they are or the time is up. */
export async function askedUntil(deadline: number, { gateway, io }: Sending, { results, byLine }: Told): Promise<void> {
  let open = [...byLine.values()].filter((result) => isLead(result) && !isDone(result));
  while (open.length > 0) {
    const next: Result[] = [];
    // As it was, where nobody can say.
    for await (const now of answers(gateway, open, (_, result) => result)) {
      if (isUnderWay(now)) next.push(now);
      if (now.state !== byLine.get(now.line)?.state) {
        byLine.set(now.line, now);
        await results.add(now);
      }
      if (io.stopped.aborted) return;
    }
    if (Date.now() > deadline) return;
    open = next;
    if (open.length > 0) await pause(pollMs, undefined, { signal: io.stopped }).catch(() => undefined);
  }
}

type Otherwise = (answer: Answered, result: Result) => Result;

/** What the service says of each now, a few asked about at once, in their order. */
async function* answers(gateway: Gateway, results: readonly Result[], otherwise: Otherwise): AsyncGenerator<Result> {
  for (let at = 0; at < results.length; at += atOnce)
    yield* await Promise.all(results.slice(at, at + atOnce).map((result) => asked(gateway, result, otherwise)));
}

async function asked(gateway: Gateway, result: Result, otherwise: Otherwise): Promise<Result> {
  const answer = await gateway.ask('GET', leadPath(result.leadId));
  if (isUnknownLead(answer)) return isLead(result) ? { ...result, state: notHere, status: '404', message: notHereMessage(result) } : result;
  if (answer.status >= 300) return otherwise(answer, result);
  const { state, steps } = leadIn(answer.body);
  const isSandbox = answer.body.sandbox === true;
  const error = steps.find((step) => step.error)?.error;
  const isWell = state === 'delivered' || state === 'skipped';
  const { status, message } = state === result.state ? result : { status: '', message: '' };
  return {
    ...result,
    isSandbox,
    state,
    status: isWell ? '200' : status,
    message: error && !isWell ? `${error.code}: ${error.message}` : message,
  };
}
