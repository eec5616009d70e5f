/** Reads a list of runs even if the encryption key of some is missing: leaves out the runs that this process cannot decrypt. */
import type { KeyRing } from '../keys/ring';
import { UnknownKey } from '../temporal/codec';
import { attributes } from '../temporal/engine';

/** Calls `read` with a further condition. */
export type ReadDecryptable = <T>(read: (only: string) => Promise<T>) => Promise<T>;

/** Reads a list. If the key of one of its runs is missing, reads it again without the runs that this key ring cannot decrypt. */
export const createDecryptableReader =
  (keys: KeyRing): ReadDecryptable =>
  async (read) => {
    try {
      return await read('');
    } catch (error) {
      if (!(error instanceof UnknownKey)) throw error;
      const ours = [...keys.fingerprints.values()].map((mark) => `${attributes.key.name} = '${mark}'`);
      return read(` AND (${ours.join(' OR ')})`);
    }
  };
