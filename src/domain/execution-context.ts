/**
 * The execution context: what a run hands on to each of its activities in one header. It holds the sandbox binding, the trace and the
 * task note. The engine stores it unencrypted, so it holds ids and names only.
 */
import type { TaskNote } from './sends';

export const contextHeader = 'leadgate-context';

export interface ExecutionContext {
  /** The sandbox binding; absent in calls. */
  readonly binding?: SandboxBinding;
  /** Absent if traces are off. */
  readonly trace?: TraceContext;
  /** The task note; only for activities inside the workflow's own task that must not be repeated. */
  readonly task?: TaskNote;
  /**
   * Only for sends, in ms: nothing of this send went out before. The moment at which its run began, or at which a person decided that it
   * is sent again.
   */
  readonly sentSince?: number;
}

export interface TraceContext {
  readonly traceparent: string;
  readonly flow: string;
}

/** For each setting, whether the sandbox stood in for it when the lead came in. */
export type SandboxBinding = Readonly<Record<string, boolean>>;
