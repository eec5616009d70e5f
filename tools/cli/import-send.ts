/**
 * Sends the rows of an import: looks up rows that were sent before, sends the file, stores each result, and polls the leads until they
 * end.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Leadgate, LeadgateError } from '../client';
import type { ImportLeadsInput, ImportLeadsLine } from '../client/generated/leads';
import { isObject, text } from '../../src/domain/formats';
import { isDelivered, isOver, isSettled, states } from '../../src/domain/lead';
import type { Io } from './command';
import { isErrorAnswer } from './gateway';
import { apiFile, type FileRow, type LeadsFile } from './import-file';
import { openResultFile, type EarlierResults, type RowResult, type ResultFile } from './import-results';
import { unknownLeadState, unknownLeadMessage, reportLines, rowLine, type FileReport } from './import-messages';
import { json, jsonLine, lineStart } from './print';

const pollMs = 1_000;
/** How many leads to look up concurrently. */
const atOnce = 10;

export interface ImportJob {
  readonly gateway: Leadgate;
  readonly query: ImportLeadsInput;
  readonly file: LeadsFile;
  readonly known: EarlierResults;
  /** Line → the lead of a row that was sent before, or a result that says the service does not know it. */
  readonly leads: ReadonlyMap<number, RowResult>;
  readonly out: string;
  readonly io: Io;
  readonly isJson: boolean;
}

export interface SentFile {
  readonly results: ResultFile;
  readonly byLine: Map<number, RowResult>;
  /** The service accepted every good row. */
  readonly isComplete: boolean;
  readonly why: string;
  readonly isSandbox: boolean;
  /** How many rows were already leads before this import. */
  readonly sentBefore: number;
}

const isLead = ({ leadId, state }: RowResult): boolean => leadId !== '' && (states as readonly string[]).includes(state);
export const isUnknownLead = ({ state }: RowResult): boolean => state === unknownLeadState;

/** True if the service knows none of the rows sent before, which probably went to another service. */
export const areAllUnknown = (before: readonly RowResult[]): boolean => before.some(isUnknownLead) && !before.some(isLead);

/** Looks up the rows sent before. A row that is a lead is not sent again. A row in doubt is sent: the API recognises a lead that exists. */
export async function lookUpSentRows(
  gateway: Leadgate,
  { rows }: LeadsFile,
  known: EarlierResults,
  io: Io,
): Promise<ReadonlyMap<number, RowResult>> {
  const seen = new Set<string>();
  const before = rows.flatMap(({ line, rowHash: print }) => {
    const result = known.get(print);
    // Two equal rows are one lead. The API reports the second as a duplicate.
    if (!result?.leadId || seen.has(print)) return [];
    seen.add(print);
    return [{ ...result, line }];
  });
  const now: RowResult[] = [];
  for await (const result of lookUpAll(gateway, before, rethrow)) {
    now.push(result);
    if (io.isTerminal) io.err(`${lineStart}${now.length} of ${before.length} earlier rows looked up`);
  }
  if (io.isTerminal && before.length > 0) io.err('\n');
  // If leads are missing, another service may also have the rows in doubt, so do not send those.
  const areLost = now.some(isUnknownLead);
  return new Map(now.filter((result) => areLost || isLead(result)).map((result) => [result.line, result]));
}

const rethrow = (error: LeadgateError): never => {
  throw error;
};

type RowLine = ImportLeadsLine & { readonly kind: 'row' };
type EndLine = ImportLeadsLine & { readonly kind: 'end' };

/** Sends the file. If the API refuses it, prints the reason and returns undefined. */
export async function sendFile({ gateway, query, file, known, leads, out, io, isJson }: ImportJob): Promise<SentFile | undefined> {
  const rows = new Map(file.rows.map((row) => [row.line, row]));
  const byLine = new Map(leads);
  const csv = apiFile(file, ({ line }) => leads.get(line)?.leadId ?? '');
  const answer = await gateway.leads.importLeads(query, csv).catch((error: unknown) => {
    if (!isErrorAnswer(error) || !isObject(error.body.report)) throw error;
    if (isJson) io.out(json(error.body));
    else io.err(`${reportLines(error.body.report as FileReport)}${error.message}\n`);
    return undefined;
  });
  if (!answer || !(Symbol.asyncIterator in answer)) return undefined;
  const results = await openResultFile(out, known);
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
  const why = end?.message ?? (io.stopped.aborted ? 'Stopped' : 'The connection to the API broke');
  return { results, byLine, isComplete: end?.complete === true, why, isSandbox, sentBefore };
}

const resultOf = ({ state, leadId = '', status, code, message }: RowLine, { line, rowHash: print }: FileRow): RowResult => ({
  line,
  state,
  leadId,
  status: text(status) ?? '',
  message: [code, message].filter(Boolean).join(': '),
  row: print,
});

/** True if the state no longer changes. A failed lead may still be redriven, and a parked lead decided. */
const isDone = (result: RowResult): boolean => isOver(result) && result.state !== 'failed';
const isUnderWay = (result: RowResult): boolean => isLead(result) && !isSettled(result);

/** Updates the leads that may still change. Polls open leads until they end or the deadline passes. */
export async function pollLeads(deadline: number, { gateway, io }: ImportJob, { results, byLine }: SentFile): Promise<void> {
  let open = [...byLine.values()].filter((result) => isLead(result) && !isDone(result));
  while (open.length > 0) {
    const next: RowResult[] = [];
    // If the service cannot answer, keep the earlier result.
    for await (const now of lookUpAll(gateway, open, (_, result) => result)) {
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

type Fallback = (error: LeadgateError, result: RowResult) => RowResult;

/** Looks up each lead, a few concurrently, and yields the results in order. */
async function* lookUpAll(gateway: Leadgate, results: readonly RowResult[], otherwise: Fallback): AsyncGenerator<RowResult> {
  for (let at = 0; at < results.length; at += atOnce)
    yield* await Promise.all(results.slice(at, at + atOnce).map((result) => lookUp(gateway, result, otherwise)));
}

async function lookUp(gateway: Leadgate, result: RowResult, otherwise: Fallback): Promise<RowResult> {
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
    if (!isErrorAnswer(error)) throw error;
    if (error.code !== 'NOT_FOUND') return otherwise(error, result);
    return isLead(result) ? { ...result, state: unknownLeadState, status: '404', message: unknownLeadMessage(result) } : result;
  }
}
