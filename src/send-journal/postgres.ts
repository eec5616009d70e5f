/** The send journal of several machines, in a Postgres. Its tables are in the first schema of the connection's search path. */
import { randomBytes } from 'node:crypto';
import { DatabaseError, Pool, type ClientBase, type QueryResultRow } from 'pg';
import { ConfigError } from '../config/config';
import type { Send } from '../domain/sends';
import type { KeyRing } from '../keys/ring';
import { codeOf } from '../lib/errors';
import { log } from '../lib/log';
import { createSeal } from '../temporal/codec';
import type { OpenJournal } from './journal';

const connections = 8;
/** We give up before the server does: a statement that it cancels by itself may have taken effect. */
const answerMs = 2_000;
const statementMs = 5_000;
/** Younger entries, and entries that were checked recently, are probably still needed. */
const clearedAfterMs = 120_000;
const clearedAtOnce = 500;
/** Longer than a workflow task can outlive its run. */
const stoppedForMs = 3_600_000;
/** Longer than a workflow task goes on after one of its writes failed. */
const failureKnownForMs = 120_000;

const undefinedTable = '42P01';

/**
 * Makes the tables; processes that start together wait for each other. The id is made once: a journal that was lost and begun again gets
 * another id.
 */
const tables = `
  select pg_advisory_xact_lock(hashtext('leadgate_journal'));
  create table if not exists leadgate_journal (id text primary key);
  create table if not exists leadgate_sends (
    run_id text,
    workflow_id text not null,
    place text,
    length int not null,
    sealed bytea,
    at timestamptz not null default now(),
    primary key (run_id, place)
  );
  create table if not exists leadgate_stopped (run_id text primary key, at timestamptz not null default now());`;

/**
 * Each statement checks the journal's id, because the tables may have been lost and made again meanwhile. In that case it returns no row.
 */
const found = {
  name: 'leadgate find',
  text: `select sends.place, sends.sealed from leadgate_journal
    left join leadgate_sends sends on sends.run_id = $2 and sends.place = $3 where id = $1`,
};
const begun = {
  name: 'leadgate begin',
  text: `with noted as (
      insert into leadgate_sends (run_id, workflow_id, place, length)
      select $2, $3, $4, $5::int from leadgate_journal
      where id = $1 and not exists (select from leadgate_stopped where run_id = $2) on conflict do nothing returning place
    ) select exists (select from noted) as "isOurs" from leadgate_journal where id = $1`,
};
const ended = {
  name: 'leadgate end',
  text: `insert into leadgate_sends as sends (run_id, workflow_id, place, length, sealed)
    select $2, $3, $4, $5::int, $6::bytea from leadgate_journal
    where id = $1 and (not exists (select from leadgate_stopped where run_id = $2)
      or exists (select from leadgate_sends where run_id = $2 and place = $4))
    on conflict (run_id, place) do update set sealed = excluded.sealed where sends.sealed is null`,
};

/** Takes old entries and renews their time, so that neither another process nor this one checks them again soon. */
const taken = `update leadgate_sends set at = $1 where (run_id, place) in (
    select run_id, place from leadgate_sends where at < $2 order by at limit ${clearedAtOnce} for update skip locked
  ) returning run_id as "runId", workflow_id as "workflowId", place, length`;
const removed = `delete from leadgate_sends sends using unnest($1::text[], $2::text[]) as committed (run_id, place)
  where sends.run_id = committed.run_id and sends.place = committed.place`;

const stopped = `insert into leadgate_stopped (run_id) select unnest($1::text[]) on conflict do nothing`;
const wasStopped = 'select run_id from leadgate_stopped where run_id = $1';
/** Waits until every beginning that has not seen the stop is committed and can be seen. */
const allBegun = 'begin; lock table leadgate_sends in share mode; commit';
const underWay = `select distinct run_id as "runId" from leadgate_sends where run_id = any($1) and sealed is null`;

const begunAnew = () => new Error('The journal was begun anew');

export async function openPostgres(url: string, keys: KeyRing): Promise<OpenJournal> {
  const { seal, unseal } = createSeal(keys);
  const pool = createPool(url);
  const id = await journalId(pool);
  const writes = new Map<string, Promise<void>>();

  const ask = async <Row extends QueryResultRow>(statement: { name: string; text: string }, values: readonly unknown[]) =>
    pool.query<Row>({ ...statement, values: [id, ...values] });

  /**
   * Writes the notes of one run in order. After a failed write nothing more is written: a send must not be noted without the read before
   * it.
   */
  function inTurn(runId: string, write: () => Promise<void>): Promise<void> {
    const next = (writes.get(runId) ?? Promise.resolve()).then(write);
    const drop = () => {
      if (writes.get(runId) === next) writes.delete(runId);
    };
    writes.set(runId, next);
    next.then(drop, () => void setTimeout(drop, failureKnownForMs).unref());
    return next;
  }

  return {
    id,
    async find(runId, place) {
      const { rows } = await ask<{ place: string | null; sealed: Buffer | null }>(found, [runId, place]);
      const [row] = rows;
      if (!row) throw begunAnew();
      if (row.place === null) return undefined;
      // If the key is gone, the result cannot be read, so the outcome is unknown.
      return row.sealed ? unseal(row.sealed).catch(() => 'begun' as const) : 'begun';
    },
    async begin({ runId, workflowId, place, length }) {
      let isOurs = false;
      await inTurn(runId, async () => {
        const { rows } = await ask<{ isOurs: boolean }>(begun, [runId, workflowId, place, length]);
        const [row] = rows;
        if (!row) throw begunAnew();
        isOurs = row.isOurs;
      });
      return isOurs;
    },
    end: ({ runId, workflowId, place, length }, told) =>
      inTurn(runId, async () => void (await ask(ended, [runId, workflowId, place, length, await seal(told)]))),
    async isStopped(runId) {
      const { rowCount } = await pool.query(wasStopped, [runId]);
      return rowCount === 1;
    },
    async stop(runs) {
      await pool.query(stopped, [runs.map(({ runId }) => runId)]);
      await pool.query(allBegun);
    },
    async underWay(runIds) {
      const { rows } = await pool.query<{ runId: string }>(underWay, [runIds]);
      return new Set(rows.map(({ runId }) => runId));
    },
    async clear(committed, now = Date.now()) {
      await pool.query('delete from leadgate_stopped where at < $1', [new Date(now - stoppedForMs)]);
      for (let asked = clearedAtOnce; asked === clearedAtOnce;) {
        const { rows } = await pool.query<Send>(taken, [new Date(now), new Date(now - clearedAfterMs)]);
        const known = await committed(rows);
        const done = rows.filter(({ runId }) => known.has(runId));
        await pool.query(removed, [done.map(({ runId }) => runId), done.map(({ place }) => place)]);
        asked = rows.length;
      }
    },
    async forget(runIds) {
      await pool.query('delete from leadgate_sends where run_id = any($1)', [[...runIds]]);
    },
    async close() {
      await Promise.allSettled(writes.values());
      await pool.end();
    },
  };
}

/** A commit is on the disk when the server answers, whatever the database's default is. */
const durable = (client: ClientBase): unknown => client.query('set synchronous_commit = on');

function createPool(url: string): Pool {
  const pool = new Pool({
    connectionString: url,
    application_name: 'leadgate',
    max: connections,
    keepAlive: true,
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
    statement_timeout: statementMs,
    onConnect: durable,
  });
  // An idle connection was lost; the pool makes a new one when it is needed.
  pool.on('error', (error) => log.warn('the send journal lost a database connection', { reason: codeOf(error) }));
  return pool;
}

/** The error names only the code: messages of such errors quote parts of the URL. */
const unusable = (error: unknown) => new ConfigError(`SEND_JOURNAL: its database cannot be used (${codeOf(error) ?? 'no answer'})`);

/** Only checks whether the journal exists; false if no worker has made one yet. */
export async function isMade(url: string): Promise<boolean> {
  const pool = createPool(url);
  try {
    const { rowCount } = await pool.query('select id from leadgate_journal');
    return rowCount === 1;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === undefinedTable) return false;
    throw unusable(error);
  } finally {
    await pool.end();
  }
}

async function journalId(pool: Pool): Promise<string> {
  try {
    const mine = randomBytes(12).toString('hex');
    const made = `insert into leadgate_journal select '${mine}' where not exists (select from leadgate_journal)`;
    await pool.query(`${tables} ${made}`);
    const { rows } = await pool.query<{ id: string }>('select id from leadgate_journal');
    return rows[0]?.id ?? '';
  } catch (error) {
    await pool.end();
    throw unusable(error);
  }
}
