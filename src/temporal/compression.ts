/** Large payloads are compressed before they are encrypted: a whole board would otherwise be more than the engine carries at once. */
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** Below this, compressing costs more than it saves. */
const smallBytes = 32_768;

const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 22 } };

/** Undefined where it is not worth it. */
export async function packed(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  if (bytes.length < smallBytes) return undefined;
  const smaller = await compress(bytes, options);
  return smaller.length < bytes.length ? smaller : undefined;
}

export const unpacked = (bytes: Uint8Array): Promise<Uint8Array> => decompress(bytes);

/** What a value takes as a payload, at most; exact where it matters. */
export async function packedBytes(value: unknown): Promise<number> {
  const bytes = Buffer.from(JSON.stringify(value));
  return bytes.length < smallBytes * 4 ? bytes.length : ((await packed(bytes)) ?? bytes).length;
}
