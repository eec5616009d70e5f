/**
 * The execution context: what a run hands on to each of its activities in one header. The engine stores it unencrypted, so it holds ids and
 * names only.
 */

export const contextHeader = 'leadgate-context';

export interface ExecutionContext {
  /** The sandbox binding; absent in calls. */
  readonly binding?: SandboxBinding;
  /** Absent if traces are off. */
  readonly trace?: TraceContext;
  /** Only for writes, in ms: nothing of it went out before. The moment at which the lead began, or at which a person decided to send again. */
  readonly sentSince?: number;
}

export interface TraceContext {
  readonly traceparent: string;
  readonly flow: string;
}

/** For each setting, whether the sandbox stood in for it when the lead came in. */
export type SandboxBinding = Readonly<Record<string, boolean>>;
