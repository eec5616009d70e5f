/**
 * Encrypts every payload that the engine stores, failure messages included, with AES-256-GCM. Large payloads are compressed first.
 */
import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { createCipheriv, createDecipheriv, randomFillSync, type Decipher } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type { KeyRing } from '../keys/ring';

const encoding = Buffer.from('binary/encrypted');
/** Marks a payload that was compressed before it was encrypted. */
const brotli = Buffer.from('br');
const nonceBytes = 12;
/** Random bytes cost more than the encryption, so one call makes many nonces. */
const nonces = Buffer.alloc(nonceBytes * 256);
let noncesUsed = nonces.length;
const tagBytes = 16;
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

/** The bytes are overwritten later, so the caller must copy them before it awaits. */
function nextNonce(): Buffer {
  if (noncesUsed === nonces.length) {
    randomFillSync(nonces);
    noncesUsed = 0;
  }
  return nonces.subarray(noncesUsed, (noncesUsed += nonceBytes));
}

async function encrypt(payload: Payload, { current }: KeyRing): Promise<Payload> {
  const plain = PayloadProto.encode(payload).finish();
  const smaller = await compressed(plain);
  const nonce = nextNonce();
  const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(Buffer.from(current.id));
  const sealed = Buffer.concat([nonce, cipher.update(smaller ?? plain), cipher.final(), cipher.getAuthTag()]);
  return { metadata: { encoding, 'encryption-key-id': Buffer.from(current.id), ...(smaller && { compression: brotli }) }, data: sealed };
}

async function decrypt(payload: Payload, { byId }: KeyRing): Promise<Payload> {
  const id = Buffer.from(payload.metadata?.['encryption-key-id'] ?? []).toString();
  const key = byId.get(id);
  if (!key) throw new UnknownKey(`A stored payload needs the encryption key "${id}", which is not in LEADGATE_KEYS`);
  const data = Buffer.from(payload.data ?? []);
  const decipher = createDecipheriv('aes-256-gcm', key, data.subarray(0, nonceBytes), { authTagLength: tagBytes }).setAAD(Buffer.from(id));
  decipher.setAuthTag(data.subarray(-tagBytes));
  const start = decipher.update(data.subarray(nonceBytes, -tagBytes));
  const opened = Buffer.concat([start, finish(decipher, id)]);
  return PayloadProto.decode(payload.metadata?.compression ? await decompress(opened) : opened);
}

function finish(decipher: Decipher, id: string): Buffer {
  try {
    return decipher.final();
  } catch {
    throw new UnknownKey(
      `A stored payload cannot be decrypted with the key "${id}" of LEADGATE_KEYS: it was encrypted with another key of that id, or it is damaged`,
    );
  }
}

/** Encrypts and decrypts payloads. A payload that is not encrypted is returned unchanged, or replaced by `standIn`. */
export const encryptionCodec = (keys: KeyRing, standIn?: Payload): PayloadCodec => ({
  encode: (payloads) => Promise.all(payloads.map((payload) => encrypt(payload, keys))),
  decode: (payloads) =>
    Promise.all(payloads.map(async (payload) => (isEncrypted(payload) ? decrypt(payload, keys) : (standIn ?? payload)))),
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
