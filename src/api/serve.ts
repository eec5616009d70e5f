/** Builds the API from its parts and listens. The stop lets accepted requests end. */
import { Client } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { copyAge } from '../backup/schedule';
import { ConfigError, type Config } from '../config/config';
import { restoredFrom } from '../config/restored';
import type { Upstreams } from '../config/upstreams';
import { version } from '../config/version';
import { ApiError, errorBody } from '../contract/errors';
import { createIntake, createPreparation } from '../intake/intake';
import { createRedrive } from '../orders/redrive';
import { createDecide } from '../orders/decide';
import { createEventOutbox } from '../events/outbox';
import { createChangePause } from '../orders/pause';
import { createStarter } from '../intake/start';
import type { KeyRing } from '../keys/ring';
import { createHolds, createUpstreamList } from '../leads/holds';
import { createLeadList } from '../leads/lead-list';
import { createLeadsByDay } from '../leads/leads-by-day';
import { createPauses } from '../leads/pauses';
import { createReports } from '../leads/reports';
import { createRunListUrl, createRunUrls } from '../leads/run-urls';
import { readStuckRuns } from '../leads/stuck-runs';
import { urlOf } from '../lib/http-server';
import { log } from '../lib/log';
import { isLoopback } from '../lib/loopback';
import type { Shared, WorkerShared } from '../runtime/shared';
import { dataConverter, type Engine } from '../temporal/engine';
import { whyNotReady } from '../temporal/readiness';
import { retentionH } from '../temporal/retention';
import { tracing } from '../temporal/tracing';
import { createApp } from './app';
import { createAuthenticate } from './auth';
import { createExport } from './bulk/export';
import { createImports } from './bulk/imports';
import { decisionKind, redriveKind } from './bulk/order-answers';
import { createBulkOrders } from './bulk/orders';
import { createLeads } from './leads';
import { createAlertTest, tellOfWrongKeys } from './monitoring/alerting';
import { createEngineMetrics } from './monitoring/engine-metrics';
import { createOperations } from './monitoring/operations';
import { createMetrics, createTraffic } from './monitoring/traffic';
import { createWriteProbe } from './monitoring/write-probe';
import { createErase } from './privacy/erase';
import { createOperators } from './privacy/operators';
import type { Pages } from './pages';
import { createRouter } from './router';
import { tracedStarts } from './traced';
import { createWrongKeys } from './wrong-keys';

export interface Api {
  readonly url: string;
  /** Refuses new requests, answers the accepted ones (an unfinished lead with 202), and then resolves. */
  stop(): Promise<void>;
}

export async function serveApi(
  config: Config,
  { connection, namespace }: Engine,
  keys: KeyRing,
  upstreams: Upstreams,
  { trail, admission, search, metrics: workerMetrics }: Shared & Partial<WorkerShared>,
  pages: Pages,
): Promise<Api> {
  const traces = tracing();
  const interceptors = traces && { workflow: [tracedStarts(traces)] };
  const client = new Client({ connection, namespace, dataConverter: dataConverter(keys), interceptors });
  const stopping = new AbortController();
  const wrongKeys = createWrongKeys({ trail, tell: () => tellOfWrongKeys(client, config.TASK_QUEUE) });
  const authenticate = createAuthenticate(config, wrongKeys);
  const reports = createReports(client, stopping.signal, search);
  const copiedAt = restoredFrom(config);
  const leadList = createLeadList(search, keys, upstreams, copiedAt);
  const starting = { client, config, keys, search };
  const traffic = createTraffic();
  const intake = createIntake({
    client,
    preparation: createPreparation(config, upstreams),
    admission,
    starter: createStarter(starting),
    reports,
  });
  const pauses = createPauses(client, config.TASK_QUEUE);
  const holds = createHolds(client, config.TASK_QUEUE);
  const routes = createRouter({
    config,
    keys,
    upstreams,
    intake,
    exportLeads: createExport(client, leadList),
    imports: createImports({ config, keys, intake, trail, stopping: stopping.signal }),
    leads: createLeads({
      ...{ client, reports, holds, pauses, copiedAt },
      decide: createDecide({ client, search, pauses }),
      runUrl: createRunUrls(config.TEMPORAL_UI_URL, namespace),
      outbox: createEventOutbox({ client, keys, taskQueue: config.TASK_QUEUE }),
    }),
    leadList,
    leadsByDay: createLeadsByDay(search, keys, () => retentionH(client)),
    traffic,
    readStuckRuns: () => readStuckRuns(client, config.TASK_QUEUE, createRunListUrl(config.TEMPORAL_UI_URL, namespace)),
    listUpstreams: createUpstreamList(holds, pauses, upstreams),
    changePause: createChangePause({ client, keys, config }),
    redrive: createRedrive({ ...starting, upstreams, admission, copiedAt }),
    redrives: createBulkOrders(redriveKind, client, config, keys, leadList, search),
    decisions: createBulkOrders(decisionKind, client, config, keys, leadList, search),
    operators: createOperators({
      client,
      config,
      erase: createErase({ client, keys, taskQueue: config.TASK_QUEUE, search }),
    }),
    trail,
    testAlerts: createAlertTest(client, config.TASK_QUEUE),
  });
  const unwritable = createWriteProbe(config);
  const notReady = async () =>
    stopping.signal.aborted
      ? 'The service is stopping'
      : ((await unwritable()) ?? (await whyNotReady(client, namespace, config.TASK_QUEUE)) ?? (await admission.whyFull()));
  const metrics = createMetrics(
    createEngineMetrics(client, keys, namespace, config.TASK_QUEUE),
    config.LEADGATE_DATA_DIR,
    workerMetrics?.registry,
    copyAge(config),
  );
  const app = createApp({
    config,
    routes,
    operations: createOperations({ version, authenticate, pages, notReady, metrics }),
    observers: [metrics, traffic],
    authenticate,
    stopping: stopping.signal,
  });
  const server = createServer(
    {
      // Node refuses headers that may take longer than the whole request.
      headersTimeout: Math.min(config.HEADERS_TIMEOUT_MS, config.REQUEST_TIMEOUT_MS),
      requestTimeout: config.REQUEST_TIMEOUT_MS,
      keepAliveTimeout: 30_000,
      connectionsCheckingInterval: 500,
      requireHostHeader: false,
    },
    app,
  );
  // Every header is kept, so that none of them can push another one out; their bytes are limited, and the app counts them.
  server.maxHeadersCount = 0;
  server.on('clientError', answerBroken);
  await listen(server, config);
  if (!isLoopback(config.HOST)) warnOfHost(config);
  const { port } = server.address() as AddressInfo;
  return {
    url: urlOf(config.HOST, port),
    async stop() {
      stopping.abort();
      await new Promise<void>((done) => {
        server.close(() => done());
        server.closeIdleConnections();
      });
    },
  };
}

function warnOfHost({ GATEWAY_API_KEYS }: Config): void {
  log.warn('HOST is not a loopback address, and the API speaks plain HTTP: TLS is the job of a proxy before it, see docs/tls.md');
  if (!GATEWAY_API_KEYS)
    log.warn(
      'HOST is not a loopback address and GATEWAY_API_KEYS is not set: whoever reaches it from another machine and sends a Host of this one can send leads and read them masked',
    );
}

/** Answers bytes that are no HTTP, or come too slowly, with an error body: there is no request yet that a route could answer. */
function answerBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const slow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const status = slow
    ? '408 Request Timeout'
    : error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : '400 Bad Request';
  const body = JSON.stringify(
    errorBody(new ApiError('VALIDATION_ERROR', slow ? 'The request came too slowly' : 'This is no HTTP request that can be read')),
  );
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    `X-Request-Id: ${randomUUID()}`,
    'Cache-Control: no-store',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function listen(server: Server, { HOST, PORT }: Config): Promise<void> {
  return new Promise((done, refuse) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      refuse(
        new ConfigError(
          error.code === 'EADDRINUSE'
            ? `PORT ${PORT} is in use on ${HOST}: set PORT to a free one`
            : `HOST ${HOST}, PORT ${PORT}: ${error.code}`,
        ),
      ),
    );
    server.listen(PORT, HOST, done);
  });
}
