/** Writes an image as an OCI image layout, without a container engine. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileDigest } from '../../src/lib/file-digest';
import { fileNames } from '../../tools/release/files';
import { blobName, layoutNames, mediaTypes, type Descriptor } from '../../tools/release/image';
import { writeArchive } from './archive';
import type { TarEntry } from './tar';

export interface Layer {
  readonly what: string;
  readonly entries: readonly TarEntry[];
}

export interface ImageAbout {
  readonly version: string;
  readonly commit: string;
  readonly time: string;
}

const platform = { architecture: 'amd64', os: 'linux' } as const;

export async function writeLayout(
  out: string,
  layers: readonly Layer[],
  config: Readonly<Record<string, unknown>>,
  { version, commit, time }: ImageAbout,
): Promise<void> {
  mkdirSync(join(out, fileNames.image, 'blobs/sha256'), { recursive: true });
  const unnamed = join(out, fileNames.image, 'unnamed');

  async function nameBlob(mediaType: string): Promise<Descriptor> {
    const { sha256, bytes } = await fileDigest(unnamed);
    const digest = `sha256:${sha256}`;
    renameSync(unnamed, join(out, blobName(digest)));
    return { mediaType, digest, size: bytes };
  }
  function writeBlob(content: unknown, mediaType: string): Promise<Descriptor> {
    writeFileSync(unnamed, JSON.stringify(content));
    return nameBlob(mediaType);
  }

  const blobs: Descriptor[] = [];
  const contents: string[] = [];
  for (const { entries } of layers) {
    // No time of the commit: the same Debian is the same layer in the next release.
    contents.push(`sha256:${await writeArchive(unnamed, entries, 0)}`);
    blobs.push(await nameBlob(mediaTypes.layer));
  }
  const configBlob = await writeBlob(
    {
      created: time,
      ...platform,
      config: {
        ...config,
        Labels: {
          'org.opencontainers.image.title': 'leadgate',
          'org.opencontainers.image.version': version,
          'org.opencontainers.image.revision': commit,
        },
      },
      rootfs: { type: 'layers', diff_ids: contents },
      history: layers.map(({ what }) => ({ created: time, created_by: what })),
    },
    mediaTypes.config,
  );
  const manifest = { schemaVersion: 2, mediaType: mediaTypes.manifest, config: configBlob, layers: blobs };
  const listed = {
    ...(await writeBlob(manifest, mediaTypes.manifest)),
    platform,
    annotations: { 'org.opencontainers.image.ref.name': version },
  };
  writeFileSync(join(out, layoutNames.index), JSON.stringify({ schemaVersion: 2, mediaType: mediaTypes.index, manifests: [listed] }));
  writeFileSync(join(out, layoutNames.layout), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
}
