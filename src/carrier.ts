/** The worker: carries the runs of one task queue. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { createActivities } from './activities';
import { createRedriveMany } from './api/redrive';
import { tracedActivities } from './activities/traced';
import { build } from './build';
import type { Config } from './config';
import type { KeyRing } from './keys';
import { log } from './log';
import type { Stop } from './part';
import { tracing } from './tracing';
import { dataConverter, type Engine } from './temporal';
import { longestTimeoutMs, type Upstreams } from './upstreams';

/** What a send may still take when the worker is told to stop, beyond the longest deadline. */
const graceMs = 3_000;

interface Sources {
  readonly workflowsPath: string;
  readonly interceptors: { readonly workflowModules: string[] };
}

export type WorkflowCode = { readonly workflowBundle: { readonly codePath: string } } | Sources;

/** Beside the compiled code lies the bundle that was built with it; the sources bundle themselves. */
function ownWorkflowCode(): WorkflowCode {
  const codePath = join(__dirname, 'workflow-bundle.js');
  if (existsSync(codePath)) return { workflowBundle: { codePath } };
  return { workflowsPath: require.resolve('./workflows'), interceptors: { workflowModules: [require.resolve('./workflows/traced')] } };
}

export async function startCarrier(
  config: Config,
  { connection, namespace }: Engine,
  keys: KeyRing,
  upstreams: Upstreams,
  code = ownWorkflowCode(),
): Promise<Stop> {
  const shutdownGraceTime = longestTimeoutMs(config) + graceMs;
  const client = new Client({ connection, namespace, dataConverter: dataConverter(keys) });
  const traces = tracing();
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: config.TASK_QUEUE,
    buildId: build,
    ...code,
    interceptors: { ...('interceptors' in code && code.interceptors), ...(traces && { activity: [tracedActivities(traces)] }) },
    activities: createActivities({ config, keys, upstreams, client, redriveMany: createRedriveMany({ client, config, keys, upstreams }) }),
    dataConverter: dataConverter(keys),
    maxConcurrentWorkflowTaskExecutions: 100,
    maxConcurrentActivityTaskExecutions: 200,
    maxConcurrentLocalActivityExecutions: 200,
    // A run whose worker has died goes to another one after this time.
    stickyQueueScheduleToStartTimeout: '5s',
    // A send that is under way when the worker stops must end and report: cutting it off would make its outcome unknown.
    shutdownGraceTime,
    shutdownForceTime: shutdownGraceTime + graceMs,
  });
  const ended = worker.run();
  ended.catch((error: unknown) => {
    log.error('the worker stopped', { reason: error instanceof Error ? error.name : 'unknown' });
    process.exit(1);
  });
  return async () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    await ended;
  };
}
