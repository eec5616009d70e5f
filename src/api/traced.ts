/** Traces each HTTP request and the start of its run, and propagates the trace to the run. */
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { RequestHandler } from 'express';
import { endpoints, type EndpointName } from '../contract';
import type { Endpoint } from '../contract/endpoint';
import { contextHeader, type ExecutionContext } from '../domain/execution-context';
import { leadIdOf } from '../domain/ids';
import { errorNameOf } from '../lib/errors';
import type { Tracing } from '../temporal/tracing';

/** Makes the middleware that traces requests. Its span continues the caller's `traceparent`. */
export const traceRequests =
  (tracing: Tracing): RequestHandler =>
  (request, response, next) => {
    const [traceparent] = [request.headers.traceparent].flat();
    const { method } = request;
    const span = tracing.begin(method, 'server', { 'http.request.method': method }, traceparent);
    response.on('close', () => {
      const route = typeof request.route?.path === 'string' ? request.route.path : 'unknown';
      const leadId = response.get('X-Lead-Id');
      const { statusCode } = response;
      const attributes = { 'http.route': route, 'http.response.status_code': statusCode, ...(leadId && { 'leadgate.lead_id': leadId }) };
      span.end({ ...attributes, ...(statusCode >= 500 && { 'error.type': String(statusCode) }) }, `${method} ${route}`);
    });
    tracing.within(span, next);
  };

/** Finds the flow of a workflow type, which is the name of its row in the contract. */
const flowOf = (name: string): string => {
  const row: Endpoint | undefined = Object.hasOwn(endpoints, name) ? endpoints[name as EndpointName] : undefined;
  return row?.flow ?? name;
};

export const traceStarts = (tracing: Tracing): WorkflowClientInterceptor => ({
  async start(input, next) {
    const flow = flowOf(input.workflowType);
    const span = tracing.begin(`start ${input.workflowType}`, 'producer', { 'leadgate.flow': flow });
    const context: ExecutionContext = { trace: { traceparent: span.traceparent, flow } };
    try {
      const runId = await next({ ...input, headers: { ...input.headers, [contextHeader]: defaultPayloadConverter.toPayload(context) } });
      const leadId = leadIdOf({ workflowId: input.options.workflowId, runId });
      span.end(leadId ? { 'leadgate.lead_id': leadId } : {});
      return runId;
    } catch (error) {
      span.end({ 'error.type': errorNameOf(error) });
      throw error;
    }
  },
});
