/** The OCI image layout of a release: its shapes, and the check that every blob is what the layout says. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { messageOf } from '../../src/lib/errors';
import { fileNames } from './files';

export const mediaTypes = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);

const descriptor = <Type extends string>(mediaType: Type) => z.object({ mediaType: z.literal(mediaType), digest, size: z.int() });

const layoutShape = z.object({ imageLayoutVersion: z.literal('1.0.0') });
const indexShape = z.object({ schemaVersion: z.literal(2), manifests: z.array(descriptor(mediaTypes.manifest)).length(1) });
const manifestShape = z.object({
  schemaVersion: z.literal(2),
  config: descriptor(mediaTypes.config),
  layers: z.array(descriptor(mediaTypes.layer)).min(1),
});
const configShape = z.object({ rootfs: z.object({ type: z.literal('layers'), diff_ids: z.array(digest) }) });

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export const blobName = (digest: string): string => `${fileNames.image}/blobs/${digest.replace(':', '/')}`;

export const layoutNames = { layout: `${fileNames.image}/oci-layout`, index: `${fileNames.image}/index.json` } as const;

/** What is wrong with the image, in a directory whose files have these digests. */
export async function imageProblems(dir: string, digests: ReadonlyMap<string, { sha256: string; bytes: number }>): Promise<string[]> {
  const known = new Set<string>(Object.values(layoutNames));

  async function read<Shape>(name: string, shape: z.ZodType<Shape>): Promise<Shape> {
    if (!digests.has(name)) throw new Error(`${name} is missing`);
    return shape.parse(JSON.parse(await readFile(join(dir, name), 'utf8')));
  }
  function blob({ digest, size }: Descriptor): string {
    const name = blobName(digest);
    const found = digests.get(name);
    if (!found) throw new Error(`${name} is missing`);
    if (`sha256:${found.sha256}` !== digest || found.bytes !== size) throw new Error(`${name} is not what its name says`);
    known.add(name);
    return name;
  }

  try {
    await read(layoutNames.layout, layoutShape);
    const { manifests } = await read(layoutNames.index, indexShape);
    const [manifest] = await Promise.all(manifests.map((one) => read(blob(one), manifestShape)));
    if (!manifest) return [];
    const { rootfs } = await read(blob(manifest.config), configShape);
    const contents = await Promise.all(manifest.layers.map((layer) => contentDigest(join(dir, blob(layer)))));
    const strangers = [...digests.keys()].filter((name) => name.startsWith(`${fileNames.image}/`) && !known.has(name));
    return [
      ...(contents.join() === rootfs.diff_ids.join() ? [] : ['the image: a layer is not the one that its configuration names']),
      ...strangers.map((name) => `${name} does not belong to the image`),
    ];
  } catch (error) {
    return [`the image: ${error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error)}`];
  }
}

/** The digest of an uncompressed layer. */
async function contentDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), createGunzip(), hash);
  return `sha256:${hash.digest('hex')}`;
}
