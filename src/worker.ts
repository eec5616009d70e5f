/** Entry of `npm run worker`: runs a worker without the API. */
import { startTrail } from './audit/start';
import { sandboxPort, upstreamsOf } from './config/upstreams';
import { version } from './config/version';
import { prepareNamespace } from './temporal/namespace';
import { loadKeyRing } from './keys/ring';
import { log } from './lib/log';
import { forgetErasedPersons } from './runtime/erased-evidence';
import { assertKeysFit } from './runtime/key-use';
import { runProcess } from './runtime/process';
import { createShared, withWorker } from './runtime/shared';
import { startWorker } from './runtime/worker';
import { serveMetrics } from './runtime/worker-port';
import { watchClock } from './temporal/clock';
import { connect, searchAttributes } from './temporal/engine';

runProcess(async (config) => {
  const keys = loadKeyRing(config);
  const engine = await connect(config);
  await prepareNamespace(engine.connection, { namespace: engine.namespace, retentionH: config.RETENTION_H, searchAttributes });
  await assertKeysFit(engine, keys, config.TASK_QUEUE);
  const trail = await startTrail(config, keys);
  const shared = withWorker(createShared(config, engine, keys, trail));
  const served = await serveMetrics(config, shared.metrics.registry);
  const stop = await startWorker(config, engine, keys, upstreamsOf(config, sandboxPort(config, 'off')), shared);
  const stopForgetting = forgetErasedPersons(config, engine, keys, shared);
  log.info('worker ready', { taskQueue: config.TASK_QUEUE, namespace: engine.namespace, metrics: served?.url, version });
  const unwatch = watchClock(engine, config.TASK_QUEUE);
  return async () => {
    await unwatch();
    await stopForgetting();
    await stop();
    await trail.close();
    await served?.close();
    await engine.connection.close();
  };
});
