/** Entry of `npm run worker`. */
import { startCarrier } from './carrier';
import { loadKeyRing } from './keys';
import { log } from './log';
import { runPart } from './part';
import { connect } from './temporal';
import { sandboxPort, upstreamsOf } from './upstreams';

runPart(async (config) => {
  const keys = loadKeyRing(config);
  const engine = await connect(config);
  const stop = await startCarrier(config, engine, keys, upstreamsOf(config, sandboxPort(config, 'off')));
  log.info('worker ready', { taskQueue: config.TASK_QUEUE, namespace: engine.namespace });
  return async () => {
    await stop();
    await engine.connection.close();
  };
});
