/** Entry of `npm run worker`. */
import { startTrail } from './audit/start';
import { startCarrier } from './carrier';
import { prepareNamespace } from './engine/namespace';
import { assertKeysFit } from './key-use';
import { loadKeyRing } from './keys';
import { createLocal } from './local';
import { log } from './log';
import { runPart } from './part';
import { connect, searchAttributes } from './temporal';
import { sandboxPort, upstreamsOf } from './upstreams';
import { createWorkerMetrics } from './worker-metrics';
import { serveMetrics } from './worker-port';

runPart(async (config) => {
  const keys = loadKeyRing(config);
  const engine = await connect(config);
  await prepareNamespace(engine.connection, { namespace: engine.namespace, retentionH: config.RETENTION_H, searchAttributes });
  await assertKeysFit(engine, keys, config.TASK_QUEUE);
  const metrics = createWorkerMetrics();
  const served = await serveMetrics(config, metrics.registry);
  const trail = await startTrail(config, keys);
  const local = { ...createLocal(config, engine, keys, trail), metrics };
  const stop = await startCarrier(config, engine, keys, upstreamsOf(config, sandboxPort(config, 'off')), local);
  log.info('worker ready', { taskQueue: config.TASK_QUEUE, namespace: engine.namespace, metrics: served?.url });
  return async () => {
    await stop();
    await trail.close();
    await served?.close();
    await engine.connection.close();
  };
});
