/** Gives each worker of this process one creator for a bundle: loading a bundle costs more than all else of a gateway's start. */
import type { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import { WorkflowCreator } from '../../src/temporal/workflow-worker';

type Create = (...given: Parameters<typeof WorkflowCreator.create>) => Promise<ReusableVMWorkflowCreator>;

const create: Create = WorkflowCreator.create.bind<Create>(WorkflowCreator);
const made = new Map<string, Promise<ReusableVMWorkflowCreator>>();

const shared: Create = async (bundle, ...options) => {
  const creator = made.get(bundle.code) ?? create(bundle, ...options);
  made.set(bundle.code, creator);
  return Object.assign(await creator, { destroy: async () => undefined });
};

export const shareCreators = (): void => void Object.assign(WorkflowCreator, { create: shared });
