/** What has no end of its own goes on with the build that is current, where builds are told apart; without them the engine refuses such a word. */
import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';

export const withCurrentBuild = <Given extends readonly unknown[], Result>(workflow: (...given: Given) => Promise<Result>): void =>
  setWorkflowOptions(
    () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'AUTO_UPGRADE' } : {}),
    workflow,
  );
