/** Manages the builds of the worker deployment in Temporal: lists them, makes one current for new runs, and pins open runs to one. */
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { isCode } from '../../src/temporal/ask';
import { deploymentOf } from '../../src/temporal/build';

export interface Build {
  readonly id: string;
  readonly isCurrent: boolean;
  /** Open runs that are pinned to the build; other runs continue on the current build. */
  readonly open: number;
}

export interface Deployment {
  readonly client: Client;
  readonly taskQueue: string;
}

const { VERSIONING_BEHAVIOR_PINNED } = temporal.api.enums.v1.VersioningBehavior;
const { PINNED_OVERRIDE_BEHAVIOR_PINNED } = temporal.api.workflow.v1.VersioningOverride.PinnedOverrideBehavior;

/** A query for open runs. It excludes locks: a lock has no build before its first task, and most never get one. */
export const openRunsQuery = (taskQueue: string): string =>
  `ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}' AND WorkflowType != 'lock'`;

const version = 'TemporalWorkerDeploymentVersion';
const isPinned = `TemporalWorkflowVersioningBehavior = 'Pinned'`;

/** Counts open runs that a worker without a build started. */
export const countUnversionedRuns = ({ client, taskQueue }: Deployment): Promise<number> =>
  client.workflow.count(`${openRunsQuery(taskQueue)} AND ${version} IS NULL`).then(({ count }) => count);

/** A query for open runs that are pinned to another build. */
export const otherBuildsQuery = ({ taskQueue }: Deployment, id: string): string =>
  `${openRunsQuery(taskQueue)} AND ${isPinned} AND ${version} != '${deploymentOf(taskQueue)}:${id}'`;

/** The known builds; empty until a worker with a build has polled. */
export async function buildsOf({ client, taskQueue }: Deployment): Promise<readonly Build[]> {
  const { namespace } = client.options;
  const deploymentName = deploymentOf(taskQueue);
  try {
    const { workerDeploymentInfo } = await client.workflowService.describeWorkerDeployment({ namespace, deploymentName });
    const current = workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId;
    const ids = (workerDeploymentInfo?.versionSummaries ?? []).flatMap(({ deploymentVersion }) => deploymentVersion?.buildId ?? []);
    return await Promise.all(
      ids.map(async (id) => {
        const { count } = await client.workflow.count(
          `${openRunsQuery(taskQueue)} AND ${isPinned} AND ${version} = '${deploymentName}:${id}'`,
        );
        return { id, isCurrent: id === current, open: count };
      }),
    );
  } catch (error) {
    if (isCode(error, 'notFound')) return [];
    throw error;
  }
}

/** Makes a build current for new runs. False if its workers do not poll every task queue that the current build serves. */
export async function makeCurrent({ client, taskQueue }: Deployment, buildId: string): Promise<boolean> {
  const { namespace, identity } = client.options;
  const deploymentName = deploymentOf(taskQueue);
  try {
    await client.workflowService.setWorkerDeploymentCurrentVersion({ namespace, deploymentName, buildId, identity });
    return true;
  } catch (error) {
    if (isCode(error, 'notFound', 'failedPrecondition')) return false;
    throw error;
  }
}

/** Pins a run to a build, from its next workflow task on. */
export async function moveRun({ client, taskQueue }: Deployment, workflowId: string, buildId: string): Promise<void> {
  const pinned = { behavior: PINNED_OVERRIDE_BEHAVIOR_PINNED, version: { deploymentName: deploymentOf(taskQueue), buildId } };
  await client.workflowService.updateWorkflowExecutionOptions({
    namespace: client.options.namespace,
    workflowExecution: { workflowId },
    workflowExecutionOptions: { versioningOverride: { behavior: VERSIONING_BEHAVIOR_PINNED, pinned } },
    updateMask: { paths: ['versioning_override'] },
  });
}
