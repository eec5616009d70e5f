/** A process with a worker of faulty workflows; what it is given as arguments is the engine's address, the namespace and the task queue. */
import { NativeConnection } from '@temporalio/worker';
import { AsyncLocalStorage } from 'node:async_hooks';
import { installRuntime } from '../../src/runtime/process';
import { failsItsRun, WorkflowWorker } from '../../src/temporal/workflow-worker';

/** The SDK keeps this option to itself. */
const limit = { isolateExecutionTimeout: '300ms' };

process.on('unhandledRejection', (error, promise) => failsItsRun(error, promise) || process.exit(2));
installRuntime();
// As each request of the API does: before Node 24, this puts a hook on every promise.
new AsyncLocalStorage<true>().enterWith(true);
const [address, namespace, taskQueue = ''] = process.argv.slice(2);
void (async () => {
  const connection = await NativeConnection.connect({ address });
  const workflowsPath = require.resolve('./faulty-workflows');
  const worker = await WorkflowWorker.create({ connection, namespace, taskQueue, workflowsPath, ...limit });
  await worker.run();
})();
