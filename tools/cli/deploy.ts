/** `leadgate deploy …`: runs a new build beside the current one, sends new leads to it, and moves open runs over. */
import { Client } from '@temporalio/client';
import type { Config } from '../../src/config/config';
import { buildsOf, goOver, makeCurrent, openUnversioned, pinnedElsewhere, type Build, type Deployment } from './builds';
import { replayRuns } from '../replay/replay';
import { describeDifference } from '../replay/describe';
import { connect, dataConverter } from '../../src/temporal/engine';
import { command, statuses, type Argument, type Command } from './command';
import { ownKeys } from './keyring';
import { columns, json } from './print';
import { program } from './program';
import { againstBuild, bundle, readably } from './replay';
import { storedRuns } from './runs';

const group = 'Deployment';
const connectMs = 3_000;
const unversioned = 'none';
const build: Argument = { name: 'build', about: 'the WORKER_BUILD_ID of its workers' };

async function within<T>(config: Config, work: (deployment: Deployment) => Promise<T>): Promise<T> {
  const { connection, namespace } = await connect(config, connectMs);
  try {
    const client = new Client({ connection, namespace, dataConverter: dataConverter(ownKeys(config)) });
    return await work({ client, taskQueue: config.TASK_QUEUE });
  } finally {
    await connection.close();
  }
}

const row = ({ id, isCurrent, open }: Build) => [id, `${open} open`, isCurrent ? 'gets the new leads' : ''];

function advice(builds: readonly Build[]): string {
  const old = builds.filter(({ isCurrent, open }) => !isCurrent && open > 0).map(({ id }) => id);
  if (builds.length > 0 && !builds.some(({ isCurrent }) => isCurrent))
    return `No build gets the new leads: ${program} deploy current <build>\n`;
  return old.length > 0
    ? `The workers of ${old.join(', ')} must stay until nothing of theirs is open, or: ${program} deploy move <build>\n`
    : '';
}

const show: Command = command({
  name: 'deploy show',
  group,
  summary: 'The builds that carry leads, what each has open, and which one gets the new ones',
  examples: ['deploy show'],
  run: ({ io, options, config }) =>
    within(config(), async (deployment) => {
      const builds = await buildsOf(deployment);
      const others = await openUnversioned(deployment);
      if (options.json) io.out(json({ success: true, builds, [unversioned]: others }));
      else if (builds.length === 0) io.out(`No worker has a WORKER_BUILD_ID: nothing is versioned, ${others} open\n`);
      else io.out(`${columns([...builds.map(row), [unversioned, `${others} open`, '']])}\n${advice(builds)}`);
      return statuses.done;
    }),
});

const current: Command = command({
  name: 'deploy current',
  group,
  summary: 'From now on new leads go to this build; open ones stay with theirs',
  about: [
    `Run ${program} replay --open in a clone of it first: the lines before held upstreams and the redrives go over to it at once.`,
    'To take a deployment back, name the build before; none stands for workers without a WORKER_BUILD_ID.',
  ],
  args: [build],
  examples: ['deploy current 2026-11-21.2', 'deploy current none'],
  run: ({ io, args: [id = ''], options, config }) =>
    within(config(), async (deployment) => {
      const made = await makeCurrent(deployment, id === unversioned ? '' : id);
      if (options.json) io.out(json({ success: made, current: made ? id : undefined }));
      else
        io.out(
          made
            ? `New leads go to ${id === unversioned ? 'workers without a build' : id}\n`
            : `Build ${id} has no worker, or not for each line of the current build (UPSTREAM_LIMITS): start it, then say this again. Nothing was changed\n`,
        );
      return made ? statuses.done : statuses.no;
    }),
});

const move: Command = command({
  name: 'deploy move',
  group,
  summary: 'Open leads of other builds go on with this one, each if its replay says that it can',
  about: [
    'For leads that stay open long, such as parked ones, so that the workers of an old build can end. Run it in a clone of the build that they go to.',
    'A lead that could not go on with it stays where it is, is named, and makes the status 1.',
  ],
  args: [build],
  options: { bundle },
  examples: ['deploy move 2026-11-21.2'],
  run: ({ io, args: [id = ''], options, config }) => {
    const settings = config();
    const against = againstBuild(settings, options.bundle);
    return readably(() =>
      within(settings, async (deployment) => {
        const moved: string[] = [];
        const left: { readonly workflowId: string; readonly why: string }[] = [];
        for await (const verdict of replayRuns(storedRuns(deployment.client, pinnedElsewhere(deployment, id)), against)) {
          const { workflowId } = verdict;
          if (!verdict.same) left.push({ workflowId, why: describeDifference(verdict) });
          else {
            await goOver(deployment, workflowId, id);
            moved.push(workflowId);
          }
        }
        if (options.json) io.out(json({ success: left.length === 0, moved, left }));
        else
          io.out(
            [...left.map(({ workflowId, why }) => `${workflowId}: ${why}`), `${moved.length} moved to ${id}, ${left.length} left`, ''].join(
              '\n',
            ),
          );
        return left.length === 0 ? statuses.done : statuses.no;
      }),
    );
  },
});

export const deployments: readonly Command[] = [show, current, move];
