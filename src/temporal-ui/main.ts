/**
 * Entry of `npm run decoder`: runs the decoder for the UI of your own Temporal server. In `npm start`, the embedded engine includes the decoder.
 */
import { startTrail } from '../audit/start';
import { ConfigError } from '../config/config';
import { version } from '../config/version';
import { payloadReader } from '../domain/payload-reader';
import { loadKeyRing } from '../keys/ring';
import { log } from '../lib/log';
import { runProcess } from '../runtime/process';
import { encryptionCodec } from '../temporal/codec';
import { startDecoder } from './decoder';
import { assertPortFree } from '../config/ports';

runProcess(async (config) => {
  const { DECODER_PORT: port, DECODER_TOKEN: token, TEMPORAL_UI_PORT, HOST: host } = config;
  if (!port) throw new ConfigError('Set DECODER_PORT: the Temporal UI must know where payloads are decoded');
  await assertPortFree('DECODER_PORT', port, host);
  const keys = loadKeyRing(config);
  const trail = await startTrail(config, keys);
  const uiOrigins = [`http://127.0.0.1:${TEMPORAL_UI_PORT}`, `http://localhost:${TEMPORAL_UI_PORT}`];
  const decoder = await startDecoder({ codec: encryptionCodec(keys), uiOrigins, trail, reader: payloadReader, token, port, host });
  log.info('decoder ready', { url: decoder.url, version });
  return async () => {
    await decoder.close();
    await trail.close();
  };
});
