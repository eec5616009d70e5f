/** Builds the Express application: common headers, request log, authentication, body reading, routes and error answers. */
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Response } from 'express';
import { randomUUID } from 'node:crypto';
import type { Config } from '../config/config';
import { endpointTable } from '../contract';
import { ApiError, engineAway, errorBody, errorCodes } from '../contract/errors';
import { didYouMean, nearest } from '../domain/nearest';
import type { JsonObject } from '../domain/lead';
import { errorNameOf, framesOf } from '../lib/errors';
import { headerFault } from '../lib/http-server';
import { log } from '../lib/log';
import { UnknownKey } from '../temporal/codec';
import { isEngineAway } from '../temporal/ask';
import { tracing } from '../temporal/tracing';
import { requireLocalHost } from './auth';
import { crossOrigin } from './cross-origin';
import type { ObservedAnswer } from './monitoring/traffic';
import { readBytes, readableUrl, routePath } from './request';
import { keepAddress, nameOfCaller, trustProxy } from './requester';
import { traceRequests } from './traced';

/** Routes that machines poll. Their requests are not logged or traced. */
const polledRoutes = [
  '/health/live',
  '/health/ready',
  '/metrics',
  '/console',
  '/console/*file',
  '/api/leads/counts',
  '/api/traffic',
  '/api/upstreams',
];

interface Observer {
  observe(observed: ObservedAnswer): void;
}

export interface AppNeeds {
  readonly config: Config;
  readonly routes: express.Router;
  readonly operations: express.Router;
  /** Each is called with every answer. */
  readonly observers: readonly Observer[];
  readonly authenticate: RequestHandler;
  /** Aborted when the service stops. From then on every answer closes its connection. */
  readonly stopping: AbortSignal;
}

export function createApp({ config, routes, operations, observers, authenticate, stopping }: AppNeeds): Express {
  const app = trustProxy(express(), config);
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple');
  const traces = tracing();
  if (traces) app.use(unlessPolled(traceRequests(traces)));
  app.use(keepAddress, setHeadersAndLog(observers, stopping), checkHeaders, ...crossOrigin(config), requireLocalHost(config));
  app.use(operations);
  // The caller is authenticated before the body is read.
  app.use(authenticate, readableUrl, readBytes(config));
  app.use(routes);
  app.use(({ path }) => {
    throw new ApiError('NOT_FOUND', didYouMean('This path does not exist: see /docs', suggestPath(path)));
  });
  app.use(answerError);
  return app;
}

/** Suggests the nearest path of the contract. The parts that were sent replace its parameters for the comparison. */
function suggestPath(path: string): string | undefined {
  const sent = path.split('/');
  const filled = (known: string) => known.split('/').map((part, at) => (part.startsWith('{') ? sent[at] : part));
  const meant = new Map(endpointTable.map(([, { path: known }]) => [filled(known).join('/'), known]));
  return meant.get(nearest(path, [...meant.keys()]) ?? '');
}

const unlessPolled =
  (handler: RequestHandler): RequestHandler =>
  (request, response, next) =>
    polledRoutes.includes(routePath(request)) ? next() : handler(request, response, next);

/**
 * Rejects unsafe headers, and HTTP/1.1 without a Host. Node's own check of the Host is off, because its answer has no error body.
 */
const checkHeaders: RequestHandler = (request, _response, next) => {
  const fault = headerFault(request);
  if (fault) throw new ApiError('VALIDATION_ERROR', fault.message, { status: fault.status });
  if (request.httpVersion === '1.1' && !request.headers.host) throw new ApiError('VALIDATION_ERROR', 'The header Host is missing');
  next();
};

/** Sets the common headers and logs each request: caller, address, route, status, time and generated ids, but no body, header or query. */
const setHeadersAndLog =
  (observers: readonly Observer[], stopping: AbortSignal): RequestHandler =>
  (request, response, next) => {
    const startedAt = performance.now();
    const sentId = String(request.headers['x-request-id'] ?? '');
    const logId = randomUUID();
    response.set({
      'X-Request-Id': /^[\x21-\x7e]{1,128}$/.test(sentId) ? sentId : logId,
      'X-Log-Id': logId,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'",
    });
    closeConnectionOnStop(stopping, response);
    response.on('close', () => {
      const tookMs = Math.round(performance.now() - startedAt);
      const route = typeof request.route?.path === 'string' ? request.route.path : 'unknown';
      const leadId = response.get('X-Lead-Id');
      const { caller, address } = response.locals;
      for (const { observe } of observers) observe({ method: request.method, route, status: response.statusCode, tookMs });
      if (!polledRoutes.includes(route))
        log.info('request', {
          method: request.method,
          route,
          status: response.statusCode,
          tookMs,
          logId,
          leadId,
          caller: caller && nameOfCaller(caller),
          address,
          aborted: response.writableFinished ? undefined : true,
        });
    });
    next();
  };

/** Checks `stopping` when the answer is sent, because the service may stop while the request waits for its run. */
function closeConnectionOnStop(stopping: AbortSignal, response: Response): void {
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => Response;
  response.writeHead = (...args: unknown[]) => {
    if (stopping.aborted) response.setHeader('Connection', 'close');
    return writeHead(...args);
  };
}

const answerError: ErrorRequestHandler = (thrown, request, response, _next) => {
  const error = apiErrorOf(thrown);
  if (error.code === 'INTERNAL_ERROR')
    log.error('unexpected error', {
      name: errorNameOf(thrown),
      stack: framesOf(thrown),
      logId: response.get('X-Log-Id'),
    });
  if (response.headersSent) return void request.socket.destroy();
  response
    .status(error.extras.status ?? errorCodes[error.code].status)
    .set(error.extras.headers ?? {})
    .json(errorBody(error) satisfies JsonObject);
};

/** Maps the errors of Express and body-parser, by their type. */
const expressErrors: Readonly<Record<string, (thrown: Error & { readonly limit?: unknown }) => ApiError>> = {
  'entity.too.large': ({ limit }) =>
    new ApiError('PAYLOAD_TOO_LARGE', `The body is too large: at most ${String(limit)} bytes, decompressed`),
  'encoding.unsupported': () => new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The Content-Encoding must be gzip, deflate or br'),
  'request.aborted': () => new ApiError('VALIDATION_ERROR', 'The body is incomplete'),
  'request.size.invalid': () => new ApiError('VALIDATION_ERROR', 'The length of the body differs from its Content-Length'),
};

function apiErrorOf(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (isEngineAway(thrown)) return engineAway();
  if (thrown instanceof UnknownKey) return new ApiError('CONFIG_ERROR', thrown.message);
  if (thrown instanceof Error && 'type' in thrown && typeof thrown.type === 'string' && Object.hasOwn(expressErrors, thrown.type))
    return expressErrors[thrown.type]!(thrown);
  const status = thrown instanceof Error && 'status' in thrown ? thrown.status : undefined;
  if (status === 400) return new ApiError('VALIDATION_ERROR', 'The request cannot be read');
  return new ApiError('INTERNAL_ERROR', 'Internal error: the log has the details under the X-Log-Id of this answer');
}
