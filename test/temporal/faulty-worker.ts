/**
 * A process with a worker of faulty workflows. Its arguments are the engine's address, the namespace, the task queue, and the file of the
 * workflows' bundle, which it makes if there is none.
 */
import { bundleWorkflowCode, NativeConnection } from '@temporalio/worker';
import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync, writeFileSync } from 'node:fs';
import { installRuntime } from '../../src/runtime/process';
import { failsItsRun, WorkflowWorker } from '../../src/temporal/workflow-worker';

/** The SDK keeps this option to itself. */
const limit = { isolateExecutionTimeout: '500ms' };

process.on('unhandledRejection', (error, promise) => failsItsRun(error, promise) || process.exit(2));
installRuntime();
// As each request of the API does: before Node 24, this puts a hook on every promise.
new AsyncLocalStorage<true>().enterWith(true);
const [address, namespace, taskQueue = '', codePath = ''] = process.argv.slice(2);
void (async () => {
  const connection = await NativeConnection.connect({ address });
  if (!existsSync(codePath))
    writeFileSync(codePath, (await bundleWorkflowCode({ workflowsPath: require.resolve('./faulty-workflows') })).code);
  const worker = await WorkflowWorker.create({ connection, namespace, taskQueue, workflowBundle: { codePath }, ...limit });
  await worker.run();
})();
