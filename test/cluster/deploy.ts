/** Deploys a changed workflow while leads are open, rolls it back, and deploys it again, as in docs/scale.md. */
import { Client, Connection } from '@temporalio/client';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { projectDir } from '../../src/config/config';
import { endpoints } from '../../src/contract';
import { workflowIdOf } from '../../src/domain/ids';
import { alteredDist } from '../cli/altered';
import { sendUntilAnswered } from '../faults/caller';
import { newLead } from '../faults/lead';
import type { SentLead } from '../faults/oracle';
import { withStage } from '../faults/run';
import type { Stage, StageOptions } from '../faults/stage';
import { until } from '../support/until';
import { summarize, judge, type CheckResult } from './check';

const words = { from: 'This is what would be sent. Nothing was sent', to: 'The second build would send this' };
const incompatible = { from: 'await formatData(context, checked)', to: '{}' };

interface CommandOutput {
  readonly status: number;
  readonly out: string;
}

/** A separate task queue, because a queue with a current build excludes unversioned workers. */
const own = { TASK_QUEUE: 'deploy-drill' };

/** Runs the command line in its own process, as an operator does. */
const leadgate = ({ env }: Stage, ...args: string[]): Promise<CommandOutput> =>
  new Promise((done) => {
    const child = execFile(
      process.execPath,
      [join(projectDir, 'dist/tools/cli/main.js'), ...args],
      { env: { ...env, ...own } },
      (_error, out, err) => done({ status: child.exitCode ?? -1, out: `${out}${err}` }),
    );
  });

async function clientOf({ env }: Stage): Promise<Client> {
  const address = env.TEMPORAL_ADDRESS || `127.0.0.1:${env.TEMPORAL_PORT}`;
  return new Client({ connection: await Connection.connect({ address }), namespace: env.TEMPORAL_NAMESPACE || 'leadgate' });
}

async function drill(stage: Stage, problems: string[], notes: string[]): Promise<SentLead[]> {
  const client = await clientOf(stage);
  const sentLeads: SentLead[] = [];
  const expect = (isTrue: boolean, what: string) => void (isTrue || problems.push(what));

  const run = async (status: number, ...args: string[]) => {
    const answer = await leadgate(stage, ...args);
    expect(answer.status === status, `leadgate ${args.join(' ')} ended with ${answer.status}: ${answer.out}`);
    return answer.out.trim();
  };
  /** Retries, because a new build is registered a moment after its worker is ready. */
  const makeCurrent = (build: string) =>
    until(async () => (await leadgate(stage, 'deploy', 'current', build)).status === 0, `${build} is current`);
  const { namespace } = client.options;
  const buildOf = (leadId: string) => buildOfRun(workflowIdOf(leadId));
  const buildOfRun = async (workflowId: string): Promise<string | undefined> => {
    const request = { namespace, execution: { workflowId } };
    const { workflowExecutionInfo } = await client.workflowService.describeWorkflowExecution(request);
    const { versioningInfo } = workflowExecutionInfo ?? {};
    return versioningInfo?.versioningOverride?.pinned?.version?.buildId ?? versioningInfo?.deploymentVersion?.buildId ?? undefined;
  };
  /** The build of the hold of the slow leads' upstream; undefined if no lead waits. */
  const buildOfLine = async () => {
    const query = `WorkflowType = 'hold' AND TaskQueue = '${own.TASK_QUEUE}' AND ExecutionStatus = 'Running'`;
    const { executions } = await client.workflowService.listWorkflowExecutions({ namespace, query });
    const workflowId = executions?.[0]?.execution?.workflowId;
    return workflowId ? buildOfRun(workflowId) : undefined;
  };
  const send = async (build: string, sentinel?: string, group = `drill${sentLeads.length}`): Promise<string> => {
    const lead = newLead({ group, ...(sentinel && { sentinels: [sentinel] }) });
    const answers = await sendUntilAnswered(stage, lead);
    sentLeads.push({ lead, answers: [answers] });
    const leadId = answers.at(-1)?.leadId ?? '';
    const now = await buildOf(leadId);
    expect(now === build, `lead ${sentLeads.length} (${sentinel ?? 'no fault'}), sent while ${build} is current, runs on ${now}`);
    return leadId;
  };
  const resend = async (leadId: string, build: string) => {
    const answer = await fetch(`${stage.url}/api/leads/${leadId}/resend`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'drill' }),
    });
    expect(answer.status === 200, `the decision about a parked lead of ${build} was answered ${answer.status}`);
    const end = await stage.ask(`${stage.url}/api/leads/${leadId}?wait=20`);
    expect(end.body.state === 'delivered', `a decided lead is ${String(end.body.state)}`);
    const now = await buildOf(leadId);
    expect(now === build, `it ended on ${now} instead of ${build}`);
  };
  const dryRun = async () => {
    const { path, example } = endpoints.sendToRecruit;
    const headers = { 'content-type': 'application/json', 'x-dry-run': 'true' };
    return (await fetch(`${stage.url}${path}`, { method: 'POST', headers, body: JSON.stringify(example) })).text();
  };
  const parks = 'comment-422-once';

  await makeCurrent('a');
  const parked = [await send('a', parks), await send('a', parks), await send('a', parks)] as const;
  await send('a');
  // Three leads that fail for longer than the deployment takes, and are then delivered.
  const slow = Promise.all([1, 2, 3].map(() => send('a', 'lookup-500-x12', 'slow')));
  slow.catch(() => undefined);
  await until(async () => (await buildOfLine()) === 'a', 'the upstream is held by a run of build a');

  const bad = alteredDist(incompatible.from, incompatible.to);
  const good = alteredDist(words.from, words.to);
  try {
    notes.push(`bad build: ${(await run(1, 'replay', '--open', '--bundle', bad.path)).split('\n').at(-1)}`);
    notes.push(`good build: ${(await run(0, 'replay', '--open', '--bundle', good.path)).split('\n').at(-1)}`);
    const second = stage.make('worker', { ...own, WORKER_BUILD_ID: 'b' }, good.dist);
    await second.start();
    expect((await dryRun()).includes(words.from), 'build a does not answer before b is current');
    await makeCurrent('b');
    expect((await dryRun()).includes(words.to), 'build b does not answer after it is current');
    await until(async () => (await buildOfLine()) !== 'a', 'the hold continues on build b');
    await send('b');
    const parkedOfB = await send('b', parks);
    await resend(parked[0], 'a');

    await makeCurrent('a');
    expect((await dryRun()).includes(words.from), 'build a does not answer after the rollback');
    await send('a');
    await resend(parkedOfB, 'b');

    await makeCurrent('b');
    await slow;
    await run(1, 'deploy', 'move', 'b', '--bundle', bad.path);
    expect((await buildOf(parked[1])) === 'a', 'a lead that does not replay was moved');
    const first = stage.parts.worker;
    notes.push(await run(0, 'deploy', 'move', 'b', '--bundle', good.path));
    await until(async () => /\ba +0 open/.test((await leadgate(stage, 'deploy', 'show')).out), 'build a has no open run');
    await first.terminate();
    await resend(parked[1], 'b');
    await resend(parked[2], 'b');
    await send('b');
    await first.start();
    return sentLeads;
  } finally {
    bad.remove();
    good.remove();
    await client.connection.close();
  }
}

/** Runs on a cluster, or with the embedded engine: `npm run drill -- deploy`. */
export async function deployDrill(temporal?: StageOptions['temporal']): Promise<CheckResult> {
  const problems: string[] = [];
  const notes: string[] = [];
  let line = '';
  await withStage({ ...(temporal && { temporal }), env: () => ({ ...own, WORKER_BUILD_ID: 'a' }) }, async (stage) => {
    const sentLeads = await drill(stage, problems, notes);
    const end = summarize('deploy', sentLeads, await judge(stage, sentLeads));
    line = end.line;
    problems.push(...end.problems);
  });
  return { line: [line, ...notes].join('\n      '), problems };
}
