/**
 * A worker that carries its workflows in the process's own isolate. In the SDK's worker each call of a run goes to a thread and back, and
 * each promise of a run notes where it came from (docs/decisions/0013).
 */
import { coresdk } from '@temporalio/proto';
import { UnhandledRejectionError, Worker, type WorkerOptions } from '@temporalio/worker';
import type { Workflow, WorkflowCreateOptions } from '@temporalio/worker/lib/workflow/interface';
import { ReusableVMWorkflowCreator, type ReusableVMWorkflow } from '@temporalio/worker/lib/workflow/reusable-vm';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared';
import { executionAsyncId } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import { Script, type Context } from 'node:vm';
import { log } from '../lib/log';
import { endless, isYoung, RunGuard } from './run-guard';

// The SDK lists a run's open promises by a hook on every promise of the isolate. Here a run says itself where it stands.
Object.assign(globalHandlers, { setPromiseHook: () => undefined });
// The SDK prints a rejection that is no run's, with all that it holds.
Object.assign(ReusableVMWorkflowCreator, { unhandledRejectionHandlerHasBeenSet: true });

/** Fails the workflow task of the run whose code left this promise rejected. False if it is no run's. */
export function failsItsRun(error: unknown, promise: Promise<unknown>): boolean {
  const realm = promise.constructor.constructor as FunctionConstructor;
  const { info } = (realm('return globalThis.__TEMPORAL_ACTIVATOR__')() ?? {}) as Partial<NonNullable<typeof __TEMPORAL_ACTIVATOR__>>;
  const run = info && ReusableVMWorkflowCreator.workflowByRunId.get(info.runId);
  run?.setUnhandledRejection(new UnhandledRejectionError(`A promise was rejected, and nothing handled it: ${String(error)}`, error));
  return run !== undefined;
}

const call = new Script('__TEMPORAL_CALL_INTO_SCOPE()');

type Call = (...given: readonly unknown[]) => unknown;

/**
 * Code that was cut off in the midst of a promise leaves the isolate out of order before Node 24. The process ends before Node aborts it,
 * and says for which run.
 */
const endingOutOfOrder =
  (limited: Call, { workflowId, workflowType }: WorkflowCreateOptions['info']): Call =>
  (...given) => {
    const before = executionAsyncId();
    try {
      return limited(...given);
    } catch (error) {
      if (executionAsyncId() === before) throw error;
      log.error(endless, { workflowId, workflowType });
      process.exit(1);
    }
  };

export class WorkflowCreator extends ReusableVMWorkflowCreator {
  private readonly guard = new RunGuard(this.isolateExecutionTimeoutMs);

  /**
   * A call that runs the run's own code is cut off if it does not end, or guarded while the run is young. The other calls need neither.
   */
  override async createWorkflow(options: WorkflowCreateOptions): Promise<Workflow> {
    const context: Context = this.context;
    const created = super.createWorkflow(options);
    const { __TEMPORAL_BAG_HOLDER__: scope, __TEMPORAL_ACTIVATOR__: activator } = context;
    const workflow = (await created) as ReusableVMWorkflow;
    const isOwnCode = (name: string | symbol) =>
      name === 'activate' || (name === 'tryUnblockConditions' && activator.blockedConditions.size > 0);
    const unlimited =
      (name: string | symbol): Call =>
      (...given) => {
        context.__temporal_args = [scope, name, given];
        return call.runInContext(context);
      };
    const guarded = this.guard.of(options.info);
    const workflowModule = new Proxy(workflow.workflowModule, {
      get(limited, name): Call {
        if (!isOwnCode(name)) return unlimited(name);
        if (isYoung(options.info)) return (...given) => guarded(() => unlimited(name)(...given));
        return endingOutOfOrder(Reflect.get(limited, name) as Call, options.info);
      },
    });
    return Object.assign(workflow, { workflowModule });
  }

  override async destroy(): Promise<void> {
    await super.destroy();
    await this.guard.end();
  }
}

const { WORKFLOW_EXECUTION_ENDING: ending } = coresdk.workflow_activation.RemoveFromCache.EvictionReason;

interface Eviction {
  readonly runId: string;
  readonly evictJob: coresdk.workflow_activation.IRemoveFromCache;
}

export class WorkflowWorker extends Worker {
  static override async create(options: WorkerOptions): Promise<WorkflowWorker> {
    return (await super.create(options)) as WorkflowWorker;
  }

  /**
   * Calls `dropped` with each run that leaves the worker's memory. `isOver` if that is because the run has ended: the worker drops such a run
   * after the engine has confirmed its last task.
   */
  followDropped(dropped: (runId: string, isOver: boolean) => void): void {
    const evictions: EventEmitter = this.evictionsEmitter;
    evictions.on('eviction', ({ runId, evictJob: { reason } }: Eviction) => dropped(runId, reason === ending));
  }

  protected static override createWorkflowCreator: (typeof Worker)['createWorkflowCreator'] = (bundle, options) =>
    WorkflowCreator.create(bundle, options.isolateExecutionTimeoutMs, new Set(options.activities.keys()));
}
