/** What has no end of its own goes on with the build that is current, where builds are told apart; without them the engine refuses such a word. */
import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';

type Workflow = Parameters<typeof setWorkflowOptions>[1];

export const withCurrentBuild = (workflow: Workflow): void =>
  setWorkflowOptions(
    () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'AUTO_UPGRADE' } : {}),
    workflow,
  );
