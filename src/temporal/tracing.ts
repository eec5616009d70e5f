/**
 * Exports OpenTelemetry traces to the collector at OTEL_EXPORTER_OTLP_ENDPOINT. Spans have names, statuses, times and ids only. Without the
 * setting, no package of OpenTelemetry is loaded.
 */
import type { Context, Span, SpanKind } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Config } from '../config/config';
import { version } from '../config/version';

/** The only attributes that are exported; all others are removed. */
const exportedAttributes = [
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'leadgate.lead_id',
  'leadgate.flow',
  'leadgate.step',
  'leadgate.attempt',
  'leadgate.upstream_status',
  'error.type',
] as const;

export type SpanAttributes = Partial<Record<(typeof exportedAttributes)[number], string | number>>;

export interface ActiveSpan {
  /** The W3C header with which another span names this one as its parent. */
  readonly traceparent: string;
  /** Ends the span. An `error.type` marks it as failed. */
  end(attributes?: SpanAttributes, name?: string): void;
}

export interface Tracing {
  /** Starts a span as a child of `traceparent`, else of the current span. */
  begin(name: string, kind: Lowercase<keyof typeof SpanKind>, attributes: SpanAttributes, traceparent?: string): ActiveSpan;
  /** Runs `work` with this span as the current span. */
  within<T>(span: ActiveSpan, work: () => T): T;
  stop(): Promise<void>;
}

const live: { tracing?: Tracing } = {};

/** Undefined if traces are off. */
export const tracing = (): Tracing | undefined => live.tracing;

export async function startTracing({ OTEL_EXPORTER_OTLP_ENDPOINT }: Pick<Config, 'OTEL_EXPORTER_OTLP_ENDPOINT'>): Promise<void> {
  if (OTEL_EXPORTER_OTLP_ENDPOINT !== undefined) live.tracing = await openTracing();
}

export async function stopTracing(): Promise<void> {
  await live.tracing?.stop();
  live.tracing = undefined;
}

/** OpenTelemetry reads its own variables for the collector and the service name. */
async function openTracing(): Promise<Tracing> {
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, isSpanContextValid, trace } = await import('@opentelemetry/api');
  const { BatchSpanProcessor, TracerProvider } = await import('@opentelemetry/sdk-trace');
  const { detectResources, envDetector, resourceFromAttributes } = await import('@opentelemetry/resources');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');

  const exporter = withExportedAttributesOnly(new OTLPTraceExporter());
  const provider = new TracerProvider({
    // Detects from variables only: other detectors would add the command line and the host name.
    resource: resourceFromAttributes({ 'service.name': 'leadgate', 'service.version': version }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('leadgate', version);
  const currentSpan = new AsyncLocalStorage<ActiveSpan>();

  function parentOf(traceparent: string | undefined): Context {
    const [, traceId = '', spanId = '', flags = ''] =
      /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/.exec(traceparent ?? '') ?? [];
    const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
    return isSpanContextValid(context) ? trace.setSpanContext(ROOT_CONTEXT, context) : ROOT_CONTEXT;
  }

  const traced = (span: Span): ActiveSpan => {
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      end(attributes = {}, name) {
        if (name) span.updateName(name);
        span.setAttributes(attributes);
        if (attributes['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  };

  return {
    begin(name, kind, attributes, traceparent = currentSpan.getStore()?.traceparent) {
      const spanKind = SpanKind[kind.toUpperCase() as keyof typeof SpanKind];
      return traced(tracer.startSpan(name, { kind: spanKind, attributes }, parentOf(traceparent)));
    },
    within: (span, work) => currentSpan.run(span, work),
    stop: () => provider.shutdown(),
  };
}

function withExportedAttributesOnly(exporter: SpanExporter): SpanExporter {
  const strip = (span: ReadableSpan): ReadableSpan => {
    const attributes = Object.fromEntries(
      exportedAttributes.flatMap((word) => (word in span.attributes ? [[word, span.attributes[word]]] : [])),
    );
    const exported = { attributes, events: [], links: [], status: { code: span.status.code } };
    return Object.create(span, Object.fromEntries(Object.entries(exported).map(([name, value]) => [name, { value }])));
  };
  return {
    export: (spans, done) => exporter.export(spans.map(strip), done),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
