/** Deploys a changed workflow while leads are open, takes it back, and deploys it again, as docs/scale.md describes. */
import { Client, Connection } from '@temporalio/client';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { projectDir } from '../../src/config/config';
import { endpoints } from '../../src/contract';
import { workflowIdOf } from '../../src/domain/ids';
import { alteredDist } from '../cli/altered';
import { carry } from '../faults/caller';
import { newLead } from '../faults/lead';
import type { Told } from '../faults/oracle';
import { within } from '../faults/run';
import type { Stage, StageOptions } from '../faults/stage';
import { until } from '../support/until';
import { found, judge, type Found } from './check';

const words = { from: 'This is what would be sent. Nothing was sent', to: 'The second build would send this' };
const incompatible = { from: 'await formatData(context, checked)', to: '{}' };

interface Said {
  readonly status: number;
  readonly out: string;
}

/** A queue of its own: with a current build it is closed to workers that have none. */
const own = { TASK_QUEUE: 'deploy-drill' };

/** The command line as an operator uses it, in a process of its own. */
const leadgate = ({ env }: Stage, ...args: string[]): Promise<Said> =>
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

async function drill(stage: Stage, problems: string[], said: string[]): Promise<Told[]> {
  const client = await clientOf(stage);
  const told: Told[] = [];
  const expect = (isTrue: boolean, what: string) => void (isTrue || problems.push(what));

  const run = async (status: number, ...args: string[]) => {
    const answer = await leadgate(stage, ...args);
    expect(answer.status === status, `leadgate ${args.join(' ')} ended with ${answer.status}: ${answer.out}`);
    return answer.out.trim();
  };
  /** A new build is known a moment after its worker is ready. */
  const makeCurrent = (build: string) =>
    until(async () => (await leadgate(stage, 'deploy', 'current', build)).status === 0, `${build} gets the new leads`);
  const { namespace } = client.options;
  const buildOf = (leadId: string) => buildOfRun(workflowIdOf(leadId));
  const buildOfRun = async (workflowId: string): Promise<string | undefined> => {
    const asked = { namespace, execution: { workflowId } };
    const { workflowExecutionInfo } = await client.workflowService.describeWorkflowExecution(asked);
    const { versioningInfo } = workflowExecutionInfo ?? {};
    return versioningInfo?.versioningOverride?.pinned?.version?.buildId ?? versioningInfo?.deploymentVersion?.buildId ?? undefined;
  };
  /** Of the line before the upstream that fails for the slow lead; undefined when it is empty again. */
  const buildOfLine = async () => {
    const query = `WorkflowType = 'hold' AND TaskQueue = '${own.TASK_QUEUE}' AND ExecutionStatus = 'Running'`;
    const { executions } = await client.workflowService.listWorkflowExecutions({ namespace, query });
    const workflowId = executions?.[0]?.execution?.workflowId;
    return workflowId ? buildOfRun(workflowId) : undefined;
  };
  const send = async (build: string, sentinel?: string): Promise<string> => {
    const lead = newLead({ group: `drill${told.length}`, ...(sentinel && { sentinels: [sentinel] }) });
    const heard = await carry(stage, lead);
    told.push({ lead, heard: [heard] });
    const leadId = heard.at(-1)?.leadId ?? '';
    const now = await buildOf(leadId);
    expect(now === build, `lead ${told.length} (${sentinel ?? 'all well'}), sent while ${build} is current, runs on ${now}`);
    return leadId;
  };
  const resend = async (leadId: string, build: string) => {
    const answer = await fetch(`${stage.url}/api/leads/${leadId}/resend`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'drill' }),
    });
    expect(answer.status === 200, `a parked lead of ${build} took no decision: ${answer.status}`);
    const end = await stage.ask(`${stage.url}/api/leads/${leadId}?wait=20`);
    expect(end.body.state === 'delivered', `a lead that was decided is ${String(end.body.state)}`);
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
  // Fails for longer than it takes to deploy, and then goes out by itself.
  const slow = send('a', 'lookup-500-x12');
  slow.catch(() => undefined);
  await until(async () => (await buildOfLine()) === 'a', 'the upstream is held, with a line of a');

  const bad = alteredDist(incompatible.from, incompatible.to);
  const good = alteredDist(words.from, words.to);
  try {
    said.push(`bad build: ${(await run(1, 'replay', '--open', '--bundle', bad.path)).split('\n').at(-1)}`);
    said.push(`good build: ${(await run(0, 'replay', '--open', '--bundle', good.path)).split('\n').at(-1)}`);
    const second = stage.make('worker', { ...own, WORKER_BUILD_ID: 'b' }, good.dist);
    await second.start();
    expect((await dryRun()).includes(words.from), 'before b is current, a answers');
    await makeCurrent('b');
    expect((await dryRun()).includes(words.to), 'after b is current, b answers');
    await until(async () => (await buildOfLine()) !== 'a', 'the line goes on with b');
    await send('b');
    const parkedOfB = await send('b', parks);
    await resend(parked[0], 'a');

    await makeCurrent('a');
    expect((await dryRun()).includes(words.from), 'taken back, a answers');
    await send('a');
    await resend(parkedOfB, 'b');

    await makeCurrent('b');
    await slow;
    await run(1, 'deploy', 'move', 'b', '--bundle', bad.path);
    expect((await buildOf(parked[1])) === 'a', 'a lead that the build could not carry on was moved');
    const first = stage.parts.worker;
    said.push(await run(0, 'deploy', 'move', 'b', '--bundle', good.path));
    await until(async () => /\ba +0 open/.test((await leadgate(stage, 'deploy', 'show')).out), 'nothing of a is open');
    await first.terminate();
    await resend(parked[1], 'b');
    await resend(parked[2], 'b');
    await send('b');
    await first.start();
    return told;
  } finally {
    bad.remove();
    good.remove();
    await client.connection.close();
  }
}

/** Also with the embedded engine: `npm run drill -- deploy`. */
export async function deployDrill(temporal?: StageOptions['temporal']): Promise<Found> {
  const problems: string[] = [];
  const said: string[] = [];
  let line = '';
  await within({ ...(temporal && { temporal }), env: () => ({ ...own, WORKER_BUILD_ID: 'a' }) }, async (stage) => {
    const told = await drill(stage, problems, said);
    const end = found('deploy', told, await judge(stage, told));
    line = end.line;
    problems.push(...end.problems);
  });
  return { line: [line, ...said].join('\n      '), problems };
}
