/**
 * Reads a workflow bundle once for all workers and replays of this process: reading and loading it costs more than all else of a gateway's
 * start, or of a replay.
 */
import type { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import { WorkflowCreator, WorkflowWorker } from '../../src/temporal/workflow-worker';

type Create = (...given: Parameters<typeof WorkflowCreator.create>) => Promise<ReusableVMWorkflowCreator>;
type Bundle = Parameters<Create>[0];
type Read = (
  options: { readonly workflowBundle?: { readonly codePath: string } | { readonly code: string } },
  ...given: unknown[]
) => Promise<Bundle | undefined>;

const create: Create = WorkflowCreator.create.bind<Create>(WorkflowCreator);
/** By the bundle, and by the most time of a call: a replay has another limit than a worker. */
const made = new Map<Bundle, Map<number, Promise<ReusableVMWorkflowCreator>>>();

const sharedCreator: Create = async (bundle, limitMs, ...options) => {
  const byLimit = made.get(bundle) ?? new Map<number, Promise<ReusableVMWorkflowCreator>>();
  made.set(bundle, byLimit);
  const creator = byLimit.get(limitMs) ?? create(bundle, limitMs, ...options);
  byLimit.set(limitMs, creator);
  return Object.assign(await creator, { destroy: async () => undefined });
};

// The SDK keeps it for subclasses.
const { getOrCreateBundle } = WorkflowWorker as unknown as { readonly getOrCreateBundle: Read };
const read = getOrCreateBundle.bind<Read>(WorkflowWorker);
const bundles = new Map<string, Promise<Bundle | undefined>>();

const sharedBundle: Read = async (options, ...given) => {
  const { workflowBundle: from } = options;
  if (from === undefined) return read(options, ...given);
  const key = 'code' in from ? from.code : from.codePath;
  const bundle = bundles.get(key) ?? read(options, ...given);
  bundles.set(key, bundle);
  return bundle;
};

export const shareCreators = (): void => {
  Object.assign(WorkflowCreator, { create: sharedCreator });
  Object.assign(WorkflowWorker, { getOrCreateBundle: sharedBundle });
};
