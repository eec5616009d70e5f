/** What became of a send, as it is noted: a payload, encrypted like those that the engine keeps. */
import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { encryptionCodec } from '../temporal/codec';
import type { Told } from '../domain/sends';
import type { KeyRing } from '../keys/ring';

const { Payload } = temporal.api.common.v1;

export interface Seal {
  seal(told: Told): Promise<Buffer>;
  unseal(sealed: Buffer): Promise<Told>;
}

export function createSeal(keys: KeyRing): Seal {
  const codec = encryptionCodec(keys);
  return {
    async seal(told) {
      const [payload] = await codec.encode([defaultPayloadConverter.toPayload(told)]);
      return Buffer.from(Payload.encode(payload ?? {}).finish());
    },
    async unseal(sealed) {
      const [payload] = await codec.decode([Payload.decode(sealed)]);
      return defaultPayloadConverter.fromPayload(payload ?? {});
    },
  };
}
