/** Records traces of activities. */
import type { Info } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { TraceContext } from '../domain/execution-context';
import { isObject } from '../domain/formats';
import { leadIdOf } from '../domain/ids';
import { errorNameOf } from '../lib/errors';
import type { SpanAttributes, Tracing } from '../temporal/tracing';

/** `sendToRt` → `send-to-rt`, the specification's name of the step. */
const stepOf = (activity: string) => activity.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The kind of failure and the upstream's status; never the upstream's words. */
function attributesOf(error: unknown): SpanAttributes {
  if (!(error instanceof ApplicationFailure)) return { 'error.type': errorNameOf(error) };
  const [note] = error.details ?? [];
  const status = isObject(note) && typeof note.status === 'number' ? note.status : undefined;
  return { 'error.type': error.type ?? 'unknown', ...(status !== undefined && { 'leadgate.upstream_status': status }) };
}

/** Records a span for one execution of an activity, in the trace of its run. */
export async function traceActivity<T>(
  tracing: Tracing,
  { traceparent, flow }: TraceContext,
  info: Info,
  work: () => Promise<T>,
): Promise<T> {
  const leadId = info.workflowExecution && leadIdOf(info.workflowExecution);
  const span = tracing.begin(
    info.activityType,
    'client',
    {
      'leadgate.flow': flow,
      'leadgate.step': stepOf(info.activityType),
      'leadgate.attempt': info.attempt,
      ...(leadId && { 'leadgate.lead_id': leadId }),
    },
    traceparent,
  );
  try {
    const result = await work();
    span.end();
    return result;
  } catch (error) {
    span.end(attributesOf(error));
    throw error;
  }
}
