/**
 * Encrypts what a cookie holds, with AES-256-GCM and a key made from the key ring, so that every API process can read it, also after a
 * restart. A seal is valid for one purpose only.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { KeyRing } from '../../keys/ring';

export interface Seal {
  close(purpose: string, value: unknown): string;
  /** Undefined if the text was not made by `close` with a key of the ring and this purpose. */
  open(purpose: string, text: string): unknown;
}

const nonceBytes = 12;
const tagBytes = 16;

/** `binding` names whatever a sealed text must not outlive, such as the issuer. */
export function createSeal({ current, byId }: KeyRing, binding: string): Seal {
  const keyOf = (key: Buffer, purpose: string) => Buffer.from(hkdfSync('sha256', key, '', `leadgate ${purpose}\0${binding}`, 32));

  return {
    close(purpose, value) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', keyOf(current.key, purpose), nonce);
      const sealed = Buffer.concat([nonce, cipher.update(JSON.stringify(value)), cipher.final(), cipher.getAuthTag()]);
      return `${current.id}.${sealed.toString('base64url')}`;
    },

    open(purpose, text) {
      const [, id = '', written = ''] = /^(.+)\.([\w-]+)$/.exec(text) ?? [];
      const key = byId.get(id);
      const sealed = Buffer.from(written, 'base64url');
      if (!key || sealed.length < nonceBytes + tagBytes) return undefined;
      const options = { authTagLength: tagBytes };
      const decipher = createDecipheriv('aes-256-gcm', keyOf(key, purpose), sealed.subarray(0, nonceBytes), options);
      decipher.setAuthTag(sealed.subarray(-tagBytes));
      try {
        const opened = [decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()];
        return JSON.parse(Buffer.concat(opened).toString());
      } catch {
        return undefined;
      }
    },
  };
}
