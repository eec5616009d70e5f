/**
 * Encrypts what a cookie holds, with AES-256-GCM and a key made from the key ring, so that every API process can read it, also after a
 * restart. A seal is valid for one purpose only.
 */
import { hkdfSync } from 'node:crypto';
import type { KeyRing } from '../../keys/ring';
import { decrypt, encrypt, type NamedKey } from '../../lib/aes-gcm';

export interface Seal {
  close(purpose: string, value: unknown): string;
  /** Undefined if the text was not made by `close` with a key of the ring and this purpose. */
  open(purpose: string, text: string): unknown;
}

/** `binding` names whatever a sealed text must not outlive, such as the issuer. */
export function createSeal({ current, byId }: KeyRing, binding: string): Seal {
  const keyFor = (id: string, key: Buffer, purpose: string): NamedKey => ({
    id,
    key: Buffer.from(hkdfSync('sha256', key, '', `leadgate ${purpose}\0${binding}`, 32)),
  });

  return {
    close(purpose, value) {
      const sealed = encrypt(Buffer.from(JSON.stringify(value)), keyFor(current.id, current.key, purpose));
      return `${current.id}.${sealed.toString('base64url')}`;
    },

    open(purpose, text) {
      const [, id = '', written = ''] = /^(.+)\.([\w-]+)$/.exec(text) ?? [];
      const key = byId.get(id);
      const plain = key && decrypt(Buffer.from(written, 'base64url'), keyFor(id, key, purpose));
      return plain && JSON.parse(plain.toString());
    },
  };
}
