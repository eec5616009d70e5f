/** Signs with Ed25519. A key is known by its fingerprint: the SHA-256 of the public key in DER form, in hex. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto';

const algorithm = 'ed25519';

export interface Signer {
  /** The public key as PEM. */
  readonly publicKey: string;
  readonly fingerprint: string;
  sign(bytes: Uint8Array): Buffer;
}

const pemOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();

const fingerprintOf = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');

/** Throws if the text is not a private Ed25519 key. */
export function signerOf(pem: string): Signer {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== algorithm) throw new TypeError('not an Ed25519 key');
  const publicKey = createPublicKey(key);
  return { publicKey: pemOf(publicKey), fingerprint: fingerprintOf(publicKey), sign: (bytes) => sign(null, bytes, key) };
}

/** Returns a new private key as PEM. */
export const newSigningKey = (): string => generateKeyPairSync(algorithm).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

export interface PublicKey {
  readonly fingerprint: string;
  isSigned(bytes: Uint8Array, signature: Uint8Array): boolean;
}

/** Undefined if the text is not a public Ed25519 key. */
export function publicKeyOf(pem: string): PublicKey | undefined {
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType !== algorithm) return undefined;
    return { fingerprint: fingerprintOf(key), isSigned: (bytes, signature) => verify(null, bytes, key, signature) };
  } catch {
    return undefined;
  }
}
