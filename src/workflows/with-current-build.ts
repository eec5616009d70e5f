/**
 * Lets a long-lived workflow move to the current build. Without versioned workers the engine refuses the option, so it is not set.
 */
import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';

type Workflow = Parameters<typeof setWorkflowOptions>[1];

export const withCurrentBuild = (workflow: Workflow): void =>
  setWorkflowOptions(
    () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'AUTO_UPGRADE' } : {}),
    workflow,
  );
