/** Builds the API from the handlers of all subjects, and starts its server. */
import { Client } from '@temporalio/client';
import { eraseEvidenceOf } from '../audit/evidence';
import { copyAge } from '../backup/schedule';
import type { Config } from '../config/config';
import { restoredFrom } from '../config/restored';
import type { Upstreams } from '../config/upstreams';
import { version } from '../config/version';
import { createIntake, createPreparation } from '../intake/intake';
import { createRedrive } from '../orders/redrive';
import { createDecide } from '../orders/decide';
import { createEventOutbox } from '../events/outbox';
import { createEvidenceGatherer } from '../orders/evidence';
import { createChangePause } from '../orders/pause';
import { createReconcile } from '../orders/reconcile';
import { createStarter } from '../intake/start';
import type { KeyRing } from '../keys/ring';
import { createDeliveryList } from '../leads/deliveries';
import { createHolds, createUpstreamList } from '../leads/holds';
import { createLeadList } from '../leads/lead-list';
import { createLeadsByDay } from '../leads/leads-by-day';
import { createPauses } from '../leads/pauses';
import { createReports } from '../leads/reports';
import { createRunListUrl, createRunUrls } from '../leads/run-urls';
import { readStuckRuns } from '../leads/stuck-runs';
import type { Shared, WorkerShared } from '../runtime/shared';
import { dataConverter, type Engine } from '../temporal/engine';
import { whyNotReady } from '../temporal/readiness';
import { retentionH } from '../temporal/retention';
import { tracing } from '../temporal/tracing';
import { createApp } from './app';
import { createAuthenticate } from './auth';
import { exportHandlers } from './bulk/export';
import { importHandlers } from './bulk/imports';
import { bulkHandlers } from './bulk/order-routes';
import { decisionKind, type OrderKind } from './bulk/order-answers';
import { createBulkOrders, type IdsOf } from './bulk/orders';
import { reconciliationHandlers } from './bulk/reconciliations';
import { createRunHandler } from './run-handler';
import type { Handlers } from './handler';
import { changeHandlers } from './leads/changes';
import { leadHandlers } from './leads/lead';
import { listHandlers } from './leads/lists';
import { listen } from './listen';
import { alertHandlers, signalWrongKeys } from './monitoring/alerting';
import { createEngineMetrics } from './monitoring/engine-metrics';
import { createOperations } from './monitoring/operations';
import { createMetrics, createTraffic, trafficHandlers } from './monitoring/traffic';
import { createWriteProbe } from './monitoring/write-probe';
import { createErase } from './privacy/erase';
import { createKeepEvidence } from './privacy/kept-evidence';
import { operatorHandlers } from './privacy/operators';
import { createReads } from './privacy/reads';
import { createRouter } from './router';
import type { Pages } from './pages';
import { createSignIn } from './sign-in/routes';
import { siteHandlers } from './sites';
import { traceStarts } from './traced';
import { upstreamHandlers } from './upstreams';
import { createWrongKeys } from './wrong-keys';

export interface Api {
  readonly url: string;
  /** Rejects new requests, answers the accepted ones (an unfinished lead with 202), and then resolves. */
  stop(): Promise<void>;
}

export async function serveApi(
  config: Config,
  { connection, namespace }: Engine,
  keys: KeyRing,
  upstreams: Upstreams,
  { trail, evidence, admission, search, metrics: workerMetrics }: Shared & Partial<WorkerShared>,
  pages: Pages,
): Promise<Api> {
  const taskQueue = config.TASK_QUEUE;
  const traces = tracing();
  const interceptors = traces && { workflow: [traceStarts(traces)] };
  const client = new Client({ connection, namespace, dataConverter: dataConverter(keys), interceptors });
  const stopping = new AbortController();
  const wrongKeys = createWrongKeys({ trail, signalAlerting: () => signalWrongKeys(client, taskQueue) });
  const signIn = createSignIn(config, keys, trail);
  const authenticate = createAuthenticate(config, wrongKeys, signIn?.sessions);
  const reports = createReports(client, stopping.signal, search);
  const copiedAt = restoredFrom(config);
  const leadList = createLeadList(search, keys, upstreams, copiedAt);
  const deliveryList = createDeliveryList({ client, keys, search, taskQueue });
  const starting = { client, config, keys, search };
  const traffic = createTraffic();
  const intake = createIntake({
    client,
    preparation: createPreparation(config, upstreams),
    admission,
    starter: createStarter(starting),
    reports,
  });
  const pauses = createPauses(client, taskQueue);
  const holds = createHolds(client, taskQueue);
  const reads = createReads(trail);
  const ordersOf = (kind: OrderKind, idsOf: IdsOf) => createBulkOrders(kind, client, config, keys, idsOf, search);
  const handlers: Handlers = {
    ...leadHandlers({
      ...{ client, reports, holds, pauses, reads, copiedAt },
      runUrl: createRunUrls(config.TEMPORAL_UI_URL, namespace),
      outbox: createEventOutbox({ client, keys, taskQueue, search }),
    }),
    ...changeHandlers({
      keys,
      decide: createDecide({ client, search, pauses }),
      redrive: createRedrive({ ...starting, upstreams, admission, copiedAt }),
    }),
    ...listHandlers({
      deliveryList,
      leadList,
      leadsByDay: createLeadsByDay(search, keys, () => retentionH(client)),
      readStuckRuns: () => readStuckRuns(client, taskQueue, createRunListUrl(config.TEMPORAL_UI_URL, namespace)),
    }),
    ...exportHandlers({ client, leadList, reports, reads, trail }),
    ...importHandlers({ config, keys, intake, trail, stopping: stopping.signal }),
    ...bulkHandlers({ leadList, deliveryList, ordersOf }),
    ...reconciliationHandlers({
      ...{ client, config, keys },
      countCompared: createReconcile({ client, config, upstreams, leadList, reports }).countCompared,
      decisions: ordersOf(decisionKind, async () => []),
    }),
    ...upstreamHandlers({
      keys,
      leadList,
      listUpstreams: createUpstreamList(holds, pauses, upstreams),
      changePause: createChangePause({ client, keys, config }),
    }),
    ...siteHandlers(upstreams),
    ...trafficHandlers(traffic),
    ...alertHandlers(client, taskQueue),
    ...operatorHandlers({
      client,
      config,
      erase: createErase({
        client,
        keys,
        taskQueue,
        search,
        forget: (person, requester) => eraseEvidenceOf(trail, evidence, person, requester),
      }),
      evidence,
      reads,
    }),
  };
  const keepEvidence = createKeepEvidence(trail, evidence, createEvidenceGatherer(client, keys).ofAction);
  const runHandler = createRunHandler({ config, intake, keys, reads });
  const probeWrites = createWriteProbe(config);
  const unreadyReason = async () =>
    stopping.signal.aborted
      ? 'The service is stopping'
      : ((await probeWrites()) ?? (await whyNotReady(client, namespace, taskQueue)) ?? (await admission.whyFull()));
  const metrics = createMetrics(
    createEngineMetrics(client, keys, namespace, taskQueue),
    config.LEADGATE_DATA_DIR,
    workerMetrics?.registry,
    copyAge(config),
  );
  const app = createApp({
    config,
    routes: createRouter({ config, trail, keepEvidence, intake, handlers, runHandler }),
    operations: createOperations({ config, version, authenticate, signIn: signIn?.routes, pages, unreadyReason, metrics }),
    observers: [metrics, traffic],
    authenticate,
    stopping: stopping.signal,
  });
  const { url, close } = await listen(app, config);
  return {
    url,
    stop() {
      stopping.abort();
      return close();
    },
  };
}
