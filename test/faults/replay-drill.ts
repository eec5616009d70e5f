/**
 * `npm run drill -- replay [--leads 2000] [--seed n]`: sends leads while workers are killed, frozen and stopped, upstreams fail, and
 * operators try, resend and watch leads at random. Then it replays every run of the engine against the workflows of this build.
 */
import { Client } from '@temporalio/client';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parseConfig, projectDir } from '../../src/config/config';
import { isObject } from '../../src/domain/formats';
import { parseKeyRing } from '../../src/keys/ring';
import { replayRuns, type StoredRun } from '../../tools/replay/replay';
import { installRuntime } from '../../src/runtime/process';
import { connect, dataConverter } from '../../src/temporal/engine';
import { freeze, kill, shut, taskLostMs, terminate } from './actions';
import { randomOf } from './random';
import { withStage } from './run';
import { soak } from './soak';
import type { Stage } from './stage';

const { values } = parseArgs({
  options: { leads: { type: 'string', default: '2000' }, seed: { type: 'string', default: String(Date.now() % 1_000_000) } },
});
const say = (line: string) => void process.stdout.write(`${line}\n`);

const acts = [
  ['kill-worker', kill('worker')],
  ['freeze-worker', freeze('worker', taskLostMs)],
  ['freeze-worker shortly', freeze('worker', 2_000)],
  ['stop-worker', terminate('worker')],
  ['upstream down', shut(4_000)],
] as const;
const loadMostMs = 30 * 60_000;
const betweenMs = 50;

/** Acts as operators on waiting and parked leads, until `over`. */
async function actAsOperators({ url }: Stage, over: AbortSignal): Promise<Record<string, number>> {
  const random = randomOf(values.seed, 'people');
  const done: Record<string, number> = {};
  const reason = 'drill';
  while (!over.aborted) {
    await pause(betweenMs);
    const state = random.pick(['waiting', 'parked', 'verifying']);
    // The API may be down.
    const listed: unknown = await fetch(`${url}/api/leads?state=${state}&limit=20`).then(
      (answer) => answer.json(),
      () => undefined,
    );
    const leads = isObject(listed) && Array.isArray(listed.leads) ? listed.leads.filter(isObject) : [];
    if (leads.length === 0) continue;
    const path = `${url}/api/leads/${String(random.pick(leads).leadId)}`;
    const verb = random.chance(0.3) ? 'watch' : state === 'parked' ? 'resend' : 'try';
    const order = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ reason }) };
    const request = verb === 'watch' ? fetch(`${path}?wait=1`) : fetch(`${path}/${verb}`, order);
    const status = await request.then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) done[verb] = (done[verb] ?? 0) + 1;
  }
  return done;
}

async function* runsOf(client: Client): AsyncGenerator<StoredRun> {
  for await (const { workflowId, runId } of client.workflow.list())
    yield { workflowId, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() };
}

async function main(): Promise<boolean> {
  installRuntime();
  let isRight = false;
  await withStage({}, async (stage) => {
    const over = new AbortController();
    const people = actAsOperators(stage, over.signal);
    const { notes } = await soak(stage, { seed: values.seed, leads: Number(values.leads), acts, loadMostMs, say });
    over.abort();
    notes.forEach(say);
    say(`operator actions: ${JSON.stringify(await people)}`);
    const { connection, namespace } = await connect(parseConfig(stage.env));
    const converter = dataConverter(parseKeyRing(stage.env.LEADGATE_KEYS ?? ''));
    const client = new Client({ connection, namespace, dataConverter: converter });
    let [runs, same] = [0, 0];
    for await (const verdict of replayRuns(runsOf(client), { bundlePath: join(projectDir, 'dist/replay-bundle.js'), converter })) {
      runs++;
      if (verdict.same) same++;
      else say(`${verdict.workflowId}: ${verdict.reason}`);
    }
    await connection.close();
    say(`${runs} runs, ${same} replay (seed ${values.seed})`);
    isRight = runs > 0 && same === runs;
  });
  return isRight;
}

main().then(
  (isRight) => process.exit(isRight ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
