/** Which builds carry runs, which one gets the new ones, and how an open run goes over to another. */
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { isCode } from '../temporal/grpc';

export interface Build {
  readonly id: string;
  readonly isCurrent: boolean;
  readonly open: number;
}

export interface Deployment {
  readonly client: Client;
  readonly name: string;
  readonly taskQueue: string;
}

const { VERSIONING_BEHAVIOR_PINNED } = temporal.api.enums.v1.VersioningBehavior;
const { PINNED_OVERRIDE_BEHAVIOR_PINNED } = temporal.api.workflow.v1.VersioningOverride.PinnedOverrideBehavior;

/** A claim has no build before it begins, and mostly it never does. */
const openOf = (taskQueue: string) => `ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}' AND WorkflowType != 'claim'`;
const version = 'TemporalWorkerDeploymentVersion';

/** Runs that have no build: begun before the deployment was versioned, or by a worker that is not. */
export const openUnversioned = ({ client, taskQueue }: Deployment): Promise<number> =>
  client.workflow.count(`${openOf(taskQueue)} AND ${version} IS NULL`).then(({ count }) => count);

/** Those that stay with another build until they end. */
export const pinnedElsewhere = ({ name, taskQueue }: Deployment, id: string): string =>
  `${openOf(taskQueue)} AND TemporalWorkflowVersioningBehavior = 'Pinned' AND ${version} != '${name}:${id}'`;

/** Empty as long as no versioned worker has asked for work. */
export async function buildsOf({ client, name, taskQueue }: Deployment): Promise<readonly Build[]> {
  const { namespace } = client.options;
  try {
    const { workerDeploymentInfo } = await client.workflowService.describeWorkerDeployment({ namespace, deploymentName: name });
    const current = workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId;
    const ids = (workerDeploymentInfo?.versionSummaries ?? []).flatMap(({ deploymentVersion }) => deploymentVersion?.buildId ?? []);
    return await Promise.all(
      ids.map(async (id) => {
        const { count } = await client.workflow.count(`${openOf(taskQueue)} AND ${version} = '${name}:${id}'`);
        return { id, isCurrent: id === current, open: count };
      }),
    );
  } catch (error) {
    if (isCode(error, 'notFound')) return [];
    throw error;
  }
}

/** False when that build does not ask for work, or not in every queue in which the current one does. */
export async function makeCurrent({ client, name }: Deployment, buildId: string): Promise<boolean> {
  const { namespace, identity } = client.options;
  try {
    await client.workflowService.setWorkerDeploymentCurrentVersion({ namespace, deploymentName: name, buildId, identity });
    return true;
  } catch (error) {
    if (isCode(error, 'notFound', 'failedPrecondition')) return false;
    throw error;
  }
}

/** From its next step on the run is that build's, and stays so. */
export async function goOver({ client, name }: Deployment, workflowId: string, buildId: string): Promise<void> {
  const pinned = { behavior: PINNED_OVERRIDE_BEHAVIOR_PINNED, version: { deploymentName: name, buildId } };
  await client.workflowService.updateWorkflowExecutionOptions({
    namespace: client.options.namespace,
    workflowExecution: { workflowId },
    workflowExecutionOptions: { versioningOverride: { behavior: VERSIONING_BEHAVIOR_PINNED, pinned } },
    updateMask: { paths: ['versioning_override'] },
  });
}
