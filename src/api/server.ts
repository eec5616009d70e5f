/** Entry of `npm run api`. */
import { startTrail } from '../audit/start';
import { assertKeysFit } from '../key-use';
import { loadKeyRing } from '../keys';
import { createLocal } from '../local';
import { log } from '../log';
import { runPart } from '../part';
import { connect } from '../temporal';
import { sandboxPort, upstreamsOf } from '../upstreams';
import { serveApi } from './serve';

runPart(async (config) => {
  const keys = loadKeyRing(config);
  const trail = await startTrail(config, keys);
  const engine = await connect(config);
  await assertKeysFit(engine, keys, config.TASK_QUEUE);
  const local = createLocal(config, engine, keys, trail);
  const api = await serveApi(config, engine, keys, upstreamsOf(config, sandboxPort(config, 'off')), local);
  log.info('api ready', { url: api.url });
  return async () => {
    await api.stop();
    await engine.connection.close();
    await trail.close();
  };
});
