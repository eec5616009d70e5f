/** Runs the worker of untuned Temporal: the worker's defaults, one activity per step. */
import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { steps as activities } from '../steps.mjs';

Runtime.install({ logger: new DefaultLogger('WARN') });
const connection = await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS });
const workflowsPath = fileURLToPath(new URL('./workflows.mjs', import.meta.url));
const worker = await Worker.create({ connection, taskQueue: 'leads', workflowsPath, activities });
await worker.run();
