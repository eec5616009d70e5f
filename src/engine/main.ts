/** Entry of `npm run engine`. */
import { startTrail } from '../audit/start';
import { loadKeyRing } from '../keys';
import { log } from '../log';
import { runPart } from '../part';
import { startEmbedded } from './embedded';

runPart(async (config) => {
  const keys = loadKeyRing(config);
  const trail = await startTrail(config, keys);
  const engine = await startEmbedded(config, keys, trail);
  log.info('engine ready', { address: engine.address, ui: engine.uiUrl });
  return async () => {
    await engine.stop();
    await trail.close();
  };
});
