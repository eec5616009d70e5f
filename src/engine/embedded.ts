/** Starts the embedded Temporal: the engine, its namespace, and the decoder for its UI. */
import { Connection } from '@temporalio/client';
import type { Trail } from '../audit/trail';
import { ConfigError, type Config } from '../config/config';
import type { KeyRing } from '../keys/ring';
import { encryptionCodec } from '../temporal/codec';
import { searchAttributes } from '../temporal/engine';
import { startDecoder, type PayloadReader } from '../temporal-ui/decoder';
import { prepareNamespace } from '../temporal/namespace';
import { assertPortFree, freePort } from '../config/ports';
import { startEngine, type EmbeddedEngine, type EngineOptions } from './start';

export interface EmbeddedOptions extends Omit<EngineOptions, 'codecEndpoint'> {
  readonly reader: PayloadReader;
}

export async function startEmbedded(
  config: Config,
  keys: KeyRing,
  trail: Trail,
  { reader, ...options }: EmbeddedOptions,
): Promise<EmbeddedEngine> {
  if (config.DECODER_TOKEN && !config.DECODER_PORT)
    throw new ConfigError('DECODER_TOKEN needs a DECODER_PORT: the browser keeps the address of the decoder in its settings');
  await assertPortFree('DECODER_PORT', config.DECODER_PORT);
  const uiPort = config.TEMPORAL_UI_PORT || (await freePort());
  const decoder = await startDecoder({
    codec: encryptionCodec(keys),
    uiOrigins: [`http://127.0.0.1:${uiPort}`, `http://localhost:${uiPort}`],
    trail,
    reader,
    token: config.DECODER_TOKEN,
    port: config.DECODER_PORT,
  });
  let engine: EmbeddedEngine | undefined;
  const stop = async () => {
    await engine?.stop();
    await decoder.close();
  };
  try {
    engine = await startEngine({ ...config, TEMPORAL_UI_PORT: uiPort }, { ...options, codecEndpoint: decoder.url });
    const connection = await Connection.connect({ address: engine.address });
    const wanted = { namespace: config.TEMPORAL_NAMESPACE, retentionH: config.RETENTION_H, searchAttributes };
    try {
      await prepareNamespace(connection, wanted);
    } finally {
      await connection.close();
    }
    return { address: engine.address, uiUrl: engine.uiUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
