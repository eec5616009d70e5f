/** Connects to Temporal, and defines the search attributes and data converters of all clients and workers. */
import { Client } from '@temporalio/client';
import {
  defaultPayloadConverter,
  defineSearchAttributeKey,
  type DataConverter,
  type Payload,
  type SearchAttributePair,
} from '@temporalio/common';
import { loadClientConnectConfig, type ClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection } from '@temporalio/worker';
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError, connectionVariables, isEmbedded, type Config } from '../config/config';
import { inClear } from '../domain/in-clear';
import type { PersonHashes } from '../domain/locks';
import type { KeyRing } from '../keys/ring';
import { messageOf } from '../lib/errors';
import { encryptionCodec } from './codec';
import { explainConnectionError } from './refusals';

/**
 * The search attributes of a run. The engine stores them in clear, so they hold business terms and keyed hashes only, never a name, an
 * e-mail or a phone number. After a change of the e-mail, LeadEmails has the hashes of both. LeadImports has the lead's import or the keyed
 * hash of its reference, because the embedded engine has three lists only.
 */
export const attributes = {
  flow: defineSearchAttributeKey('LeadFlow', 'KEYWORD'),
  state: defineSearchAttributeKey('LeadState', 'KEYWORD'),
  step: defineSearchAttributeKey('LeadStep', 'KEYWORD'),
  code: defineSearchAttributeKey('LeadCode', 'KEYWORD'),
  upstream: defineSearchAttributeKey('LeadUpstream', 'KEYWORD'),
  site: defineSearchAttributeKey('LeadSite', 'KEYWORD'),
  protocol: defineSearchAttributeKey('LeadProtocol', 'KEYWORD'),
  study: defineSearchAttributeKey('LeadStudy', 'KEYWORD'),
  emails: defineSearchAttributeKey('LeadEmails', 'KEYWORD_LIST'),
  phones: defineSearchAttributeKey('LeadPhones', 'KEYWORD_LIST'),
  imports: defineSearchAttributeKey('LeadImports', 'KEYWORD_LIST'),
  patient: defineSearchAttributeKey('LeadPatientHash', 'KEYWORD'),
  key: defineSearchAttributeKey('LeadKeyId', 'KEYWORD'),
  sender: defineSearchAttributeKey('LeadSender', 'INT'),
  repeat: defineSearchAttributeKey('LeadRepeatS', 'INT'),
  updated: defineSearchAttributeKey('LeadUpdatedAt', 'DATETIME'),
} as const;

/** Decodes the first value of a search attribute; undefined if there is none. */
export const attributeIn = (payload: { readonly data?: Uint8Array | null } | null | undefined): unknown =>
  payload?.data?.length ? [JSON.parse(Buffer.from(payload.data).toString())].flat()[0] : undefined;

/** Returns the search attributes by which an erasure finds a run. */
export const personAttributes = ({ emails, phones, patient, site }: PersonHashes): SearchAttributePair[] => [
  ...(emails.length > 0 ? [{ key: attributes.emails, value: [...emails] }] : []),
  ...(phones.length > 0 ? [{ key: attributes.phones, value: [...phones] }] : []),
  ...(patient ? [{ key: attributes.patient, value: patient }] : []),
  ...(site ? [{ key: attributes.site, value: site }] : []),
];

/** Returns the search attribute with the fingerprint of the current key, so that the key is kept as long as a run needs it. */
export const keyAttribute = ({ current, fingerprints }: KeyRing) => ({ key: attributes.key, value: fingerprints.get(current.id) ?? '' });

/** Returns the search attributes of a lock or an order: the person's hashes for an erasure, and the fingerprint of its key. */
export const erasureAttributes = (keys: KeyRing, person: PersonHashes): SearchAttributePair[] => [
  ...personAttributes(person),
  keyAttribute(keys),
];

const attributeTypes = { KEYWORD: 'Keyword', KEYWORD_LIST: 'KeywordList', INT: 'Int', DATETIME: 'Datetime' } as const;

export const searchAttributes: Record<string, (typeof attributeTypes)[keyof typeof attributeTypes]> = Object.fromEntries(
  Object.values(attributes).map(({ name, type }) => [name, attributeTypes[type]]),
);

export const dataConverter = (keys: KeyRing): DataConverter => ({
  payloadCodecs: [encryptionCodec(keys)],
  failureConverterPath: require.resolve('./failure-converter'),
});

export const unencryptedMark = (): Payload => defaultPayloadConverter.toPayload(inClear);

/** The converter of a worker. It replaces payloads that are not encrypted by a mark, which the workflow refuses. */
export const workerConverter = (keys: KeyRing): DataConverter => ({
  ...dataConverter(keys),
  payloadCodecs: [encryptionCodec(keys, unencryptedMark())],
});

/** Returns a copy of the client that decrypts nothing, so that it works on runs whose key is lost. All payloads read as null. */
export function withoutDecryption({ connection, options: { namespace } }: Client, keys: KeyRing): Client {
  const { encode } = encryptionCodec(keys);
  const decode = async (payloads: Payload[]) => payloads.map(() => defaultPayloadConverter.toPayload(null));
  return new Client({ connection, namespace, dataConverter: { ...dataConverter(keys), payloadCodecs: [{ encode, decode }] } });
}

export interface Engine {
  readonly connection: NativeConnection;
  readonly namespace: string;
}

/** Reads the connection options as Temporal's own tools do: from the environment, and from the default or the named profile. */
function readProfile({ TEMPORAL_CONFIG_FILE: file }: Config): ClientConnectConfig {
  if (file && !existsSync(file)) throw new ConfigError(`TEMPORAL_CONFIG_FILE: there is no file ${file}`);
  try {
    return loadClientConnectConfig({ overrideEnvVars: connectionVariables() });
  } catch (error) {
    throw new ConfigError(`The TEMPORAL_ settings cannot be used: ${messageOf(error)}`);
  }
}

/**
 * Connects to the engine. Retries for up to `waitMs`, because processes may start in any order. Throws at once if a retry cannot help.
 */
export async function connect(config: Config, waitMs = 60_000): Promise<Engine> {
  // The embedded engine ignores profiles, so that one on this machine cannot redirect the connection.
  const { connectionOptions, namespace } = isEmbedded(config) ? { connectionOptions: {} } : readProfile(config);
  const address = config.TEMPORAL_ADDRESS ?? connectionOptions.address ?? `127.0.0.1:${config.TEMPORAL_PORT}`;
  const deadline = Date.now() + waitMs;
  for (;;) {
    try {
      // Encrypted payloads do not compress, so gzip would only cost time.
      const connection = await NativeConnection.connect({ ...connectionOptions, address, grpcCompression: { codec: 'none' } });
      return { connection, namespace: namespace ?? config.TEMPORAL_NAMESPACE };
    } catch (error) {
      const { words, isFinal } = explainConnectionError(messageOf(error));
      if (isFinal) throw new ConfigError(`Temporal at ${address} cannot be connected to: ${words}`);
      if (Date.now() >= deadline)
        throw new ConfigError(`Temporal does not answer at ${address} (TEMPORAL_ADDRESS, TEMPORAL_PORT): ${words}`);
      await pause(250);
    }
  }
}
