/** How this project talks to Temporal: one connection, one data converter, the searchable fields. */
import { setTimeout as pause } from 'node:timers/promises';
import { loadClientConnectConfig, type ClientConnectConfig } from '@temporalio/envconfig';
import { defineSearchAttributeKey, type DataConverter } from '@temporalio/common';
import { NativeConnection } from '@temporalio/worker';
import { ConfigError, isEmbedded, type Config } from './config';
import { encryptionCodec } from './codec';
import type { KeyRing } from './keys';

/** Plain business terms and keyed hashes: never a name, an e-mail or a phone number. */
export const attributes = {
  flow: defineSearchAttributeKey('LeadFlow', 'KEYWORD'),
  state: defineSearchAttributeKey('LeadState', 'KEYWORD'),
  step: defineSearchAttributeKey('LeadStep', 'KEYWORD'),
  site: defineSearchAttributeKey('LeadSite', 'KEYWORD'),
  protocol: defineSearchAttributeKey('LeadProtocol', 'KEYWORD'),
  study: defineSearchAttributeKey('LeadStudy', 'KEYWORD'),
  email: defineSearchAttributeKey('LeadEmailHash', 'KEYWORD'),
  phone: defineSearchAttributeKey('LeadPhoneHash', 'KEYWORD'),
  patient: defineSearchAttributeKey('LeadPatientHash', 'KEYWORD'),
  key: defineSearchAttributeKey('LeadKeyId', 'KEYWORD'),
  updated: defineSearchAttributeKey('LeadUpdatedAt', 'DATETIME'),
} as const;

export const searchAttributes: Record<string, 'Keyword' | 'Datetime'> = Object.fromEntries(
  Object.values(attributes).map(({ name, type }) => [name, type === 'DATETIME' ? 'Datetime' : 'Keyword']),
);

export const dataConverter = (keys: KeyRing): DataConverter => ({
  payloadCodecs: [encryptionCodec(keys)],
  failureConverterPath: require.resolve('./failure-converter'),
});

export interface Engine {
  readonly connection: NativeConnection;
  readonly namespace: string;
}

/** Waits for the engine up to `waitMs`: the parts may be started in any order. */
export async function connect(config: Config, waitMs = 60_000): Promise<Engine> {
  // A profile that merely lies on this machine must not take an embedded start somewhere else.
  const { connectionOptions, namespace }: ClientConnectConfig = isEmbedded(config) ? { connectionOptions: {} } : loadClientConnectConfig();
  const address = config.TEMPORAL_ADDRESS ?? connectionOptions.address ?? `127.0.0.1:${config.TEMPORAL_PORT}`;
  const deadline = Date.now() + waitMs;
  for (;;) {
    try {
      // Encrypted payloads do not compress: on one machine gzip is only cost.
      const connection = await NativeConnection.connect({ ...connectionOptions, address, grpcCompression: { codec: 'none' } });
      return { connection, namespace: namespace ?? config.TEMPORAL_NAMESPACE };
    } catch (error) {
      if (Date.now() >= deadline)
        throw new ConfigError(`Temporal does not answer at ${address} (TEMPORAL_ADDRESS, TEMPORAL_PORT): ${String(error)}`);
      await pause(250);
    }
  }
}
