/** Entry of `npm run engine`: runs the embedded engine alone. */
import { startTrail } from '../audit/start';
import { scheduleCopies } from '../backup/schedule';
import { version } from '../config/version';
import { payloadReader } from '../domain/payload-reader';
import { loadKeyRing } from '../keys/ring';
import { log } from '../lib/log';
import { runProcess } from '../runtime/process';
import { startEmbedded } from './embedded';

runProcess(async (config) => {
  const keys = loadKeyRing(config);
  const trail = await startTrail(config, keys);
  const engine = await startEmbedded(config, keys, trail, { reader: payloadReader });
  const stopCopies = scheduleCopies(config, keys);
  log.info('engine ready', { address: engine.address, ui: engine.uiUrl, version });
  return async () => {
    await stopCopies();
    await engine.stop();
    await trail.close();
  };
});
