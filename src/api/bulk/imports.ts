/** Imports a file of leads: validates the whole file, then starts each row through the intake like a single request. It stores no file. */
import type { Response } from 'express';
import { setTimeout as pause } from 'node:timers/promises';
import type { Trail } from '../../audit/trail';
import type { Config } from '../../config/config';
import { ApiError, engineAway } from '../../contract/errors';
import type { ImportLine } from '../../contract/imports';
import { digestOf } from '../../intake/identity';
import type { AcceptedRun, Intake } from '../../intake/intake';
import type { KeyRing } from '../../keys/ring';
import { log } from '../../lib/log';
import { yieldToEventLoop } from '../../lib/yield-to-event-loop';
import { isEngineAway } from '../../temporal/ask';
import { sandboxHeader } from '../answer';
import { withAudit, type AuditedAnswer } from '../audited';
import type { HandlerContext, Handlers } from '../handler';
import { callbackUrl, csvBytes, idempotencyKey, isDryRun, invalidHeader } from '../request';
import { orderIdOf } from './order-runs';
import { readImport, reportOf, type GoodRow, type ImportFile } from './import-file';
import { fileError, skippedLines, readOrder, leadLine, errorLine, type RowLine } from './import-answers';

interface Needs {
  readonly config: Config;
  readonly keys: KeyRing;
  readonly intake: Intake;
  readonly trail: Trail;
  /** Aborted when the service stops. Then no further rows are started. */
  readonly stopping: AbortSignal;
}

/** The maximum number of concurrent imports, because each keeps its file in memory. One caller can have half of them. */
const importsMost = 8;
/** The maximum number of rows in progress. Each waits as long as a single request; then its line reports its state. */
const waitingMost = 150;
/** How long a row waits while the intake is at capacity. */
const longestRetryMs = 30_000;

export function importHandlers({ config, keys, intake, trail, stopping }: Needs) {
  /** The caller of each import in progress. */
  const inProgress: string[] = [];

  function checkCapacity(caller: string): void {
    const own = caller === '' ? 0 : inProgress.filter((each) => each === caller).length;
    if (inProgress.length < importsMost && own < importsMost / 2) return;
    const whose = inProgress.length < importsMost ? ' of this caller' : '';
    throw new ApiError('RATE_LIMITED', `Too many imports${whose} are in progress: nothing was sent`, { headers: { 'Retry-After': '5' } });
  }

  /** Returns the report of a check, or streams the lines of an import while it runs. */
  async function answer({ request, response, input, caller: { name: caller }, requester }: HandlerContext): Promise<AuditedAnswer> {
    const { flow, check, skipBad, dropUnknown, ratePerS } = readOrder(input);
    const bytes = csvBytes(request);
    const file = await readImport(bytes, { flow, dropUnknown }, intake, config);
    if (isDryRun(request, file.endpoint))
      throw invalidHeader('X-Dry-Run', 'applies only to single leads: use check=true to validate a file');
    const url = callbackUrl(request, file.endpoint, config);
    const report = reportOf(file);
    if (file.isSandbox) response.set(sandboxHeader);
    const hasColumns = dropUnknown || report.unknownColumns.length === 0;
    const isRight = hasColumns && report.badRows === 0;
    if (check) return { status: 200, body: { success: true, right: isRight, ...report } };
    if (!isRight && !(hasColumns && skipBad)) throw fileError(report);
    // With an Idempotency-Key, a repeat of an interrupted import continues under the same id.
    const importId = orderIdOf(keys, { letter: 'i', name: 'import' }, caller, idempotencyKey(request));
    return withAudit(trail, 'import', requester, input, () => send(file, { importId, flow, ratePerS, caller, callbackUrl: url }, response));
  }

  async function send(file: ImportFile, sending: SendOptions, response: Response): Promise<AuditedAnswer> {
    const { importId, flow, ratePerS } = sending;
    const disconnected = new AbortController();
    response.once('close', () => disconnected.abort());
    if (response.destroyed) disconnected.abort();
    const cancelled = AbortSignal.any([disconnected.signal, stopping]);
    const write = (line: ImportLine) => void (response.destroyed || response.write(`${JSON.stringify(line)}\n`));
    const { bad: _, duplicates: __, unknownColumns: ___, ...counts } = reportOf(file);
    // Close the connection after the answer. A stop cannot set this header later, and an open connection would delay it.
    response.status(200).set({ 'Content-Type': 'application/x-ndjson; charset=utf-8', Connection: 'close' });
    write({ kind: 'begin', importId, flow, ...(file.isSandbox && { sandbox: true }), ...counts });
    // Report the rows that will not be sent first.
    for await (const line of yieldToEventLoop(skippedLines(file))) write(line);

    const waiting = new Set<Promise<void>>();
    let begun = 0;
    let started = 0;
    let refusal: ApiError | undefined;
    let nextAt = 0;
    for (const row of file.good) {
      while (waiting.size >= waitingMost) await Promise.race(waiting);
      await pause(Math.max(0, nextAt - Date.now()), undefined, { signal: cancelled }).catch(() => undefined);
      if (cancelled.aborted) break;
      const entered = await enter(row, file, sending, cancelled);
      if ('run' in entered) {
        begun++;
        // The rate limits new leads only, because a repeated row causes no request to the upstream.
        if (entered.run.isNew) nextAt = Date.now() + 1000 / ratePerS;
        if (entered.run.isNew) started++;
        const end = resultLine(row, entered.run)
          .then(write)
          .finally(() => waiting.delete(end));
        waiting.add(end);
      } else {
        write(errorLine(row.line, entered.error));
        if (!retryAfterMs(entered.error)) continue;
        refusal = entered.error;
        break;
      }
    }
    await Promise.all(waiting);
    const complete = begun === file.good.length;
    const message = complete
      ? undefined
      : (refusal?.message ?? (stopping.aborted ? 'The service is stopping' : 'Not every row was accepted'));
    write({ kind: 'end', complete, begun, started, message });
    log.info('import ended', { importId, flow, rows: counts.rows, begun, started, complete });
    return { status: 200, body: {}, outcome: complete ? 'done' : 'incomplete', facts: { importId, flow, ...counts, begun, started } };
  }

  /** Starts a row. Waits and retries if the intake is at capacity. After any other error but OUTCOME_UNKNOWN, nothing was started. */
  async function enter(
    row: GoodRow,
    { name, endpoint }: ImportFile,
    { importId, caller, callbackUrl: url }: SendOptions,
    over: AbortSignal,
  ): Promise<EntryResult> {
    const { input, prepared, binding, goesTo } = row;
    // The key is derived from the content of the row, so the same row attaches to its lead, in any file and on any line.
    const rowKey = `import-${digestOf(keys, { name, given: input.given })}`;
    const until = Date.now() + longestRetryMs;
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
        const retryMs = retryAfterMs(error);
        if (!retryMs || Date.now() + retryMs > until || over.aborted) return { error };
        await pause(retryMs, undefined, { signal: over }).catch(() => undefined);
      }
    }
  }

  async function resultLine({ line }: GoodRow, run: AcceptedRun): Promise<RowLine> {
    const { leadId, replayed, isSandbox } = run;
    const report = await intake.settled(run, config.SYNC_WAIT_MS);
    return { ...leadLine(line, { ...report, leadId }), ...(replayed && { replayed }), ...(isSandbox && { sandbox: true }) };
  }

  return {
    async importLeads(context) {
      const { name } = context.caller;
      checkCapacity(name);
      inProgress.push(name);
      try {
        return await answer(context);
      } finally {
        inProgress.splice(inProgress.indexOf(name), 1);
      }
    },
  } satisfies Partial<Handlers>;
}

/** Returns how long to wait for the intake; 0 for any other error. */
const retryAfterMs = ({ extras }: ApiError): number => Number(extras.headers?.['Retry-After'] ?? 0) * 1000;

interface SendOptions {
  readonly importId: string;
  readonly flow: string;
  readonly ratePerS: number;
  readonly caller: string;
  readonly callbackUrl?: string;
}

type EntryResult = { readonly run: AcceptedRun } | { readonly error: ApiError };
