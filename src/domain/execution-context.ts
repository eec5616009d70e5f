/** What a run hands on to each of its activities, in one header. The engine keeps it in plain: ids, names of settings and of a flow. */
import type { TaskNote } from './sends';

export const contextHeader = 'leadgate-context';

export interface ExecutionContext {
  /** Where the run's requests may go; absent in calls. */
  readonly binding?: SandboxBinding;
  /** Absent while traces are off. */
  readonly trace?: TraceContext;
  /** Of what runs inside the workflow's own task and must be known to run for the first time. */
  readonly task?: TaskNote;
}

export interface TraceContext {
  readonly traceparent: string;
  readonly flow: string;
}

/** Setting → whether the sandbox stood in for it. */
export type SandboxBinding = Readonly<Record<string, boolean>>;

/** What is wrong with going there now; undefined where nothing is. */
export function breachOf(binding: SandboxBinding, setting: string, isSandbox: boolean): string | undefined {
  const was = new Map(Object.entries(binding)).get(setting);
  if (was === undefined || was === isSandbox) return undefined;
  return was
    ? `The sandbox stood in for ${setting} when this lead came in: it goes to no real system`
    : `${setting} is not set. This lead came in for a real system, and the sandbox is none`;
}
