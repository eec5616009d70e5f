/** `leadgate deploy …`: shows the builds of the workers, routes new leads to one, and moves open runs to it. */
import { Client } from '@temporalio/client';
import type { Config } from '../../src/config/config';
import { buildsOf, moveRun, makeCurrent, countUnversionedRuns, otherBuildsQuery, type Build, type Deployment } from './builds';
import { replayRuns } from '../replay/replay';
import { describeDifference } from '../replay/describe';
import { connect, dataConverter } from '../../src/temporal/engine';
import { command, statuses, type Argument, type Command } from './command';
import { localKeys } from './keyring';
import { columns, json } from './print';
import { program } from './program';
import { replayTarget, bundle, withPlainErrors } from './replay';
import { storedRuns } from './runs';

const group = 'Deployment';
const connectMs = 3_000;
const unversioned = 'none';
const build: Argument = { name: 'build', about: 'the WORKER_BUILD_ID of its workers' };

async function withDeployment<T>(config: Config, work: (deployment: Deployment) => Promise<T>): Promise<T> {
  const { connection, namespace } = await connect(config, connectMs);
  try {
    const client = new Client({ connection, namespace, dataConverter: dataConverter(localKeys(config)) });
    return await work({ client, taskQueue: config.TASK_QUEUE });
  } finally {
    await connection.close();
  }
}

const row = ({ id, isCurrent, open }: Build) => [id, `${open} open`, isCurrent ? 'current, runs new leads' : ''];

function advice(builds: readonly Build[]): string {
  const old = builds.filter(({ isCurrent, open }) => !isCurrent && open > 0).map(({ id }) => id);
  if (builds.length > 0 && !builds.some(({ isCurrent }) => isCurrent))
    return `No build is current, so no build runs new leads: ${program} deploy current <build>\n`;
  return old.length > 0
    ? `The workers of ${old.join(', ')} must keep running until no run of theirs is open, or move the runs: ${program} deploy move <build>\n`
    : '';
}

const show: Command = command({
  name: 'deploy show',
  group,
  summary: 'List the builds, their open runs, and which build runs new leads',
  examples: ['deploy show'],
  run: ({ io, options, config }) =>
    withDeployment(config(), async (deployment) => {
      const builds = await buildsOf(deployment);
      const others = await countUnversionedRuns(deployment);
      if (options.json) io.out(json({ success: true, builds, [unversioned]: others }));
      else if (builds.length === 0) io.out(`No worker has a WORKER_BUILD_ID: ${others} open runs, none of them versioned\n`);
      else io.out(`${columns([...builds.map(row), [unversioned, `${others} open`, '']])}\n${advice(builds)}`);
      return statuses.done;
    }),
});

const current: Command = command({
  name: 'deploy current',
  group,
  summary: 'Make a build current: it runs new leads, and open leads stay on their builds',
  about: [
    `Run ${program} replay --open in a clone of it first: the runs of holds and redrives continue on it at once.`,
    'To roll back, name the earlier build. The name none means workers without a WORKER_BUILD_ID.',
  ],
  args: [build],
  examples: ['deploy current 2026-11-21.2', 'deploy current none'],
  run: ({ io, args: [id = ''], options, config }) =>
    withDeployment(config(), async (deployment) => {
      const isMade = await makeCurrent(deployment, id === unversioned ? '' : id);
      if (options.json) io.out(json({ success: isMade, current: isMade ? id : undefined }));
      else
        io.out(
          isMade
            ? `New leads go to ${id === unversioned ? 'workers without a build' : id}\n`
            : `Build ${id} has no worker, or its workers do not poll every task queue of the current build (UPSTREAM_LIMITS). Start them, then run this command again. Nothing was changed\n`,
        );
      return isMade ? statuses.done : statuses.no;
    }),
});

const move: Command = command({
  name: 'deploy move',
  group,
  summary: 'Move the open leads of other builds to this one, each if it replays',
  about: [
    'For leads that stay open for long, such as parked leads, so that the workers of an old build can stop. Run it in a clone of the new build.',
    'A lead that does not replay is not moved, is listed, and makes the status 1.',
  ],
  args: [build],
  options: { bundle },
  examples: ['deploy move 2026-11-21.2'],
  run: ({ io, args: [id = ''], options, config }) => {
    const settings = config();
    const against = replayTarget(settings, options.bundle);
    return withPlainErrors(() =>
      withDeployment(settings, async (deployment) => {
        const moved: string[] = [];
        const left: { readonly workflowId: string; readonly why: string }[] = [];
        for await (const verdict of replayRuns(storedRuns(deployment.client, otherBuildsQuery(deployment, id)), against)) {
          const { workflowId } = verdict;
          if (!verdict.same) left.push({ workflowId, why: describeDifference(verdict) });
          else {
            await moveRun(deployment, workflowId, id);
            moved.push(workflowId);
          }
        }
        if (options.json) io.out(json({ success: left.length === 0, moved, left }));
        else
          io.out(
            [
              ...left.map(({ workflowId, why }) => `${workflowId}: ${why}`),
              `${moved.length} moved to ${id}, ${left.length} not moved`,
              '',
            ].join('\n'),
          );
        return left.length === 0 ? statuses.done : statuses.no;
      }),
    );
  },
});

export const deployments: readonly Command[] = [show, current, move];
