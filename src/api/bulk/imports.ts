/** Imports a file of leads: reads it as a whole, then sends it row by row through the intake, as single requests. It stores no file. */
import type { Response } from 'express';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Trail } from '../../audit/trail';
import type { Config } from '../../config/config';
import { ApiError, engineAway } from '../../contract/errors';
import type { ImportLine } from '../../contract/imports';
import { digestOf } from '../../intake/identity';
import type { AcceptedRun, Intake } from '../../intake/intake';
import type { KeyRing } from '../../keys/ring';
import { base32 } from '../../lib/base32';
import { log } from '../../lib/log';
import { yieldToEventLoop } from '../../lib/yield-to-event-loop';
import { isEngineAway } from '../../temporal/ask';
import { simulated } from '../answer';
import { audited, type Audited } from '../audited';
import type { Asked, Handlers } from '../handler';
import { callbackUrl, csvBytes, idempotencyKey, isDryRun, wrongHeader } from '../request';
import { readImport, reportOf, type GoodRow, type ImportFile } from './import-file';
import { notRight, notSent, orderOf, told, untaken, type RowLine } from './import-words';

interface Needs {
  readonly config: Config;
  readonly keys: KeyRing;
  readonly intake: Intake;
  readonly trail: Trail;
  /** Aborted when the service stops: then no more rows are begun. */
  readonly stopping: AbortSignal;
}

/** Most imports at once: each holds its file in memory. One caller has at most half of these places. */
const importsMost = 8;
/** Most rows that are waited for at once. Each is waited for as long as a request of its own; then its line tells its state. */
const waitingMost = 150;
/** How long a row waits for an intake that is full. */
const closedMostMs = 30_000;

export function importHandlers({ config, keys, intake, trail, stopping }: Needs) {
  /** The caller of each import that is under way. */
  const underWay: string[] = [];

  function mustFit(caller: string): void {
    const own = caller === '' ? 0 : underWay.filter((each) => each === caller).length;
    if (underWay.length < importsMost && own < importsMost / 2) return;
    const whose = underWay.length < importsMost ? ' of this caller' : '';
    throw new ApiError('RATE_LIMITED', `Too many imports${whose} are under way: nothing was sent`, { headers: { 'Retry-After': '5' } });
  }

  /** Returns the report of a check, or throws a refusal. An import itself is answered in lines while it runs. */
  async function answer({ request, response, input, caller: { name: caller } }: Asked): Promise<Audited> {
    const { flow, check, skipBad, dropUnknown, ratePerS } = orderOf(input);
    const bytes = csvBytes(request);
    const file = await readImport(bytes, { flow, dropUnknown }, intake, config);
    if (isDryRun(request, file.endpoint)) throw wrongHeader('X-Dry-Run', 'is for single leads: check=true only looks');
    const url = callbackUrl(request, file.endpoint, config);
    const report = reportOf(file);
    if (file.isSandbox) response.set(simulated);
    const hasColumns = dropUnknown || report.unknownColumns.length === 0;
    const isRight = hasColumns && report.badRows === 0;
    if (check) return { status: 200, body: { success: true, right: isRight, ...report } };
    if (!isRight && !(hasColumns && skipBad)) throw notRight(report);
    const importId = idOf(caller, idempotencyKey(request));
    return audited(trail, 'import', caller, input, () => send(file, { importId, flow, ratePerS, caller, callbackUrl: url }, response));
  }

  /** With an Idempotency-Key, an import that broke off goes on under the same id. */
  const idOf = (caller: string, key: string | undefined) =>
    `i${key === undefined ? base32(randomBytes(13), 20) : keys.hash('import id', [caller, key].join('\0'), 20)}`;

  async function send(file: ImportFile, sending: Sending, response: Response): Promise<Audited> {
    const { importId, flow, ratePerS } = sending;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    if (response.destroyed) gone.abort();
    const over = AbortSignal.any([gone.signal, stopping]);
    const write = (line: ImportLine) => void (response.destroyed || response.write(`${JSON.stringify(line)}\n`));
    const { bad: _, duplicates: __, unknownColumns: ___, ...counts } = reportOf(file);
    // The headers go out before a stop could set Connection: close, and a kept connection would delay that stop.
    response.status(200).set({ 'Content-Type': 'application/x-ndjson; charset=utf-8', Connection: 'close' });
    write({ kind: 'begin', importId, flow, ...(file.isSandbox && { sandbox: true }), ...counts });
    // Report first the rows that will not be sent.
    for await (const line of yieldToEventLoop(notSent(file))) write(line);

    const waiting = new Set<Promise<void>>();
    let begun = 0;
    let started = 0;
    let closed: ApiError | undefined;
    let nextAt = 0;
    for (const row of file.good) {
      while (waiting.size >= waitingMost) await Promise.race(waiting);
      await pause(Math.max(0, nextAt - Date.now()), undefined, { signal: over }).catch(() => undefined);
      if (over.aborted) break;
      const entered = await enter(row, file, sending, over);
      if ('run' in entered) {
        begun++;
        // The rate counts new leads only: a repeated row costs the upstream nothing.
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
    log.info('import ended', { importId, flow, rows: counts.rows, begun, started, complete });
    return { status: 200, body: {}, outcome: complete ? 'done' : 'incomplete', facts: { importId, flow, ...counts, begun, started } };
  }

  /** Takes a row in. Waits for a while if the intake is full. After any other error nothing was started, unless it is OUTCOME_UNKNOWN. */
  async function enter(
    row: GoodRow,
    { name, endpoint }: ImportFile,
    { importId, caller, callbackUrl: url }: Sending,
    over: AbortSignal,
  ): Promise<Tried> {
    const { input, prepared, binding, goesTo } = row;
    // The key is made from the row's content, so the same row finds its lead again, in any file and on any line.
    const rowKey = `import-${digestOf(keys, { name, given: input.given })}`;
    const until = Date.now() + closedMostMs;
    for (;;) {
      try {
        return {
          run: await intake.accept({
            name,
            endpoint,
            input,
            prepared,
            binding,
            goesTo,
            dryRun: false,
            idempotencyKey: rowKey,
            caller,
            bulk: true,
            importId,
            callbackUrl: url,
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

  async function became({ line }: GoodRow, run: AcceptedRun): Promise<RowLine> {
    const { leadId, replayed, isSandbox } = run;
    const report = await intake.settled(run, config.SYNC_WAIT_MS);
    return { ...told(line, { ...report, leadId }), ...(replayed && { replayed }), ...(isSandbox && { sandbox: true }) };
  }

  return {
    async importLeads(asked) {
      const { name } = asked.caller;
      mustFit(name);
      underWay.push(name);
      try {
        return await answer(asked);
      } finally {
        underWay.splice(underWay.indexOf(name), 1);
      }
    },
  } satisfies Partial<Handlers>;
}

/** How long an intake that is full asks to wait; 0 for any other error. */
const closedForMs = ({ extras }: ApiError): number => Number(extras.headers?.['Retry-After'] ?? 0) * 1000;

interface Sending {
  readonly importId: string;
  readonly flow: string;
  readonly ratePerS: number;
  readonly caller: string;
  readonly callbackUrl?: string;
}

type Tried = { readonly run: AcceptedRun } | { readonly error: ApiError };
