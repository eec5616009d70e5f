/**
 * Sends the rows of an import: asks about rows sent before, sends the file, notes each result, and follows the leads until they have
 * ended.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Leadgate, LeadgateError } from '../client';
import type { ImportLeadsInput, ImportLeadsLine } from '../client/generated/leads';
import { isObject, text } from '../../src/domain/formats';
import { isDelivered, isOver, isSettled, states } from '../../src/domain/lead';
import type { Io } from './command';
import { isRefusal } from './gateway';
import { fileFor, type FileRow, type LeadsFile } from './import-file';
import { openResults, type Known, type Result, type Results } from './import-results';
import { notHere, notHereMessage, reportLines, rowLine, type FileReport } from './import-words';
import { json, jsonLine, lineStart } from './print';

const pollMs = 1_000;
/** How many leads to ask about at once. */
const atOnce = 10;

export interface Sending {
  readonly gateway: Leadgate;
  readonly asked: ImportLeadsInput;
  readonly file: LeadsFile;
  readonly known: Known;
  /** Line → the lead of a row that was sent before, or that the service does not know it. */
  readonly leads: ReadonlyMap<number, Result>;
  readonly out: string;
  readonly io: Io;
  readonly isJson: boolean;
}

export interface Told {
  readonly results: Results;
  readonly byLine: Map<number, Result>;
  /** The service accepted every good row. */
  readonly isWhole: boolean;
  readonly why: string;
  readonly isSandbox: boolean;
  /** How many rows were leads before this import. */
  readonly sentBefore: number;
}

const isLead = ({ leadId, state }: Result): boolean => leadId !== '' && (states as readonly string[]).includes(state);
export const isNotHere = ({ state }: Result): boolean => state === notHere;

/** True if the service knows none of the rows sent before: they probably went to another service. */
export const isElsewhere = (before: readonly Result[]): boolean => before.some(isNotHere) && !before.some(isLead);

/** Asks about the rows sent before. A row that became a lead is not sent again. For a row that may have become one, the API tells. */
export async function knownLeads(gateway: Leadgate, { rows }: LeadsFile, known: Known, io: Io): Promise<ReadonlyMap<number, Result>> {
  const seen = new Set<string>();
  const before = rows.flatMap(({ line, print }) => {
    const result = known.get(print);
    // Two equal rows became one lead. The API reports the second as a duplicate.
    if (!result?.leadId || seen.has(print)) return [];
    seen.add(print);
    return [{ ...result, line }];
  });
  const now: Result[] = [];
  for await (const result of answers(gateway, before, unsaid)) {
    now.push(result);
    if (io.isTerminal) io.err(`${lineStart}${now.length} of ${before.length} sent before asked about`);
  }
  if (io.isTerminal && before.length > 0) io.err('\n');
  // If leads are missing, another service may have the doubtful rows, too: do not send those.
  const areLost = now.some(isNotHere);
  return new Map(now.filter((result) => areLost || isLead(result)).map((result) => [result.line, result]));
}

const unsaid = (error: LeadgateError): never => {
  throw error;
};

type RowLine = ImportLeadsLine & { readonly kind: 'row' };
type EndLine = ImportLeadsLine & { readonly kind: 'end' };

/** Sends the file. Undefined if the API refused it; the reason is then printed. */
export async function sent({ gateway, asked, file, known, leads, out, io, isJson }: Sending): Promise<Told | undefined> {
  const rows = new Map(file.rows.map((row) => [row.line, row]));
  const byLine = new Map(leads);
  const csv = fileFor(file, ({ line }) => leads.get(line)?.leadId ?? '');
  const answer = await gateway.leads.importLeads(asked, csv).catch((error: unknown) => {
    if (!isRefusal(error) || !isObject(error.body.report)) throw error;
    if (isJson) io.out(json(error.body));
    else io.err(`${reportLines(error.body.report as FileReport)}${error.message}\n`);
    return undefined;
  });
  if (!answer || !(Symbol.asyncIterator in answer)) return undefined;
  const results = await openResults(out, known);
  const shows = io.isTerminal && !isJson;
  let end: EndLine | undefined;
  let sentBefore = [...leads.values()].filter(isLead).length;
  let isSandbox = [...leads.values()].some((lead) => lead.isSandbox === true);
  for await (const line of answer) {
    if (isJson) io.out(jsonLine(line));
    if (isJson && line.kind === 'begin') for (const result of leads.values()) io.out(jsonLine(rowLine(result)));
    if (line.kind === 'end') end = line;
    else isSandbox ||= line.sandbox === true;
    const row = line.kind === 'row' ? rows.get(line.line) : undefined;
    if (line.kind !== 'row' || !row) continue;
    if (line.replayed) sentBefore++;
    const result = resultOf(line, row);
    byLine.set(row.line, result);
    await results.add(result);
    if (shows) io.err(`${lineStart}${byLine.size} of ${rows.size} rows`);
  }
  if (shows) io.err('\n');
  const why = end?.message ?? (io.stopped.aborted ? 'Stopped' : 'The API went away');
  return { results, byLine, isWhole: end?.complete === true, why, isSandbox, sentBefore };
}

const resultOf = ({ state, leadId = '', status, code, message }: RowLine, { line, print }: FileRow): Result => ({
  line,
  state,
  leadId,
  status: text(status) ?? '',
  message: [code, message].filter(Boolean).join(': '),
  row: print,
});

/** Its state no longer changes. A failed lead may still be redriven, and a parked one decided about. */
const isDone = (result: Result): boolean => isOver(result) && result.state !== 'failed';
const isUnderWay = (result: Result): boolean => isLead(result) && !isSettled(result);

/** Updates the leads that may still change. Leads under way are asked about until they end or the time is up. */
export async function askedUntil(deadline: number, { gateway, io }: Sending, { results, byLine }: Told): Promise<void> {
  let open = [...byLine.values()].filter((result) => isLead(result) && !isDone(result));
  while (open.length > 0) {
    const next: Result[] = [];
    // If the service cannot tell, keep the result as it was.
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

type Otherwise = (error: LeadgateError, result: Result) => Result;

/** Asks about each lead, a few at once, and yields the answers in order. */
async function* answers(gateway: Leadgate, results: readonly Result[], otherwise: Otherwise): AsyncGenerator<Result> {
  for (let at = 0; at < results.length; at += atOnce)
    yield* await Promise.all(results.slice(at, at + atOnce).map((result) => look(gateway, result, otherwise)));
}

async function look(gateway: Leadgate, result: Result, otherwise: Otherwise): Promise<Result> {
  try {
    const { state, steps, sandbox } = await gateway.leads.getLead({ leadId: result.leadId, clear: 'false' });
    const error = steps.find((step) => step.error)?.error;
    const isWell = isDelivered({ state });
    const { status, message } = state === result.state ? result : { status: '', message: '' };
    return {
      ...result,
      isSandbox: sandbox === true,
      state,
      status: isWell ? '200' : status,
      message: error && !isWell ? `${error.code}: ${error.message}` : message,
    };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (error.code !== 'NOT_FOUND') return otherwise(error, result);
    return isLead(result) ? { ...result, state: notHere, status: '404', message: notHereMessage(result) } : result;
  }
}
