/**
 * The execution context: what a run hands on to each of its activities in one header. It holds the sandbox binding, the trace and the
 * task note. The engine stores it unencrypted, so it holds ids and names only. `breachOf` checks the sandbox binding, at a redrive and
 * before each request: a lead accepted for the sandbox never reaches a real upstream, nor the reverse.
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
}

export interface TraceContext {
  readonly traceparent: string;
  readonly flow: string;
}

/** For each setting, whether the sandbox stood in for it when the lead came in. */
export type SandboxBinding = Readonly<Record<string, boolean>>;

/** True if the sandbox stood in for any upstream. */
export const isSandboxed = (binding: SandboxBinding): boolean => Object.values(binding).includes(true);

/** The kind of system that a lead came in for, and the reason why it goes to no other kind. */
export interface Breach {
  readonly cameForSandbox: boolean;
  readonly message: string;
}

/** Undefined if a request may go out now. `unbound` tells how to treat a setting that the lead did not need when it came in. */
export function breachOf(binding: SandboxBinding, setting: string, isSandbox: boolean, unbound = isSandbox): Breach | undefined {
  const cameForSandbox = new Map(Object.entries(binding)).get(setting) ?? unbound;
  if (cameForSandbox === isSandbox) return undefined;
  const message = cameForSandbox
    ? `The sandbox stood in for ${setting} when this lead came in: it goes to no real system. Send it as a new lead`
    : `${setting} is not set. This lead came in for a real system, and the sandbox is none`;
  return { cameForSandbox, message };
}
