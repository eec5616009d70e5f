/** Decodes the payloads of a history in JSON, so that each can be read and replaced. */
import { isObject } from '../../src/domain/formats';
import type { JsonObject } from '../../src/domain/lead';
import { decodePayloads, type Codecs } from '../../src/temporal/decode';
import { Unreadable } from './history';

export interface Clear {
  readonly encoding: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** The value of a JSON payload. */
  readonly value: unknown;
}

/** True for a payload in JSON, where its parts are in base 64. */
const isPayload = (value: unknown): value is { metadata: JsonObject; data?: unknown } =>
  isObject(value) && isObject(value.metadata) && typeof value.metadata.encoding === 'string';

const fromBase64 = (value: unknown) => Buffer.from(String(value ?? ''), 'base64');
const toBase64 = (value: string) => Buffer.from(value).toString('base64');

/**
 * Returns the replacement of each payload and of each other value. A field goes by its name, a payload by the name of the field that
 * holds it.
 */
export interface Changes {
  payload(clear: Clear, holder: string): unknown;
  field(name: string, value: string | number | boolean | null, holder: string): unknown;
}

export async function changed(json: unknown, codecs: Codecs, changes: Changes, name = '', holder = ''): Promise<unknown> {
  if (isPayload(json)) return payloadJson(await clearOf(json, codecs), changes, name === 'payloads' ? holder : name);
  if (Array.isArray(json)) return Promise.all(json.map((item) => changed(item, codecs, changes, name, holder)));
  if (!isObject(json)) return changes.field(name, json as string | number | boolean | null, holder);
  const entries = Object.entries(json).map(async ([field, value]) => [field, await changed(value, codecs, changes, field, name)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

async function clearOf({ metadata, data }: { metadata: JsonObject; data?: unknown }, codecs: Codecs): Promise<Clear> {
  const stored = {
    metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, fromBase64(value)])),
    data: fromBase64(data),
  };
  const [payload = stored] = await decodePayloads(codecs, [stored]);
  const read = Object.fromEntries(Object.entries(payload.metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString()]));
  const encoding = read.encoding ?? '';
  const text = Buffer.from(payload.data ?? []).toString();
  if (!encoding.startsWith('json/') && text !== '') throw new Unreadable(`a payload is ${encoding}, which cannot be made a fixture`);
  return { encoding, metadata: read, value: text === '' ? undefined : JSON.parse(text) };
}

function payloadJson(clear: Clear, changes: Changes, holder: string): JsonObject {
  const value = clear.value === undefined ? undefined : changes.payload(clear, holder);
  return {
    metadata: Object.fromEntries(Object.entries(clear.metadata).map(([name, text]) => [name, toBase64(text)])),
    ...(value !== undefined && { data: toBase64(JSON.stringify(value)) }),
  };
}
