/** Decodes the payloads of a history in JSON, to read and replace them. */
import { isObject } from '../../src/domain/formats';
import type { JsonObject } from '../../src/domain/lead';
import { decodePayloads, type Codecs } from '../../src/temporal/decode';
import { UnreadableHistory } from './history';

export interface DecodedPayload {
  readonly encoding: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** The value of a JSON payload. */
  readonly value: unknown;
}

/** True for a payload in JSON, with its parts in base64. */
const isPayload = (value: unknown): value is { metadata: JsonObject; data?: unknown } =>
  isObject(value) && isObject(value.metadata) && typeof value.metadata.encoding === 'string';

const fromBase64 = (value: unknown) => Buffer.from(String(value ?? ''), 'base64');
const toBase64 = (value: string) => Buffer.from(value).toString('base64');

/**
 * Returns the replacement of each payload and of each other value. It gets the name of the field, or of the field that contains the
 * payload.
 */
export interface PayloadChanges {
  payload(clear: DecodedPayload, holder: string): unknown;
  field(name: string, value: string | number | boolean | null, holder: string): unknown;
}

export async function rewrite(json: unknown, codecs: Codecs, changes: PayloadChanges, name = '', holder = ''): Promise<unknown> {
  if (isPayload(json)) return payloadJson(await decode(json, codecs), changes, name === 'payloads' ? holder : name);
  if (Array.isArray(json)) return Promise.all(json.map((item) => rewrite(item, codecs, changes, name, holder)));
  if (!isObject(json)) return changes.field(name, json as string | number | boolean | null, holder);
  const entries = Object.entries(json).map(async ([field, value]) => [field, await rewrite(value, codecs, changes, field, name)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

async function decode({ metadata, data }: { metadata: JsonObject; data?: unknown }, codecs: Codecs): Promise<DecodedPayload> {
  const stored = {
    metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, fromBase64(value)])),
    data: fromBase64(data),
  };
  const [payload = stored] = await decodePayloads(codecs, [stored]);
  const read = Object.fromEntries(Object.entries(payload.metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString()]));
  const encoding = read.encoding ?? '';
  const text = Buffer.from(payload.data ?? []).toString();
  if (!encoding.startsWith('json/') && text !== '')
    throw new UnreadableHistory(`a payload has the encoding ${encoding}, which a fixture cannot contain`);
  return { encoding, metadata: read, value: text === '' ? undefined : JSON.parse(text) };
}

function payloadJson(clear: DecodedPayload, changes: PayloadChanges, holder: string): JsonObject {
  const value = clear.value === undefined ? undefined : changes.payload(clear, holder);
  return {
    metadata: Object.fromEntries(Object.entries(clear.metadata).map(([name, text]) => [name, toBase64(text)])),
    ...(value !== undefined && { data: toBase64(JSON.stringify(value)) }),
  };
}
