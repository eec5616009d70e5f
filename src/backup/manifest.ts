/** The manifest of a copy: when it was made, of which build, and the size and digest of each file. It is written last. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';

const manifestName = 'manifest.json';

const file = z.object({ path: z.string().regex(/^[\w.-]+(\/[\w.-]+)?$/), bytes: z.int(), sha256: z.string() });

const shape = z.object({
  format: z.literal(1),
  /** No run of the copy began after this moment, by the clock of its engine. */
  copiedAt: z.iso.datetime(),
  build: z.string(),
  /** The fingerprints of the encryption keys: the keys themselves are not in the copy. */
  keys: z.array(z.string()),
  files: z.array(file),
});

export type Manifest = z.infer<typeof shape>;
type CopiedFile = z.infer<typeof file>;

export async function describeFile(dir: string, path: string): Promise<CopiedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(createReadStream(join(dir, path)), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  });
  return { path, bytes, sha256: hash.digest('hex') };
}

export const writeManifest = (dir: string, manifest: Manifest): Promise<void> =>
  writeFile(join(dir, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
