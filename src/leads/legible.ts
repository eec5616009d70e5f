/** Reads lists of runs of which some were begun with an encryption key that this process does not have. */
import type { KeyRing } from '../keys/ring';
import { UnknownKey } from '../temporal/codec';
import { attributes } from '../temporal/engine';

/** Calls `read` with a further condition. */
export type Legible = <T>(read: (only: string) => Promise<T>) => Promise<T>;

/** Reads a list. If a key for one of its runs is missing, reads it again with only the runs that this key ring can decrypt. */
export const legibleWith =
  (keys: KeyRing): Legible =>
  async (read) => {
    try {
      return await read('');
    } catch (error) {
      if (!(error instanceof UnknownKey)) throw error;
      const ours = [...keys.fingerprints.values()].map((mark) => `${attributes.key.name} = '${mark}'`);
      return read(` AND (${ours.join(' OR ')})`);
    }
  };
