/** What a run hands on to each of its activities, in one header. The engine keeps it in plain: ids, names of settings and of a flow. */
import type { SandboxBinding } from './sandbox-binding';
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
