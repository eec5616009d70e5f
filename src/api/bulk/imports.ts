/** Leads by the file: looked at as a whole, then sent row by row through the door that every request goes through. Nothing of it is kept. */
import type { Request, Response } from 'express';
import { setTimeout as pause } from 'node:timers/promises';
import type { Trail } from '../../audit/trail';
import type { Config } from '../../config/config';
import { ApiError, engineAway } from '../../contract/errors';
import type { ImportLine } from '../../contract/imports';
import { canonical } from '../../intake/identity';
import type { Input } from '../../contract/input';
import type { Entered, Intake } from '../../intake/intake';
import type { KeyRing } from '../../keys/ring';
import { log } from '../../lib/log';
import { isEngineAway } from '../../temporal/deadline';
import { simulated } from '../answer';
import { audited, type Audited } from '../audited';
import { csvBytes, isDryRun } from '../request';
import { readImport, reportOf, type GoodRow, type ImportFile } from './import-file';
import { noDryRun, notRight, orderOf, told, unsent, untaken, type RowLine } from './import-words';

export interface Imports {
  /** The report or a refusal; else it has answered in lines by the end. */
  answer(request: Request, response: Response, input: Input, caller: string): Promise<Audited>;
}

interface Needs {
  readonly config: Config;
  readonly keys: KeyRing;
  readonly intake: Intake;
  readonly trail: Trail;
  /** No more rows are begun. */
  readonly stopping: AbortSignal;
}

/** Files that are held in memory at once. */
const importsMost = 8;
/** Rows that are waited for at once, each as long as a request of its own: then its line says how far it is. */
const waitingMost = 150;
/** How long a closed door is waited at. */
const closedMostMs = 30_000;

export function createImports({ config, keys, intake, trail, stopping }: Needs): Imports {
  let underWay = 0;

  async function answer(request: Request, response: Response, input: Input, caller: string): Promise<Audited> {
    const { flow, check, skipBad, dropUnknown, ratePerS } = orderOf(input);
    const bytes = csvBytes(request);
    const file = await readImport(bytes, { flow, dropUnknown }, intake, config);
    if (isDryRun(request, file.endpoint)) throw noDryRun();
    const report = reportOf(file);
    if (file.isSandbox) response.set(simulated);
    const hasColumns = dropUnknown || report.unknownColumns.length === 0;
    const isRight = hasColumns && report.badRows === 0;
    if (check) return { status: 200, body: { success: true, right: isRight, ...report } };
    if (!isRight && !(hasColumns && skipBad)) throw notRight(report);
    return audited(trail, 'import', caller, input, () => send(file, { flow, ratePerS, caller }, response));
  }

  async function send(file: ImportFile, { flow, ratePerS, caller }: Sending, response: Response): Promise<Audited> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    if (response.destroyed) gone.abort();
    const over = AbortSignal.any([gone.signal, stopping]);
    const write = (line: ImportLine) => void (response.destroyed || response.write(`${JSON.stringify(line)}\n`));
    const { bad: _, duplicates: __, unknownColumns: ___, ...counts } = reportOf(file);
    // Its head is out before a stop could say so: a kept connection would hold the stop up.
    response.status(200).set({ 'Content-Type': 'application/x-ndjson; charset=utf-8', Connection: 'close' });
    write({ kind: 'begin', flow, ...(file.isSandbox && { sandbox: true }), ...counts });
    // Before anything is sent: whoever has a row's line knows which rows are none of their own.
    for (const line of unsent(file)) write(line);

    const waiting = new Set<Promise<void>>();
    let begun = 0;
    let started = 0;
    let closed: ApiError | undefined;
    let nextAt = 0;
    for (const row of file.good) {
      while (waiting.size >= waitingMost) await Promise.race(waiting);
      await pause(Math.max(0, nextAt - Date.now()), undefined, { signal: over }).catch(() => undefined);
      if (over.aborted) break;
      const entered = await enter(row, file, caller, over);
      if ('run' in entered) {
        begun++;
        // What was here before costs no upstream anything, and is passed by as fast as it is found.
        if (entered.run.isNew) nextAt = Date.now() + 1000 / ratePerS;
        if (entered.run.isNew) started++;
        const end = became(row, entered.run)
          .then(write)
          .finally(() => waiting.delete(end));
        waiting.add(end);
      } else {
        write(untaken(row.line, entered.error));
        if (!closedForMs(entered.error)) continue;
        closed = entered.error;
        break;
      }
    }
    await Promise.all(waiting);
    const complete = begun === file.good.length;
    const message = complete ? undefined : (closed?.message ?? (stopping.aborted ? 'The service is stopping' : 'Not every row was taken'));
    write({ kind: 'end', complete, begun, started, message });
    log.info('import ended', { flow, rows: counts.rows, begun, started, complete });
    return { status: 200, body: {}, outcome: complete ? 'done' : 'incomplete', facts: { flow, ...counts, begun, started } };
  }

  /** A closed door is waited at for a while; anything else that is thrown started nothing, or says that it may have. */
  async function enter(row: GoodRow, { name, endpoint }: ImportFile, caller: string, over: AbortSignal): Promise<Tried> {
    const { input, prepared, binding, isSandbox } = row;
    // By its content: the same row finds its lead again, in whatever file and at whatever place.
    const idempotencyKey = `import-${keys.hash('import row', [name, canonical(input.given)].join('\0'))}`;
    const until = Date.now() + closedMostMs;
    for (;;) {
      try {
        return {
          run: await intake.enter({
            name,
            endpoint,
            input,
            prepared,
            binding,
            isSandbox,
            dryRun: false,
            idempotencyKey,
            caller,
            bulk: true,
          }),
        };
      } catch (thrown) {
        const error = isEngineAway(thrown) ? engineAway() : thrown;
        if (!(error instanceof ApiError)) throw error;
        const retryMs = closedForMs(error);
        if (!retryMs || Date.now() + retryMs > until || over.aborted) return { error };
        await pause(retryMs, undefined, { signal: over }).catch(() => undefined);
      }
    }
  }

  async function became({ line }: GoodRow, run: Entered): Promise<RowLine> {
    const { leadId, replayed, isSandbox } = run;
    const report = await intake.settled(run, config.SYNC_WAIT_MS);
    return { ...told(line, { ...report, leadId }), ...(replayed && { replayed }), ...(isSandbox && { sandbox: true }) };
  }

  return {
    async answer(...asked) {
      if (underWay >= importsMost)
        throw new ApiError('RATE_LIMITED', 'Too many imports are under way: nothing was sent', { headers: { 'Retry-After': '5' } });
      underWay++;
      try {
        return await answer(...asked);
      } finally {
        underWay--;
      }
    },
  };
}

/** How long the door asks to wait; 0 where it is not that it is closed. */
const closedForMs = ({ extras }: ApiError): number => Number(extras.headers?.['Retry-After'] ?? 0) * 1000;

interface Sending {
  readonly flow: string;
  readonly ratePerS: number;
  readonly caller: string;
}

type Tried = { readonly run: Entered } | { readonly error: ApiError };
