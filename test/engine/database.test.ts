/** The engine's database: new, with its namespace, and after an erasure. */
import { Client, Connection } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import initSqlite from 'sql.js';
import { prepareNamespace, type EngineConnection } from '../../src/temporal/namespace';
import { prepareDatabase } from '../../src/engine/new-database';
import { startEngine } from '../../src/engine/start';
import { stuckRuns } from '../../src/leads/lead-queries';
import { listRuns } from '../../src/leads/search';
import { countStuckRuns } from '../../src/leads/stuck-runs';
import { attributes, searchAttributes } from '../../src/temporal/engine';
import { testEngine } from '../support/engine';
import { engineProgram, soonStuck } from '../support/engine-program';
import { newLead, startGateway } from '../support/gateway';
import { logged } from '../support/logged';
import { ownNamespace } from '../support/namespace';
import { loseTasks, startTimingOut } from '../support/stuck-runs';
import { until } from '../support/until';

describe('a new database', () => {
  const { executable } = testEngine();
  const env = { PATH: process.env.PATH };
  let dir: string;
  let file: string;
  let cache: { readonly cacheDir: string };

  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'leadgate-database-'));
    cache = { cacheDir: join(dir, 'cache') };
  });
  beforeEach(() => (file = join(dir, 'engine.db')));
  afterEach(() => rmSync(file, { force: true }));
  afterAll(() => rmSync(dir, { recursive: true }));

  const give = (program = executable) => prepareDatabase(file, program, env, cache);

  async function read(sql: string): Promise<string[]> {
    const { Database } = await initSqlite();
    const database = new Database(readFileSync(file));
    try {
      return (database.exec(sql)[0]?.values ?? []).flat().map(String);
    } finally {
      database.close();
    }
  }

  const indexes = "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'executions_visibility'";

  it('has an index for each attribute that is searched, and no other', async () => {
    await give();
    const keywords = Object.values(attributes).filter(({ type }) => type === 'KEYWORD');
    const others = [
      'by_execution_time',
      'by_status',
      'by_workflow_id',
      'by_workflow_type',
      'default_idx',
      'sqlite_autoindex_executions_visibility_1',
    ];
    expect((await read(`${indexes} AND name NOT LIKE 'by_keyword_%' ORDER BY name`)).toSorted()).toEqual(others.toSorted());
    expect((await read(`${indexes} AND name LIKE 'by_keyword_%'`)).length).toBeGreaterThanOrEqual(keywords.length);
    expect(await read('PRAGMA integrity_check')).toEqual(['ok']);
  });

  it('rewrites the word index only after a change of a text', async () => {
    await give();
    const [trigger] = await read("SELECT sql FROM sqlite_schema WHERE name = 'executions_visibility_au'");
    const [before = '', after = ''] = trigger?.split('BEGIN') ?? [];
    const watched = [...after.matchAll(/OLD\.(\w+)/g)].flatMap(([, column]) => (column === 'rowid' ? [] : [column]));
    expect(watched).toContain('KeywordList01');
    for (const column of watched) expect(before).toContain(`NEW.${column}`);
  });

  it('is made once per version of the engine, and leaves nothing else in the cache', async () => {
    await give();
    const [made] = readdirSync(cache.cacheDir);
    const before = readFileSync(file);
    rmSync(file);
    await give();
    expect(readdirSync(cache.cacheDir)).toEqual([made]);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(dir).filter((name) => name.startsWith('engine'))).toEqual(['engine.db']);
  });

  it('finds open and closed runs by their text and terms', async () => {
    const directory = mkdtempSync(join(dir, 'data-'));
    const config = { TEMPORAL_PORT: 0, TEMPORAL_UI_PORT: 0, LEADGATE_DATA_DIR: directory };
    const engine = await startEngine(config, { executable });
    await ownNamespace('words', engine.address);
    const connection = await Connection.connect({ address: engine.address });
    const client = new Client({ connection, namespace: 'words' });
    const found = async (query: string) => (await client.workflow.count(query)).count;
    const { emails, state } = attributes;
    const run = await client.workflow.start('any', {
      ...{ workflowId: 'run', taskQueue: 'none' },
      typedSearchAttributes: [
        { key: emails, value: ['one', 'two'] },
        { key: state, value: 'running' },
      ],
    });
    for (const status of ['Running', 'Terminated']) {
      const is = `ExecutionStatus = '${status}' AND LeadState = 'running'`;
      for (const word of ['one', 'two'])
        await until(async () => (await found(`LeadEmails = '${word}' AND ${is}`)) === 1, `${word} is found`);
      expect(await found(`LeadEmails = 'three' AND ${is}`)).toBe(0);
      if (status === 'Running') await run.terminate();
    }
    await connection.close();
    await engine.stop();
  });

  it('finds a run that is stuck because its tasks time out', async () => {
    const directory = mkdtempSync(join(dir, 'data-'));
    const config = { TEMPORAL_PORT: 0, TEMPORAL_UI_PORT: 0, LEADGATE_DATA_DIR: directory };
    const engine = await startEngine(config, { executable: engineProgram(executable, join(dir, 'temporal'), soonStuck) });
    await ownNamespace('stuck', engine.address);
    const connection = await Connection.connect({ address: engine.address });
    const client = new Client({ connection, namespace: 'stuck' });
    const { workflowId } = await startTimingOut(client, 'any');
    const stopLosing = loseTasks(client, 'any');
    await until(async () => (await countStuckRuns(client, 'any')) === 1, 'it is counted');
    expect((await listRuns(client, stuckRuns('any'))).map((run) => run.workflowId)).toEqual([workflowId]);
    await stopLosing();
    await connection.close();
    await engine.stop();
  });

  it('does not change an existing database', async () => {
    writeFileSync(file, 'a database');
    await give();
    expect(readFileSync(file, 'utf8')).toBe('a database');
  });

  it('warns and lets the engine make its own database if ours cannot be made', async () => {
    logged.length = 0;
    // Node has a version, but is no engine.
    await give(process.execPath);
    expect(existsSync(file)).toBe(false);
    expect(logged.join()).toContain('each lead costs more writes');
  });
});

describe('a namespace', () => {
  let connection: Connection;
  beforeAll(async () => (connection = await Connection.connect({ address: testEngine().address })));
  afterAll(() => connection.close());

  const wanted = (retentionH = 48) => ({
    namespace: `n-${randomUUID()}`,
    retentionH,
    searchAttributes: { Colour: 'Keyword', Made: 'Datetime' } as const,
  });

  async function retentionOf(namespace: string): Promise<number> {
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    return Number(config?.workflowExecutionRetentionTtl?.seconds) / 3600;
  }

  it('is usable at once, search attributes included', async () => {
    const settings = wanted();
    await prepareNamespace(connection, settings);
    const client = new Client({ connection, namespace: settings.namespace });
    const typedSearchAttributes = [{ key: defineSearchAttributeKey('Colour', 'KEYWORD'), value: 'red' }];
    await client.workflow.start('any', { workflowId: 'one', taskQueue: 'none', typedSearchAttributes });
    expect(await retentionOf(settings.namespace)).toBe(48);
  });

  it('changes nothing the second time, and adds what is new', async () => {
    const settings = wanted();
    await prepareNamespace(connection, settings);
    await prepareNamespace(connection, settings);
    await prepareNamespace(connection, { ...settings, searchAttributes: { ...settings.searchAttributes, Shape: 'Keyword' } });
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: settings.namespace });
    expect(Object.keys(customAttributes).sort()).toEqual(['Colour', 'Made', 'Shape']);
  });

  it('follows the retention setting up and down', async () => {
    const settings = wanted();
    for (const retentionH of [48, 168, 24]) {
      await prepareNamespace(connection, { ...settings, retentionH });
      expect(await retentionOf(settings.namespace)).toBe(retentionH);
    }
  });

  it('can be done by several processes at once', async () => {
    const settings = wanted();
    await Promise.all(Array.from({ length: 4 }, () => prepareNamespace(connection, settings)));
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: settings.namespace });
    expect(Object.keys(customAttributes).sort()).toEqual(['Colour', 'Made']);
  });

  it('says what to create by hand without the permission', async () => {
    const refused = () => Promise.reject(Object.assign(new Error('operator service unavailable'), { code: 12 }));
    const cloud = { workflowService: connection.workflowService, operatorService: { listSearchAttributes: refused } };
    const settings = wanted();
    await expect(prepareNamespace(cloud as unknown as EngineConnection, settings)).rejects.toThrow(
      /by hand, with these search attributes:\s+Colour {2}Keyword/,
    );
  });

  it('refuses a search attribute of another type', async () => {
    const settings = wanted();
    await prepareNamespace(connection, settings);
    const changed = { ...settings, searchAttributes: { Made: 'Keyword', Shape: 'Keyword' } as const };
    await expect(prepareNamespace(connection, changed)).rejects.toThrow('Made Keyword');
  });
});

describe('after an erasure', () => {
  it('the engine’s database holds no ciphertext of an erased person once its log was overwritten', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'leadgate-erased-'));
    const settings = { TEMPORAL_PORT: 0, TEMPORAL_UI_PORT: 0, LEADGATE_DATA_DIR: dir };
    const engine = await startEngine(settings, { executable: testEngine().executable });
    const connection = await Connection.connect({ address: engine.address });
    await prepareNamespace(connection, { namespace: 'erased', retentionH: 24, searchAttributes });
    await connection.close();
    const gateway = await startGateway({ settings: { TEMPORAL_ADDRESS: engine.address, TEMPORAL_NAMESPACE: 'erased' } });
    /** The names of the files that hold these bytes. */
    const holding = (bytes: Buffer) =>
      readdirSync(dir)
        .filter((name) => name.startsWith('engine.db') && readFileSync(join(dir, name)).includes(bytes))
        .map((name) => name.replace('engine', ''));
    try {
      const person = newLead();
      const { headers } = await gateway.post('/api/clinicsys/no-prescreen', person);
      const workflowId = headers.get('x-workflow-id') ?? '';
      const history = await gateway.client.workflow.getHandle(workflowId).fetchHistory();
      const input = history.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data ?? new Uint8Array();
      const ciphertext = Buffer.from(input).subarray(0, 32);
      expect(ciphertext).toHaveLength(32);
      expect(holding(ciphertext)).not.toEqual([]);
      expect((await gateway.post('/api/erase', { email: person.email, reason: 'asked' })).body.leads).toBe(1);
      // The log beside the file goes round: other runs write over it, here large ones that nobody carries.
      await until(async () => {
        await gateway.client.workflow.start('any', { workflowId: randomUUID(), taskQueue: 'none', args: [randomBytes(400_000)] });
        return holding(ciphertext).length === 0;
      }, 'the ciphertext is written over');
    } finally {
      await gateway.stop();
      await engine.stop();
      rmSync(dir, { recursive: true });
    }
  });
});
