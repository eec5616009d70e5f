/** Entry of `npm run api`: runs the API alone, without a worker and without the embedded engine. */
import { startTrail } from '../audit/start';
import { sandboxPort, upstreamsOf } from '../config/upstreams';
import { version } from '../config/version';
import { loadKeyRing } from '../keys/ring';
import { log } from '../lib/log';
import { forgetErasedPersons } from '../runtime/erased-evidence';
import { assertKeysFit } from '../runtime/key-use';
import { runProcess } from '../runtime/process';
import { createShared } from '../runtime/shared';
import { watchClock } from '../temporal/clock';
import { connect } from '../temporal/engine';
import { createPages } from '../../tools/reference/pages';
import { serveApi } from './serve';

runProcess(async (config) => {
  const keys = loadKeyRing(config);
  const trail = await startTrail(config, keys);
  const engine = await connect(config);
  await assertKeysFit(engine, keys, config.TASK_QUEUE);
  const shared = createShared(config, engine, keys, trail);
  const api = await serveApi(config, engine, keys, upstreamsOf(config, sandboxPort(config, 'off')), shared, createPages(config));
  const stopForgetting = forgetErasedPersons(config, engine, keys, shared);
  log.info('api ready', { url: api.url, version });
  const unwatch = watchClock(engine, config.TASK_QUEUE);
  return async () => {
    await unwatch();
    await api.stop();
    await stopForgetting();
    await engine.connection.close();
    await trail.close();
  };
});
