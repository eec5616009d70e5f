/** Reads a workflow bundle once for all workers of this process: reading and loading it costs more than all else of a gateway's start. */
import type { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import { WorkflowCreator, WorkflowWorker } from '../../src/temporal/workflow-worker';

type Create = (...given: Parameters<typeof WorkflowCreator.create>) => Promise<ReusableVMWorkflowCreator>;
type Bundle = Parameters<Create>[0];
type Read = (options: { readonly workflowBundle?: { readonly codePath?: string } }, ...given: unknown[]) => Promise<Bundle | undefined>;

const create: Create = WorkflowCreator.create.bind<Create>(WorkflowCreator);
const made = new Map<string, Promise<ReusableVMWorkflowCreator>>();

const sharedCreator: Create = async (bundle, ...options) => {
  const creator = made.get(bundle.code) ?? create(bundle, ...options);
  made.set(bundle.code, creator);
  return Object.assign(await creator, { destroy: async () => undefined });
};

// The SDK keeps it for subclasses.
const { getOrCreateBundle } = WorkflowWorker as unknown as { readonly getOrCreateBundle: Read };
const read = getOrCreateBundle.bind<Read>(WorkflowWorker);
const bundles = new Map<string, Promise<Bundle | undefined>>();

const sharedBundle: Read = async (options, ...given) => {
  const path = options.workflowBundle?.codePath;
  if (path === undefined) return read(options, ...given);
  const bundle = bundles.get(path) ?? read(options, ...given);
  bundles.set(path, bundle);
  return bundle;
};

export const shareCreators = (): void => {
  Object.assign(WorkflowCreator, { create: sharedCreator });
  Object.assign(WorkflowWorker, { getOrCreateBundle: sharedBundle });
};
