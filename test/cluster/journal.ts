/** Checks the send journal in a Postgres: what every journal must do, and what concerns a database only. */
import { ok, rejects, strictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { parseConfig } from '../../src/config/config';
import { messageOf } from '../../src/lib/errors';
import type { OpenJournal } from '../../src/send-journal/journal';
import { openJournal } from '../../src/send-journal/open';
import type { Stage } from '../faults/stage';
import { contract, journalKeys, type NewPlace, type Place } from '../send-journal/contract';
import { found, judge, underLoad, type Found } from './check';
import type { Cluster } from './open';

/** A schema of its own, as somebody else sees it. */
interface Schema extends Place {
  sql(text: string): Promise<Record<string, unknown>[]>;
}

const soonMs = 4_500;
const send = { runId: 'a-run', workflowId: 'a-lead', place: 'sendToRt:1', length: 3 };
const told = { answer: 1 };

const rules: Readonly<Record<string, (place: Schema, journal: OpenJournal) => Promise<void>>> = {
  async 'lets one alone begin a send'(place, journal) {
    const other = await place.open();
    const areOurs = await Promise.all([journal, other, journal, other].map((one) => one.begin(send)));
    strictEqual(areOurs.filter(Boolean).length, 1);
    await other.close();
  },

  async 'believes the first who says how it ended'(_place, journal) {
    await journal.end(send, told);
    await journal.end(send, { answer: 2 });
    strictEqual(JSON.stringify(await journal.find(send.runId, send.place)), JSON.stringify(told));
  },

  async 'is no journal any more for whoever had it before it was lost'(place, journal) {
    await place.sql('delete from leadgate_journal');
    const anew = await place.open();
    ok(anew.id !== journal.id);
    await rejects(journal.find(send.runId, send.place));
    await rejects(journal.begin(send));
    strictEqual(await anew.find(send.runId, send.place), undefined);
    await anew.close();
  },

  async 'begins nothing of a run after something that could not be noted'(place, journal) {
    await place.sql('alter table leadgate_sends rename to away');
    await rejects(journal.end({ ...send, place: 'checkEmail:1' }, told));
    await place.sql('alter table away rename to leadgate_sends');
    await rejects(journal.begin(send));
    await journal.begin({ ...send, runId: 'another' });
  },

  async 'outlives its connections'(place, journal) {
    await place.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'leadgate' and datname = 'leadgate'");
    await journal.find(send.runId, send.place).catch(() => undefined);
    await journal.begin(send);
  },

  async 'fails soon where the database does not answer'(place, journal) {
    await place.sql('begin; lock table leadgate_sends');
    const from = Date.now();
    await Promise.all([rejects(journal.begin(send)), rejects(journal.find(send.runId, send.place))]);
    ok(Date.now() - from < soonMs, `after ${Date.now() - from} ms`);
    await place.sql('rollback');
  },
};

/** As the journal's own user. */
async function connected({ SEND_JOURNAL: place = '', SEND_JOURNAL_PASSWORD_FILE: file = '' }: NodeJS.ProcessEnv): Promise<Client> {
  const url = new URL(place);
  url.searchParams.set('password', readFileSync(file, 'utf8'));
  const client = new Client({ connectionString: url.href });
  await client.connect();
  return client;
}

/** While nothing can be noted, nor read, nothing goes out on a guess. */
export async function journalAway(stage: Stage): Promise<Found> {
  const client = await connected(stage.env);
  try {
    const told = await underLoad(stage, { perS: 5, least: 50 }, async () => {
      for (let times = 0; times < 2; times++) {
        await pause(2_000);
        await client.query('alter table leadgate_sends rename to away');
        await pause(2_000);
        await client.query('alter table away rename to leadgate_sends');
      }
    });
    return found('journal away', told, await judge(stage, told));
  } finally {
    await client.end();
  }
}

export async function journal({ temporal: { settings } }: Cluster): Promise<Found> {
  const client = await connected(settings);
  const sql: Schema['sql'] = async (text) => (await client.query<Record<string, unknown>>(text)).rows;
  let schemas = 0;
  const newSchema = async (): Promise<Schema> => {
    const schema = `place${++schemas}`;
    await sql(`create schema ${schema}; set search_path = ${schema}`);
    const config = parseConfig({ ...settings, SEND_JOURNAL: `${settings.SEND_JOURNAL}?options=-csearch_path%3D${schema}` });
    return {
      async open() {
        const opened = await openJournal(config, journalKeys);
        if (!opened) throw new Error('there is no journal');
        return opened;
      },
      async raw() {
        const rows = await sql(`select * from ${schema}.leadgate_sends`);
        return Buffer.concat(
          rows.flatMap(Object.values).map((value: unknown) => (Buffer.isBuffer(value) ? value : Buffer.from(String(value)))),
        );
      },
      sql,
    };
  };
  const problems: string[] = [];
  const check = (name: string, holds: Promise<void>) => holds.catch((error: unknown) => void problems.push(`${name}: ${messageOf(error)}`));
  try {
    for (const { name, holds } of contract) await check(name, holds(newSchema satisfies NewPlace));
    for (const [name, holds] of Object.entries(rules)) {
      const place = await newSchema();
      const opened = await place.open();
      await check(name, holds(place, opened));
      await opened.close();
    }
  } finally {
    await client.end();
  }
  return { line: `${contract.length + Object.keys(rules).length} rules of the send journal`, problems };
}
