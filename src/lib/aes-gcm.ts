/** Encrypts bytes with AES-256-GCM: nonce, ciphertext and tag in one buffer. */
import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;
/** Random bytes cost more than the encryption, so one call makes many nonces. */
const nonces = Buffer.alloc(nonceBytes * 256);
let noncesUsed = nonces.length;

function nextNonce(): Buffer {
  if (noncesUsed === nonces.length) {
    randomFillSync(nonces);
    noncesUsed = 0;
  }
  return nonces.subarray(noncesUsed, (noncesUsed += nonceBytes));
}

export interface NamedKey {
  /** Authenticated with the bytes. */
  readonly id: string;
  readonly key: Buffer;
}

export function encrypt(plain: Uint8Array, { id, key }: NamedKey): Buffer {
  const nonce = nextNonce();
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(id));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined if the bytes were encrypted with another key, or were changed. */
export function decrypt(sealed: Uint8Array, { id, key }: NamedKey): Buffer | undefined {
  if (sealed.length < nonceBytes + tagBytes) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes }).setAAD(
    Buffer.from(id),
  );
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  const start = decipher.update(sealed.subarray(nonceBytes, -tagBytes));
  try {
    return Buffer.concat([start, decipher.final()]);
  } catch {
    return undefined;
  }
}
