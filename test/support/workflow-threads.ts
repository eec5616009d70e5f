/**
 * Gives a worker the workflow thread of an earlier worker of this process: loading the workflow bundle into a new thread costs more than
 * all else of a gateway's start. One worker at a time has a thread. A thread that still carries a run when its worker ends is not used again.
 */
import { ThreadedVMWorkflowCreator } from '@temporalio/worker/lib/workflow/threaded-vm';
import type { Worker } from 'node:worker_threads';

/** The part of the SDK's threads that its types keep to themselves. */
interface Threads {
  readonly workerThreadClients: readonly {
    readonly workerThread: Worker;
    readonly workerExited: boolean;
    getActiveWorkflowCount(): number;
  }[];
}

const create = ThreadedVMWorkflowCreator.create.bind(ThreadedVMWorkflowCreator);
const unused = new Map<string, ThreadedVMWorkflowCreator[]>();

const lent: typeof create = async (options) => {
  const { filename } = options.workflowBundle;
  const free = unused.get(filename) ?? [];
  unused.set(filename, free);
  const threads = free.pop() ?? (await create(options));
  const { workerThreadClients: clients } = threads as unknown as Threads;
  threads.destroy = async () => {
    const isUnused = clients.every((client) => client.getActiveWorkflowCount() === 0 && !client.workerExited);
    if (isUnused) free.push(threads);
    else await ThreadedVMWorkflowCreator.prototype.destroy.call(threads);
  };
  // A free thread keeps no process alive.
  for (const { workerThread } of clients) workerThread.unref();
  return threads;
};

export const lendThreads = (): void => void (ThreadedVMWorkflowCreator.create = lent);
