/**
 * Encrypts every payload that the engine stores, failure messages included, with AES-256-GCM. Large payloads are compressed first.
 */
import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type { KeyRing } from '../keys/ring';
import { decrypt, encrypt } from '../lib/aes-gcm';

const encoding = Buffer.from('binary/encrypted');
/** Marks a payload that was compressed before it was encrypted. */
const brotli = Buffer.from('br');
const { Payload: PayloadProto } = temporal.api.common.v1;

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);
/** Below this size, compressing costs more than it saves. */
const smallBytes = 32_768;
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 22 } };

/** Thrown for a payload that no key of the ring can decrypt. */
export class UnknownKey extends Error {
  override name = 'UnknownKey';
}

export const isEncrypted = (payload: Payload): boolean => Buffer.from(payload.metadata?.encoding ?? []).equals(encoding);

async function encrypted(payload: Payload, { current }: KeyRing): Promise<Payload> {
  const plain = PayloadProto.encode(payload).finish();
  const smaller = await compressed(plain);
  const data = encrypt(smaller ?? plain, current);
  return { metadata: { encoding, 'encryption-key-id': Buffer.from(current.id), ...(smaller && { compression: brotli }) }, data };
}

async function decrypted(payload: Payload, { byId }: KeyRing): Promise<Payload> {
  const id = Buffer.from(payload.metadata?.['encryption-key-id'] ?? []).toString();
  const key = byId.get(id);
  if (!key) throw new UnknownKey(`A stored payload needs the encryption key "${id}", which is not in LEADGATE_KEYS`);
  const opened = decrypt(Buffer.from(payload.data ?? []), { id, key });
  if (!opened)
    throw new UnknownKey(
      `A stored payload cannot be decrypted with the key "${id}" of LEADGATE_KEYS: it was encrypted with another key of that id, or it is damaged`,
    );
  return PayloadProto.decode(payload.metadata?.compression ? await decompress(opened) : opened);
}

/** Encrypts and decrypts payloads. A payload that is not encrypted is returned unchanged, or replaced by `standIn`. */
export const encryptionCodec = (keys: KeyRing, standIn?: Payload): PayloadCodec => ({
  encode: (payloads) => Promise.all(payloads.map((payload) => encrypted(payload, keys))),
  decode: (payloads) =>
    Promise.all(payloads.map(async (payload) => (isEncrypted(payload) ? decrypted(payload, keys) : (standIn ?? payload)))),
});

/** Compresses bytes; undefined if that would not make them smaller. */
async function compressed(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  if (bytes.length < smallBytes) return undefined;
  const smaller = await compress(bytes, options);
  return smaller.length < bytes.length ? smaller : undefined;
}

/** Returns the size of a value as a payload: exact for a large value, which is compressed, and an upper bound for a smaller one. */
export async function storedBytes(value: unknown): Promise<number> {
  const bytes = Buffer.from(JSON.stringify(value));
  return bytes.length < smallBytes * 4 ? bytes.length : ((await compressed(bytes)) ?? bytes).length;
}
