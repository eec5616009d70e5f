/**
 * Defines the execution context, which a run passes to each of its activities in one header. The engine stores it unencrypted, so it has
 * ids and names only.
 */

export const contextHeader = 'leadgate-context';

export interface ExecutionContext {
  /** The sandbox binding; absent in calls. */
  readonly binding?: SandboxBinding;
  /** Absent if traces are off. */
  readonly trace?: TraceContext;
  /** Only for writes, in ms: the write cannot have gone out before. It is the start of the lead, or the time of a person's resend. */
  readonly sentSince?: number;
}

export interface TraceContext {
  readonly traceparent: string;
  readonly flow: string;
}

/** For each setting, whether the sandbox replaced it when the lead was accepted. */
export type SandboxBinding = Readonly<Record<string, boolean>>;
