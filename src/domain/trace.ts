/** What of a trace travels with a run, in a header that its engine keeps in plain: ids and a flow's name. */
export const traceHeader = 'leadgate-trace';

export interface CarriedTrace {
  readonly traceparent: string;
  readonly flow: string;
}
