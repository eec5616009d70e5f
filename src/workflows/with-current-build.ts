/**
 * Lets a workflow that may run for long move to the current build. It applies only where workers have versioned builds: without them the
 * engine refuses the option.
 */
import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';

type Workflow = Parameters<typeof setWorkflowOptions>[1];

export const withCurrentBuild = (workflow: Workflow): void =>
  setWorkflowOptions(
    () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'AUTO_UPGRADE' } : {}),
    workflow,
  );
