/** Entry of `npm run api`. */
import { loadKeyRing } from '../keys';
import { log } from '../log';
import { runPart } from '../part';
import { connect } from '../temporal';
import { sandboxPort, upstreamsOf } from '../upstreams';
import { serveApi } from './serve';

runPart(async (config) => {
  const keys = loadKeyRing(config);
  const engine = await connect(config);
  const api = await serveApi(config, engine, keys, upstreamsOf(config, sandboxPort(config, 'off')));
  log.info('api ready', { url: api.url });
  return async () => {
    await api.stop();
    await engine.connection.close();
  };
});
