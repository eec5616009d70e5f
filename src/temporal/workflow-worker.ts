/**
 * A worker that carries its workflows in the process's own isolate. In the SDK's worker each call of a run goes to a thread and back, and
 * each promise of a run notes where it came from (docs/decisions/0013).
 */
import { coresdk } from '@temporalio/proto';
import { UnhandledRejectionError, Worker, type WorkerOptions } from '@temporalio/worker';
import type { Workflow, WorkflowCreateOptions } from '@temporalio/worker/lib/workflow/interface';
import { ReusableVMWorkflow, ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared';
import type * as Sdk from '@temporalio/workflow/lib/worker-interface';
import { executionAsyncId } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import { runInContext, Script, type Context } from 'node:vm';
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

/** Node runs a context's pending promise callbacks only when a script in it ends without an error. So each call of a run's code is a script. */
const script = new Script('__leadgate_code()');
const emptyScript = new Script('');

/**
 * Code that was cut off in the midst of a promise leaves the isolate out of order before Node 24. The process ends before Node aborts it,
 * and says for which run.
 */
function endIfOutOfOrder<T>(limited: () => T, { workflowId, workflowType }: WorkflowCreateOptions['info']): T {
  const before = executionAsyncId();
  try {
    return limited();
  } catch (error) {
    if (executionAsyncId() === before) throw error;
    log.error(endless, { workflowId, workflowType });
    process.exit(1);
  }
}

export class WorkflowCreator extends ReusableVMWorkflowCreator {
  private readonly guard = new RunGuard(this.isolateExecutionTimeoutMs);
  private readonly sdk = runInContext('__TEMPORAL__.api', this.context) as typeof Sdk;

  /**
   * All modules are loaded before the first run, so a run's only global is the SDK's activator, and only that changes between two runs
   * (docs/decisions/0013). A call of the run's own code is cut off if it does not end, or guarded while the run is young. The other calls
   * leave no promise callback behind, so they need no script.
   */
  override async createWorkflow(options: WorkflowCreateOptions): Promise<Workflow> {
    const context: Context = this.context;
    const { sdk, registeredActivityNames, isolateExecutionTimeoutMs: timeout } = this;
    const { info } = options;
    context.__TEMPORAL_ACTIVATOR__ = undefined;
    sdk.initRuntime({
      ...options,
      registeredActivityNames,
      sourceMap: this.workflowBundle.sourceMap,
      getTimeOfDay: () => BigInt(Date.now()) * 1_000_000n,
      stackTracesEnabled: false,
    });
    const activator = context.__TEMPORAL_ACTIVATOR__ as NonNullable<typeof __TEMPORAL_ACTIVATOR__>;
    const guarded = this.guard.of(info);
    const play = (one: Script): unknown =>
      isYoung(info) ? guarded(() => one.runInContext(context)) : endIfOutOfOrder(() => one.runInContext(context, { timeout }), info);
    const ownCode = <T>(code: () => T): T => {
      context.__leadgate_code = code;
      try {
        return play(script) as T;
      } catch (error) {
        // The callbacks that still wait would otherwise run in the next run's script.
        play(emptyScript);
        throw error;
      } finally {
        context.__leadgate_code = undefined;
      }
    };
    const inRun =
      <Given extends unknown[], T>(call: (...given: Given) => T) =>
      (...given: Given): T => {
        context.__TEMPORAL_ACTIVATOR__ = activator;
        return call(...given);
      };
    const workflow = new ReusableVMWorkflow(info.runId, context, activator, {
      ...sdk,
      initialize: inRun(sdk.initialize),
      activate: inRun((...given) => ownCode(() => sdk.activate(...given))),
      tryUnblockConditions: inRun(() =>
        activator.blockedConditions.size > 0 ? ownCode(sdk.tryUnblockConditions) : sdk.tryUnblockConditions(),
      ),
      concludeActivation: inRun(sdk.concludeActivation),
      dispose: inRun(sdk.dispose),
    });
    ReusableVMWorkflowCreator.workflowByRunId.set(info.runId, workflow);
    return workflow;
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
