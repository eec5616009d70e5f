/** Entry of `npm run engine`. */
import { loadKeyRing } from '../keys';
import { log } from '../log';
import { runPart } from '../part';
import { startEmbedded } from './embedded';

runPart(async (config) => {
  const engine = await startEmbedded(config, loadKeyRing(config));
  log.info('engine ready', { address: engine.address, ui: engine.uiUrl });
  return engine.stop;
});
